"""The file that travels: `model` and `probe` as one zip that any Python from 3.8 on can run."""

from __future__ import annotations

import importlib.util
import marshal
import zipfile
from pathlib import Path

import envdoctor

PARTS = ("model", "probe")
NAME = "bundle.pyz"
#: In the syntax of any Python, so that one which is too old says so in a sentence.
START = """\
import sys

if sys.version_info < (3, 8):
    sys.exit("environments of Python 3.8 and newer can be examined; this is Python %d.%d" % sys.version_info[:2])

from envdoctor.probe.main import main

main()
"""
UNCHECKED_HASH = (0b01).to_bytes(4, "little")  # flags of a .pyc that is valid whatever the source beside it says
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources give the same bytes


def write_bundle(directory: Path) -> Path:
    """Write the bundle into `directory` and return its path: run it as `python bundle.pyz REQUEST_FD`.

    Every source has its bytecode beside it. The doctor's own version of Python takes that; every other version
    finds a foreign magic number, and compiles the source.
    """
    path = directory / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
        for name, source in sources().items():
            bundle.writestr(zipfile.ZipInfo(name, EPOCH), source)
            bundle.writestr(zipfile.ZipInfo(name + "c", EPOCH), bytecode(source, f"{path}/{name}"))
    return path


def sources() -> dict[str, bytes]:
    """What goes into the bundle: {name in the zip: source}."""
    package = Path(envdoctor.__file__).parent
    files = [package / "__init__.py", *(file for part in PARTS for file in sorted((package / part).rglob("*.py")))]
    found = {file.relative_to(package.parent).as_posix(): file.read_bytes() for file in files}
    return {"__main__.py": START.encode(), **found}


def bytecode(source: bytes, filename: str) -> bytes:
    """A .pyc of this Python, under the file name that the importer would give it in the zip."""
    code = compile(source, filename, "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source) + marshal.dumps(code)
