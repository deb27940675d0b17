"""Begin a Python anew under `envdoctor watch`, where ENVDOCTOR_WATCH names a folder for its report.

envdoctor_watch.pth imports this when a Python starts that has envdoctor installed, before any code
of its own. Nothing of it is imported where the variable is not set.
"""

from __future__ import annotations

import os
import sys

FOLDER, PATH = "ENVDOCTOR_WATCH", "PYTHONPATH"
BOOT, JOURNAL = "boot", "watch.jsonl"  # in the directory of a run that is watched
#: Programs that start one Python for each rank, or notebook: it is these that are watched, each for
#: itself.
LAUNCHERS = frozenset(
    (
        "torchrun",
        "torch.distributed.run",
        "torch.distributed.launch",
        "accelerate",
        "accelerate.commands.launch",
        "accelerate-launch",
        "deepspeed",
        "deepspeed.launcher.launch",
        "horovodrun",
        "jupyter",
        "jupyter-lab",
        "jupyter-notebook",
        "ray",
    )
)
#: Programs that train nothing.
OTHERS = frozenset(("envdoctor", "pip", "pip3", "venv", "ensurepip"))
WITH_VALUE = frozenset(("-W", "-X", "--check-hash-based-pycs"))  # options of Python


def begin() -> None:
    """Begin this Python anew under `envdoctor watch`. It keeps its process id, its streams and its
    other descriptors. Returns where it is not to be watched, or cannot be.
    """
    words = sys.orig_argv[1:]
    if (
        sys.platform != "linux"
        or sys.flags.ignore_environment  # the hook comes by PYTHONPATH
        or (name := program(words)) in LAUNCHERS
        or name.partition(".")[0] in OTHERS
        or any(map(_arms, os.environ.get(PATH, "").split(os.pathsep)))
    ):
        return
    doctor = [sys.executable, "-P", "-m", "envdoctor.watching", *words]
    try:
        os.execv(sys.executable, doctor)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"envdoctor: this Python is not watched: {error.strerror}\n")


def program(words: list[str]) -> str:
    """The name of the script or module that a Python with these words runs; "-c" for a command, ""
    where there is none.
    """
    waiting = iter(words)
    for word in waiting:
        if word == "-m":
            return next(waiting, "")
        if word == "-c" or not word.startswith("-"):
            return os.path.basename(word).removesuffix(".py")
        if word in WITH_VALUE:
            next(waiting, "")
    return ""


def _arms(entry: str) -> bool:
    """Return True for the folder by which a training that is watched already arms its Pythons."""
    folder, name = os.path.split(entry)
    return name == BOOT and os.path.exists(os.path.join(folder, JOURNAL))
