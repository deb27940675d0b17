"""The results of a study in one file, from which `envdoctor compare` starts."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from envdoctor.saved.lines_v1 import decode, encode
from tests.study import LEDGER, MADE, ROOT, SWEPT, Package

PARTS = ("results", "plans", "versions")  # pages and recordings are made again from a sweep


def keep(chosen: Iterable[Package]) -> None:
    """Write the ledger anew."""
    with tarfile.open(LEDGER, "w:xz") as archive:
        for package in chosen:
            for part in PARTS:
                for path in sorted((SWEPT / package.name / part).glob("*.json")):
                    text = path.read_text()
                    data = (_result(text) if part == "results" else neutral(text)).encode()
                    member = tarfile.TarInfo(f"{package.name}/{part}/{path.name}")
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))


def _result(text: str) -> str:
    """A result without these paths, with the checksum of what it says now."""
    return encode(json.loads(neutral(json.dumps(decode(text.strip()))))) + "\n"


def neutral(text: str) -> str:
    """The text without the paths of the machine that wrote it."""
    for folder, name in ((MADE.resolve(), "/study"), (MADE, "/study"), (ROOT, "/repository")):
        text = text.replace(str(folder), name)
    return text.replace(str(Path.home()), "~")


def unpack(folder: Path) -> None:
    """The folders of the sweeps, as `envdoctor compare` reads them."""
    with tarfile.open(LEDGER) as archive:
        archive.extractall(folder, filter="data")
    for package in folder.iterdir():
        for part in ("runs", "pages", "claims", "work"):
            (package / part).mkdir(exist_ok=True)


def results() -> Iterator[tuple[str, dict[str, Any]]]:
    """(package, result) of all that is kept."""
    with tarfile.open(LEDGER) as archive:
        for member in archive:
            package, part, _ = member.name.split("/")
            file = archive.extractfile(member)
            if part == "results" and file is not None:
                yield package, json.load(file)
