"""Elements of a page as values, and the one place where they become text: nothing else writes a
`<`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from envdoctor.reporters._showing import escaped, shorten

MAX_TEXT = 4_000  # characters of one text; a browser cannot open a page of megabytes
MAX_ATTRIBUTE = 300
MAX_DEPTH = 200  # of nested elements and lists of them; ours have fifty

VOID = {"meta", "link", "br", "col", "wbr"}


@dataclass(frozen=True, slots=True)
class Element:
    """One element. Children that are not elements are text; nested sequences are flattened; None
    is nothing.
    """

    name: str
    attributes: Mapping[str, object]
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text of this package that is written as it is: the style sheet. Nothing that came from a
    run is ever put in one.
    """

    text: str


Node: TypeAlias = "Element | Verbatim | str | int | float | Iterable[Node] | None"


def tag(name: str, /, *children: Node, **attributes: object) -> Element:
    """An element. `class_` is the attribute class, `aria_label` is aria-label; None and False
    leave an attribute out.
    """
    values = {
        key.rstrip("_").replace("_", "-"): value
        for key, value in attributes.items()
        if value is not None and value is not False
    }
    return Element(name, values, children)


def written(node: Node, directory: str = "") -> str:
    """The node as ASCII: for any encoding of stdout and any reader, the page is the same.
    Paths below `directory` are relative to it.
    """
    parts: list[str] = []
    _write(node, parts, directory, MAX_DEPTH)
    return "".join(parts)


def _write(node: Node, parts: list[str], directory: str, depth: int) -> None:
    if node is None or depth < 0:
        return
    if isinstance(node, str):
        parts.append(safe(node, directory))
    elif isinstance(node, Element):
        _write_element(node, parts, directory, depth)
    elif isinstance(node, (int, float)):
        parts.append(str(node))
    elif isinstance(node, Verbatim):
        parts.append(node.text)
    else:
        for child in node:
            _write(child, parts, directory, depth - 1)


def _write_element(element: Element, parts: list[str], directory: str, depth: int) -> None:
    attributes = "".join(
        f" {key}" if value is True else f' {key}="{safe(str(value), directory, MAX_ATTRIBUTE)}"'
        for key, value in element.attributes.items()
    )
    parts.append(f"<{element.name}{attributes}>")
    _write(element.children, parts, directory, depth - 1)
    if element.name not in VOID:
        parts.append(f"</{element.name}>")


def safe(text: str, directory: str = "", most: int = MAX_TEXT) -> str:
    r"""Text that shows what it is and does nothing: bounded, controls and what turns the
    direction of text as escapes (`\x1b`).
    """
    text = shorten(clipped(text, most), directory)
    if not text.isprintable():
        text = "".join(
            character if character.isprintable() or character in "\n\t" else escaped(character)
            for character in text
        )
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode()


def clipped(text: str, most: int) -> str:
    """The beginning of a long text, and how much is not shown."""
    return (
        text
        if len(text) <= most
        else f"{text[:most].rstrip()} ... ({len(text) - most:,} more characters)"
    )


def percent(value: float) -> str:
    """A share from 0 to 1 as a length of SVG."""
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
