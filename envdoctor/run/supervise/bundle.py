"""The file that travels: `model`, `probe` and what finds plug-ins as one zip that any Python
from 3.8 on can run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import shutil
import sys
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import envdoctor

PARTS = ("model", "probe")
ALSO = ("__init__.py", "plugins.py")
NAME = "bundle.pyz"
#: In the syntax of any Python, so that one which is too old says so in a sentence.
START = """\
import sys

if sys.version_info < (3, 8):
    sys.exit(
        "environments of Python 3.8 and newer can be examined; this is Python %d.%d"
        % sys.version_info[:2]
    )

from envdoctor.probe.main import main

main()
"""
# Flags of a .pyc that is valid without a look at the source beside it.
UNCHECKED_HASH = (0b01).to_bytes(4, "little")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources give the same bytes


def write_bundle(directory: Path) -> Path:
    """Write the bundle into `directory` and return its path: run it as `python bundle.pyz
    REQUEST_FD`.

    Every source has its bytecode beside it. The doctor's own version of Python takes that; every
    other version finds a foreign magic number, and compiles the source. It is cached where
    bytecode is, until a source changes: to make it takes a fifth of what a short examination does.
    """
    path, begun = directory / NAME, directory / f"{NAME}.part"
    files = sources()
    cached, digest = _cached_file(), _digest(files)
    if cached is None or not _is_copied(cached, begun, digest):
        _write(begun, files, digest)
        if cached is not None:
            _cache(begun, cached)
    begun.replace(path)  # whole, or not there: a probe may be waiting for it
    return path


def _cached_file() -> Path | None:
    """The cached bundle of this version of Python; None where no bytecode is written."""
    if sys.dont_write_bytecode:
        return None
    place = Path(envdoctor.__file__).with_name("bundle.py")
    return Path(importlib.util.cache_from_source(str(place))).with_suffix(".pyz")


def _digest(files: Mapping[str, Path]) -> bytes:
    """A digest of times and sizes: it changes with any of the files, as their bytecode does."""
    states = [(name, os.stat(file)) for name, file in files.items()]
    read = [(name, state.st_mtime_ns, state.st_size) for name, state in states]
    return hashlib.sha256(repr((START, importlib.util.MAGIC_NUMBER, read)).encode()).digest()


def _is_copied(cached: Path, begun: Path, digest: bytes) -> bool:
    """Return whether the cached bundle is of these files, and was copied. It is opened once:
    another run may replace it.
    """
    try:
        content = cached.read_bytes()
    except OSError:
        return False
    if content.endswith(digest):
        begun.write_bytes(content)
        return True
    return False


def _cache(begun: Path, cached: Path) -> None:
    """Copy a bundle for the next run; where that is not allowed, each run makes its own."""
    part = cached.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        try:
            shutil.copyfile(begun, part)
            part.replace(cached)
        except OSError:
            part.unlink(missing_ok=True)


def _write(begun: Path, files: Mapping[str, Path], digest: bytes) -> None:
    with zipfile.ZipFile(begun, "w", zipfile.ZIP_STORED) as bundle:
        bundle.comment = digest
        start = compile(START, f"{NAME}/__main__.py", "exec", dont_inherit=True)
        _add(bundle, "__main__.py", START.encode(), start)
        for name, file in files.items():
            _add(bundle, name, file.read_bytes(), renamed(compiled(file), f"{NAME}/{name}"))


def sources() -> dict[str, Path]:
    """Return the files of the bundle besides its start: {name in the zip: file}."""
    package = Path(envdoctor.__file__).parent
    files = [
        *(package / name for name in ALSO),
        *(file for part in PARTS for file in sorted((package / part).rglob("*.py"))),
    ]
    return {file.relative_to(package.parent).as_posix(): file for file in files}


def compiled(file: Path) -> CodeType:
    """The code of a file as `import` would get it: out of `__pycache__`, because compiling
    takes longer than all the rest.
    """
    code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    assert code is not None  # only a loader without a source has none
    return code


def renamed(code: CodeType, filename: str) -> CodeType:
    """Return the code under another file name, which tracebacks show."""
    constants = (
        renamed(each, filename) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_filename=filename, co_consts=tuple(constants))


def bytecode(source: bytes, code: CodeType) -> bytes:
    """Return the content of a .pyc for this version of Python; it is valid beside any source."""
    header = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source)
    return header + marshal.dumps(code)


def _add(bundle: zipfile.ZipFile, name: str, source: bytes, code: CodeType) -> None:
    bundle.writestr(zipfile.ZipInfo(name, EPOCH), source)
    bundle.writestr(zipfile.ZipInfo(name + "c", EPOCH), bytecode(source, code))
