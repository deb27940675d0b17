"""Files that are whole or not there: a run is slow, and what reads its reports must never find
half of one. And files that users name, which may be devices without an end.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

#: Where nothing can be put beside the file, or be put in its place: it has been mounted there
#: alone, or its folder is closed.
_ONLY_IN_PLACE = {errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS, errno.EXDEV}


LARGEST = 64 << 20  # bytes of a file that is read whole


def read_text(path: Path) -> str:
    """The text of a file, a device or a pipe. Raises OSError, also for more than `LARGEST`, and
    UnicodeError.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, "it is too large", str(path))
    return data.decode("utf-8")


def write_whole(path: Path, text: str) -> None:
    """Write the text aside and put it in the place of what was there; a device or a pipe is
    written to. Raises OSError.
    """
    data, path = text.encode("utf-8", "backslashreplace"), path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    try:
        _replace(path, data)
    except OSError as error:
        if error.errno not in _ONLY_IN_PLACE:
            raise
        path.write_bytes(data)


def _replace(path: Path, data: bytes) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(draft, _mode(path))
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _mode(path: Path) -> int:
    """That of the file which is there; else what any new file gets."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
