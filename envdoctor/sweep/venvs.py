"""Interpreters with other versions of some packages: virtual environments in a cache, made with uv
where it is installed, else with pip.

One holds only what differs. Behind that it sees what the user's interpreter has installed, so that
nothing else changes, and the user's own package is there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.supervise import guard
from envdoctor.sweep.plans import digest
from envdoctor.sweep.sides import package_of

_DRAWN = re.compile(r"^[^\w`'\"(]+")  # the lines with which uv draws what follows from what

SECONDS = 1800.0  # of one installation, which may compile
KEPT_DAYS = 30  # of one that was not used
PART_DAYS = 1  # of one that a killed run did not finish
READY = "envdoctor-ready"  # the file whose time is that of the last use
DAY = 86400.0

#: The folders from which the user's interpreter imports what is installed.
SITES = (
    "import json, os, site; found = site.getsitepackages()"
    " + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else []);"
    " print(json.dumps([each for each in found if os.path.isdir(each)]))"
)


@dataclass(frozen=True)
class Made:
    """An interpreter, or the reason why it could not be made."""

    python: str = ""
    reason: str = ""


def cache_folder() -> Path:
    """Return the folder of virtual environments."""
    base = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    named = os.getenv("XDG_CACHE_HOME") or os.path.expanduser(base)
    return Path(named, "envdoctor", "venvs")


@dataclass(frozen=True)
class Venvs:
    """The virtual environments for one interpreter, with the `versions` that it has."""

    cache: Path
    python: str
    versions: Mapping[str, str]

    def interpreter(self, requirements: Sequence[str]) -> Made:
        """One in which `requirements` are installed, from the cache or new."""
        name = digest([self.python, dict(self.versions), list(requirements)])[:24]
        folder = self.cache / name
        if not (folder / READY).exists():
            try:
                self.cache.mkdir(parents=True, exist_ok=True)
                self._remove_broken(folder)
                reason = self._make(folder, requirements)
            except OSError as error:
                reason = f"{error.filename or self.cache}: {error.strerror}"
            except ValueError as error:
                reason = str(error)
            if reason:
                return Made(reason=reason)
        with suppress(OSError):
            os.utime(folder / READY)
        return Made(str(folder / "bin" / "python"))

    def _make(self, folder: Path, requirements: Sequence[str]) -> str:
        """Make one beside, and put it in its place when it is whole; why that failed, if so."""
        part = self._part()
        try:
            reason = self._fill(part, requirements)
            if reason:
                return reason
            (part / READY).touch()
            try:
                part.rename(folder)
            except OSError:
                if not (folder / READY).exists():  # otherwise another run was faster
                    raise
        finally:
            if part.exists():
                guard.remove(str(part))
        return ""

    def _fill(self, folder: Path, requirements: Sequence[str]) -> str:
        uv = shutil.which("uv")
        sites = _run([self.python, "-c", SITES])
        if sites.returncode:
            return why(sites.stderr)
        made = _run(
            [uv, "venv", "--quiet", "--python", self.python, str(folder)]
            if uv
            else [self.python, "-m", "venv", "--without-pip", str(folder)]
        )
        if made.returncode:
            return why(made.stderr)
        _show_behind(folder, sites_in(sites.stdout))
        install = self._with_uv if uv else self._with_pip
        return install(folder, requirements)

    def _with_uv(self, folder: Path, requirements: Sequence[str]) -> str:
        """With uv, which does not see what is behind: it is held to the same versions, if that can
        be.
        """
        words = ["uv", "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
        own = {*map(package_of, requirements), "python", "envdoctor"}
        same = folder / "same.txt"
        lines = [
            f"{name}=={version}\n" for name, version in self.versions.items() if name not in own
        ]
        same.write_text("".join(lines), encoding="utf-8")
        done = _run([*words, "--constraint", str(same), *requirements])
        if done.returncode:
            done = _run([*words, *requirements])
        return why(done.stderr) if done.returncode else ""

    def _with_pip(self, folder: Path, requirements: Sequence[str]) -> str:
        """The pip that is seen behind, or else Python's own."""
        python = str(folder / "bin" / "python")
        if _run([python, "-m", "pip", "--version"]).returncode:
            done = _run([python, "-m", "ensurepip", "--default-pip"])
            if done.returncode:
                return f"pip is missing: {why(done.stderr)}"
        words = [python, "-m", "pip", "install", "--quiet", "--no-input"]
        done = _run([*words, "--no-warn-script-location", *requirements])
        return why(done.stderr) if done.returncode else ""

    def remove_old(self) -> None:
        """Remove what was not used for long."""
        for folder in self.cache.iterdir() if self.cache.is_dir() else ():
            part = folder.name.startswith(".part-") or not (folder / READY).exists()
            with suppress(OSError):
                used = (folder if part else folder / READY).stat().st_mtime
                if time.time() - used > (PART_DAYS if part else KEPT_DAYS) * DAY:
                    self._remove(folder)

    def _remove_broken(self, folder: Path) -> None:
        """Remove one that was removed in part: a whole one is in its place with its READY."""
        if folder.is_dir() and not (folder / READY).exists():
            self._remove(folder)

    def _remove(self, folder: Path) -> None:
        """Remove one; if that is interrupted, its name is free all the same."""
        part = self._part()
        folder.rename(part)
        guard.remove(str(part))

    def _part(self) -> Path:
        return self.cache / f".part-{secrets.token_hex(6)}"


def sites_in(said: str) -> list[str]:
    """The folders that SITES printed, after what a sitecustomize printed. Raises ValueError with a
    sentence.
    """
    try:
        result = json.loads(said.strip().rpartition("\n")[2])
    except ValueError:
        result = None
    if isinstance(result, list):
        return [str(each) for each in result]
    raise ValueError("the interpreter did not say where its packages are installed")


def _show_behind(folder: Path, sites: Sequence[str]) -> None:
    """Let it import what is installed in these folders, after its own. Raises ValueError with a
    sentence.
    """
    own = next(folder.glob("lib/*/site-packages"), None)  # python3.12, pypy3.11
    if own is None:
        raise ValueError("the new virtual environment does not have lib/*/site-packages")
    lines = [f"import site; site.addsitedir({site!r})\n" for site in sites]
    (own / "envdoctor-behind.pth").write_text("".join(lines), encoding="utf-8")


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    own = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        return subprocess.run(
            words,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **own},
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"it took longer than {SECONDS:.0f} s")


def why(said: str) -> str:
    """The reason that an installer gave: pip's last error, or the sentence of uv."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    named = [line for line in errors if not line.startswith("ResolutionImpossible")]
    if named:
        return named[-1]
    words = " ".join(_DRAWN.sub("", line) for line in lines)
    words = words[max(0, words.find("Because ")) :]
    return words.removeprefix("error: ") or "the installer gave no reason"
