"""The pages of the site and their order: README.md, and every file that it leads to. MkDocs calls
the functions that begin with `on_`.

Files keep their places in the repository, so a link that works there works here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
SITE = ROOT / ".site"
HOME = "README.md"
#: The list of all pages. Its headings are the sections of the navigation.
PAGES = "docs/README.md"
TRANSLATED, TRANSLATIONS = "docs/tutorials", "docs/zh"

_LINK = re.compile(r"\]\(([^)#\s]*[^)#\s/])[)#]")
#: Only a checkout has folders to look into.
_FOLDER = re.compile(r"\[([^]\n]+)\]\((?!\w+://)[^)#\s]+/\)")
_CODE = re.compile(r"(?ms)^ *```.*?^ *```$|`[^`\n]+`")
_FENCE = re.compile(r"(?m)^( *```\w+) .+$")
_HEADING = re.compile(r"(?m)^## +(.+)$")

Read = Callable[[str], str]
Entry = "str | dict[str, list[Entry]]"


def links(page: str, text: str) -> list[str]:
    """The files that a page links to, as paths from the root of the repository."""
    folder = PurePosixPath(page).parent.as_posix()
    targets = _LINK.findall(_CODE.sub("", text))
    return list(
        dict.fromkeys(
            os.path.normpath(f"{folder}/{target}") for target in targets if "://" not in target
        )
    )


def reachable(first: str, read: Read) -> list[str]:
    """The first page and every file that it leads to."""
    files = [first]
    for file in files:
        if file.endswith(".md"):
            files += [target for target in links(file, read(file)) if target not in files]
    return files


def sections(page: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """The headings of a page, with the pages that are linked below each."""
    parts = _HEADING.split(text)[1:]
    for heading, part in zip(parts[::2], parts[1::2], strict=True):
        pages = [target for target in links(page, part) if target.endswith(".md")]
        if pages:
            yield heading, pages


def navigation(pages: Iterable[str], read: Read) -> list[Entry]:
    """Sections as on the page that lists all pages; a page that is linked twice is in the first.
    Pages that only other pages link to are in the last section.
    """
    left = dict.fromkeys(pages)

    def take(page: str) -> Iterator[Any]:
        if page not in left:
            return
        del left[page]
        if not page.endswith("/README.md"):
            yield page
            return
        members = [entry for target in links(page, read(page)) for entry in _below(page, target)]
        yield {_title(read(page)): [page, *members]}

    def _below(page: str, target: str) -> Iterator[Any]:
        inside = target.startswith(f"{PurePosixPath(page).parent}/")
        yield from take(target) if inside and target.endswith(".md") else ()

    left.pop(HOME), left.pop(PAGES)
    entries: list[Entry] = [HOME]
    for heading, targets in sections(PAGES, read(PAGES)):
        members = [entry for target in targets for entry in take(target)]
        entries.append({heading: members})
    return [*entries, {"Project": [PAGES, *left]}]


def counterpart(page: str, language: str) -> str:
    """The page in the other language, or the first one of that language."""
    folder, name = (TRANSLATIONS, HOME) if language == "zh" else ("", HOME)
    path = PurePosixPath(page)
    if path.parent.as_posix() in (TRANSLATED, TRANSLATIONS) and path.name != HOME:
        folder, name = (TRANSLATIONS if language == "zh" else TRANSLATED), path.name
    return f"{folder}/{name}".lstrip("/")


def versions(names: Iterable[str]) -> list[dict[str, Any]]:
    """The versions that the site offers, the newest first."""

    def key(name: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", name)]

    return [
        {"version": name, "title": name, "aliases": []}
        for name in sorted(names, key=key, reverse=True)
    ]


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def _version() -> str:
    source = _read("envdoctor/__init__.py")
    return re.findall(r'(?m)^__version__ = "([^"]+)"', source)[0]


def on_config(config: Any) -> Any:
    """Build into a folder of this version."""
    config.site_dir = str(SITE / _version())
    pages = [file for file in reachable(HOME, _read) if file.endswith(".md")]
    config.nav = navigation(pages, _read)
    config.theme.static_templates.discard("404.html")  # a server looks for it at its root
    return config


def on_files(files: Any, config: Any) -> Any:
    """The files of the theme, and ours at their places in the repository."""
    from mkdocs.structure.files import File

    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
    for path in (*config.extra_css, *reachable(HOME, _read)):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page, without links to folders, and without what tests read of a fence."""
    return _FENCE.sub(r"\1", _FOLDER.sub(r"\1", markdown))


def on_page_context(context: Any, page: Any, config: Any, **_: Any) -> Any:
    """The words of the theme in the language of the page, and the way to the other language."""
    here = page.file.src_uri
    config.theme["language"] = "zh" if here.startswith(f"{TRANSLATIONS}/") else "en"
    addresses = {file.src_uri: file.url for file in context["pages"]}
    for language in config.extra["alternate"]:
        language["link"] = addresses[counterpart(here, language["lang"])]
    return context


def on_post_page(output: str, **_: Any) -> str:
    """The page without links for which its scripts want a sitemap in each language, and with a
    name for the dialog of the search.
    """
    output = re.sub(r'<link rel="alternate"[^>]*>', "", output)
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"')


def on_post_build(**_: Any) -> None:
    """Name the versions that are there, and lead to the newest."""
    there = versions(folder.name for folder in SITE.iterdir() if folder.is_dir())
    (SITE / "versions.json").write_text(json.dumps(there), encoding="utf-8")
    newest = there[0]["version"]
    (SITE / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>envdoctor</title>'
        f'<meta http-equiv="refresh" content="0; url={newest}/"><a href="{newest}/">{newest}</a>',
        encoding="utf-8",
    )
