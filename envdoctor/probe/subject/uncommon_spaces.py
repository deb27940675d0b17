"""Spaces that few managers can hold."""

from __future__ import annotations

from typing import Any, Iterator, List

from envdoctor.probe.frameworks.names import REGISTRIES

COMMON = ("Box", "Discrete", "MultiDiscrete", "MultiBinary", "Dict")
DEEPEST = 8
MOST = 5  # that are reported


def rare_spaces(*spaces: object) -> List[str]:
    """Describe what is rare in spaces and their parts, each once: `Text ('mission')`,
    `a Dict within a Dict`, `a Discrete that starts at 1`.
    """
    words = dict.fromkeys(
        word for space in spaces if space is not None for word in _rare(space, "")
    )
    return list(words)[:MOST]


def _rare(space: Any, within: str, depth: int = 0) -> Iterator[str]:
    kind = type(space).__name__
    own = type(space).__module__.split(".")[0] not in REGISTRIES
    if own or kind not in COMMON:
        yield kind
    elif kind == "Dict" and within == "Dict":
        yield "a Dict within a Dict"
    elif kind == "Discrete" and getattr(space, "start", 0) != 0:
        yield "a Discrete that starts at %d" % space.start
    parts = getattr(space, "spaces", ()) if not own and depth < DEEPEST else ()
    if hasattr(parts, "items"):
        for key, part in parts.items():
            for word in _rare(part, kind, depth + 1):
                yield "%s (%r)" % (word, key) if word.isidentifier() else word
        return
    for part in parts:
        yield from _rare(part, kind, depth + 1)
