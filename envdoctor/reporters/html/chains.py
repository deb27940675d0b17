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
    found = ([text[:start]] if start else []) + _LINK.findall(text[start:])
    return found if found and "".join(found) == text else [text]


def chain(text: str, held: str = "") -> Node:
    """The links as a row of boxes, from what lives for ever to the object that is held."""
    found = links(clipped(text, 1_000))
    shown = found[: MAX_LINKS - 1] + found[-1:] if len(found) > MAX_LINKS else found
    boxes: list[Node] = [tag("li", tag("code", clipped(link, MAX_LINK))) for link in shown]
    if len(shown) > 1:
        boxes[0] = tag("li", tag("code", clipped(shown[0], MAX_LINK)), class_="root")
    if len(found) > len(shown):
        boxes.insert(-1, tag("li", f"{len(found) - len(shown)} more"))
    if held:
        boxes.append(tag("li", clipped(held, MAX_LINK * 2), class_="held"))
    return tag("ol", boxes, class_="chain", aria_label=f"held by: {text}")
