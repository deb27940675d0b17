"""A chain of references, drawn: who holds the object, link by link."""

from __future__ import annotations

import re

from envdoctor.reporters.html.markup import Node, clipped, tag

MAX_LINKS = 14
MAX_LINK = 60  # characters

#: An index of any kind, an attribute, or what stands before them.
_LINK = re.compile(r"""\[(?:'[^']*'|"[^"]*"|[^\[\]])*\]|\.[^.\[\]]+|[^.\[\]]+|.""", re.DOTALL)
_ROOT = re.compile(r"<[^<>]*>|\w+(\.\w+)*?(?=\.[A-Z_][A-Za-z_]*\b|\[|$)")


def links(text: str) -> list[str]:
    """`pkg.sim.REGISTRY[3].callbacks[0]` as pkg.sim, .REGISTRY, [3], .callbacks, [0]; a text
    that is not a chain as one link.
    """
    if " " in text and not text.startswith("<") and "[" not in text:
        return [text]
    root = _ROOT.match(text)
    start = root.end() if root and root.end() else 0
    result = ([text[:start]] if start else []) + _LINK.findall(text[start:])
    return result if result and "".join(result) == text else [text]


def chain(text: str, held: str = "") -> Node:
    """The links as a row of boxes, from what lives for ever to the object that is held."""
    result = links(clipped(text, 1_000))
    shown = result[: MAX_LINKS - 1] + result[-1:] if len(result) > MAX_LINKS else result
    boxes: list[Node] = [tag("li", tag("code", clipped(link, MAX_LINK))) for link in shown]
    if len(shown) > 1:
        boxes[0] = tag("li", tag("code", clipped(shown[0], MAX_LINK)), class_="root")
    if len(result) > len(shown):
        boxes.insert(-1, tag("li", f"{len(result) - len(shown)} more"))
    if held:
        boxes.append(tag("li", clipped(held, MAX_LINK * 2), class_="held"))
    return tag("ol", boxes, class_="chain", aria_label=f"held by: {text}")
