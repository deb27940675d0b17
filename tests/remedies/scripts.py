"""A training script with the edits of an aim."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import Aim
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source

FILE = "/train.py"


def mended(aim_at: Callable[[Frame], Aim], text: str, part: str) -> str:
    """The script with the first edits for the first line that has the part; empty without any."""
    file = File(FILE, textwrap.dedent(text).lstrip("\n"))
    line = next(at for at, each in enumerate(file.lines, 1) if part in each)
    source = Source({FILE: file}, "", FILE)
    edits = next(candidates(aim_at(Frame(FILE, line)), source), ())
    if not edits:
        return ""
    result = changed(file, changes(edits, source))
    ast.parse(result)
    return result
