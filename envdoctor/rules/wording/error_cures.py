"""Cures of exceptions that end a training, by what their types and messages say."""

from __future__ import annotations

import re

from envdoctor.frameworks import PACKAGES, title_of
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.stacks import is_installed
from envdoctor.rules.evidence.training_deaths import GONE
from envdoctor.rules.remedies.what_is_missing import commands_in, missing_library, missing_module

MEND = "mend what raises there."
IMPORTS = ("ImportError", "ModuleNotFoundError", "DependencyNotInstalled")
RAISING = tuple(each for each in PACKAGES if each != "multiprocessing")
ADVICE = re.compile(r"\b(you|please|try)\b", re.IGNORECASE)  # what a message asks for
AS_IT_SAYS = "do what its message asks for, or mend what raises there."
PRIVATE = "_"  # numpy's class is _ArrayMemoryError
TAKE_LESS = (
    "take less there: fewer elements, or a smaller dtype, as uint8 for images. A replay buffer"
    " takes its capacity times what one step stores."
)
TAKE_LESS_OF_DEVICE = (
    "learn from smaller batches, let go of the graphs of earlier steps (`.detach()`, `.item()`),"
    " and keep what is stored on the CPU."
)
OTHER_PORT = (
    "bind port 0, which takes a free one, and ask getsockname() for its number; or give each"
    " instance a port of its own."
)
MAKE_ROOM = (
    "see with `df -h` which file system is full. /dev/shm of a container has 64 MiB unless it is"
    " started with more, as by `docker run --shm-size=2g`."
)
COMMIT = (
    "commit() or close() each connection as soon as it has written: while one has a transaction"
    " open, no other can write to the file."
)
CLOSE_WHAT_OPENS = (
    "close what each step, episode or instance opens: `envdoctor leak` on the environment names the"
    " line that opens it."
)
START_SERVER = (
    "start what listens there before, and try again until a limit in seconds: a server takes a"
    " while until it listens."
)
DETACH = (
    "compute the loss of each update from what is stored, and `.detach()` what is kept from step to"
    " step, as hidden states, values and log-probabilities: `retain_graph=True` would keep the"
    " graphs of all steps."
)
BACKWARD_FIRST = (
    "call backward() of all losses before the first step() of an optimizer, or compute the loss"
    " anew after it: step() changes in place what their graphs share."
)
FIRST_NAN = (
    "find where the first NaN comes from: one that the environment returns is reported, too. Where"
    " there is none, clip the gradients or lower the learning rate."
)
SAME_DEVICE = "move what is given there to the device of the model: `.to(device)`."
#: The end of the name of a type, what its message says, and the cure.
CURES: tuple[tuple[str, str, str], ...] = (
    ("ResetNeeded", "", "call reset() of the environment before its first step()."),
    ("MemoryError", "Unable to allocate", TAKE_LESS),
    ("OutOfMemoryError", "Tried to allocate", TAKE_LESS_OF_DEVICE),
    ("OSError", "Address already in use", OTHER_PORT),
    ("OSError", "No space left on device", MAKE_ROOM),
    ("OSError", "Too many open files", CLOSE_WHAT_OPENS),
    ("ConnectionRefusedError", "", START_SERVER),
    ("OperationalError", "database is locked", COMMIT),
    ("RuntimeError", "backward through the graph a second time", DETACH),
    ("RuntimeError", "has been modified by an inplace operation", BACKWARD_FIRST),
    ("RuntimeError", "tensors to be on the same device", SAME_DEVICE),
    ("ValueError", "Real(), ", FIRST_NAN),
)


def known_cure(type_name: str, message: str) -> str:
    """The cure that the type and the message of an exception leave, or nothing."""
    kind = type_name.rpartition(".")[2].lstrip(PRIVATE)
    fitting = (cure for name, words, cure in CURES if kind.endswith(name) and words in message)
    return next(fitting, "")


def plain_cure(error: Raised) -> str:
    """The cure of an exception whose cause is not known: what its type and message leave, or who
    has to look at what.
    """
    known = known_cure(error.type, error.message)
    if known:
        return known
    kind = error.type.rpartition(".")[2].lstrip(PRIVATE)
    asked = AS_IT_SAYS if ADVICE.search(error.message) else MEND
    return _of_missing(error, kind) or _of_library(error) or asked


def _of_missing(error: Raised, kind: str) -> str:
    """The cure where a package, or a library of the system, is not there."""
    commands = commands_in(error.message, "") if kind in IMPORTS else ()
    if commands:
        names = ", ".join(f"`{each}`" for each in commands)
        return f"install what is missing, as the error says: {names}."
    library = missing_library(error.message) if kind in (*IMPORTS, "OSError") else ""
    if library:
        return f"install the package of your system that brings {library}."
    module = missing_module(error.message) if kind == "ModuleNotFoundError" else ""
    return f"install what provides {module}, in the Python of the training." if module else ""


def _of_library(error: Raised) -> str:
    """The call of the user's in which a framework raised it."""
    package, place = error.within.partition(".")[0], error.location
    if package not in RAISING or place is None or error.type in GONE or is_installed(place.file):
        return ""
    return (
        f"mend the call at {short(place.file)}:{place.line}: {title_of(package)} raised it, and its"
        " message says why."
    )
