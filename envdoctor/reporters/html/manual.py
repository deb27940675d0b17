"""The manual page of a rule, folded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from envdoctor.reporters.html.markup import Node, tag
from envdoctor.rules.engine.registry import Entry, catalogue


def entries() -> dict[str, Entry]:
    """Every rule that this version knows, by code; none is imported for that."""
    return {entry.code: entry for entry in catalogue()}


def manual(code: str) -> Node:
    """The rule's manual page: purpose, importance and fix; nothing for a code that this version
    does not know.
    """
    entry = entries().get(code)
    if entry is None:
        return None
    summary, _, body = entry.load().manual.strip().partition("\n")
    opener = tag("summary", f"Manual page of {code}: why it matters, how to fix it")
    return tag(
        "details",
        opener,
        tag("p", summary),
        list(_parts(body.strip("\n"))),
        class_="manual",
        id=f"manual-{code}",
    )


def _parts(body: str) -> Iterator[Node]:
    """Headings stand at the margin, prose is indented, code further."""
    for heading, block in re.findall(r"^(\S.*)\n((?:[ \t].*\n?|\n)*)", body + "\n", re.MULTILINE):
        yield tag("p", tag("strong", heading))
        yield from _blocks(block.splitlines())


def _blocks(lines: list[str]) -> Iterator[Node]:
    kinds = groupby(
        lines,
        key=lambda line: (
            "gap" if not line.strip() else "code" if line.startswith(" " * 8) else "prose"
        ),
    )
    code: list[str] = []
    for kind, group in kinds:
        block = list(group)
        if kind == "prose":
            yield from _code(code)
            code = []
            yield tag("p", " ".join(line.strip() for line in block))
        elif kind == "code" or code:
            code += [line[8:] for line in block]
    yield from _code(code)


def _code(lines: list[str]) -> Iterator[Node]:
    if lines:
        yield tag("pre", tag("code", "\n".join(lines).rstrip()), class_="paste", tabindex="0")
