"""Programs that were given up, with the line that made the object which had them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envdoctor.analysis.made_objects import line_that_makes
from envdoctor.model.training_ends import GivenUp


def with_line(program: GivenUp) -> GivenUp:
    """A program with the line that made its outer object, as the source of the script has it."""
    used_at = program.used_at
    try:
        text = Path(used_at.file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return program
    line = line_that_makes(text, used_at.line, program.outer)
    return program if line is None else replace(program, made_at=replace(used_at, line=line))
