"""Remedies for errors that say that something is not there: a package, a system library, a program,
a file, a variable of the environment, a name that another version of a package has.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator

from envdoctor.model.errors import ErrorValue
from envdoctor.model.facts.survey import INSTALLED

Remedy = tuple[str, tuple[str, ...]]

AS_SAID = "install what is missing, as the error says."
#: The first words of commands that install something.
PROGRAMS = (
    "pip",
    "pip3",
    "conda",
    "mamba",
    "uv",
    "apt",
    "apt-get",
    "brew",
    "AutoROM",
    "playwright",
)
MODULES = ("python", "python3")  # with -m
REQUIREMENT = r"[\"']?[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:[=<>~!]=?[\w.*]+)?[\"']?"
PIP = re.compile(rf"\bpip3? install ((?:-U |--upgrade )?{REQUIREMENT})")
QUOTED = re.compile(r"`([^`\n]+)`")
NOT_TO_PASTE = re.compile(r"[<{;|&$]|\.\.\.|path/to")  # placeholders, and what a shell acts on
LIBRARY = re.compile(r"([\w.+-]+\.so[\w.]*): cannot open shared object file")
FILE = re.compile(r"No such file or directory: ['\"](.+?)['\"]$")
EXPECTED = re.compile(
    r"(?:expected to find|(?:could|can) ?not find|missing)\b[^:]*:\s*(/[^\s'\"]+)"
)
MODULE = re.compile(r"No module named '([\w.]+)'")
ATTRIBUTE = re.compile(r"^module '([\w.]+)' has no attribute '(\w+)'")
IMPORTED = re.compile(r"^cannot import name '(\w+)' from '([\w.]+)' \(")
REMOVED = re.compile(r"^`np\.(\w+)` was removed in the NumPy ")
MOVED = re.compile(r"moved to the ([\w-]+) project")
DISPLAY = "DISPLAY"
VIRTUAL_DISPLAY = (
    "start it where there is a display, or below a virtual one, as by xvfb-run; or let it draw"
    ' without a window, as render_mode="rgb_array" does.'
)
VARIABLES = (
    re.compile(r"environment variable[s:]?\W+([A-Z][A-Z0-9_]{2,})\b"),
    re.compile(r"\b([A-Z][A-Z0-9_]{2,})\W+(?:is not set|not set|environment variable)"),
)


def remedy_of(error: ErrorValue | None, python: str) -> Remedy | None:
    """The remedy for an error after which an environment cannot be made; None where it does not say
    what is missing. `python` is the interpreter that owns the environment.
    """
    if error is None:
        return None
    for remedy in (
        _by_command,
        _by_requirement,
        _by_project,
        _by_variable,
        _by_library,
        _by_file,
        _by_version,
        _by_module,
    ):
        cure = remedy(error, python)
        if cure is not None:
            return cure
    return None


def cure_of_call(error: ErrorValue | None, python: str) -> str:
    """The remedy for an error of reset() or step(), where no other call can be its reason: minigrid
    3.2 asks for pictures that its wheel has not. Nothing for files elsewhere: a close() may have
    removed them.
    """
    if error is None:
        return ""
    if commands_of_call(error, python):
        return AS_SAID
    is_of_package = any(folder in missing_file(error) for folder in INSTALLED)
    for applies, remedy in (
        (is_of_package, _by_file),
        (True, _by_version),
        (error.name == "ModuleNotFoundError", _by_module),
    ):
        cure = remedy(error, python) if applies else None
        if cure is not None:
            return cure[0]
    return ""


def commands_of_call(error: ErrorValue | None, python: str) -> tuple[str, ...]:
    """The commands that an error of a call names: CartPole wants pygame at its first render()."""
    return () if error is None else commands_in(error.message, python)


def installing(requirement: str, python: str) -> str:
    """The command that installs a requirement in an interpreter."""
    return shlex.join([python or "python", "-m", "pip", "install", requirement])


def commands_in(message: str, python: str) -> tuple[str, ...]:
    """The commands that a message names, those of pip for an interpreter."""
    quoted = QUOTED.findall(message)
    texts = [each for each in quoted if not NOT_TO_PASTE.search(each)]
    commands = [command for each in texts for command in _command(each, python)]
    if not commands and (bare := PIP.search(message)) is not None:
        commands = list(_command(f"pip install {bare[1].rstrip('.')}", python))
    return tuple(dict.fromkeys(commands))


def _command(text: str, python: str) -> Iterator[str]:
    """The words of a command, quoted anew; nothing where it does not install anything."""
    try:
        words = shlex.split(text)
    except ValueError:
        return
    if words[:2] in (["pip", "install"], ["pip3", "install"]):
        yield shlex.join([python or "python", "-m", "pip", *words[1:]])
    elif words[:1] and words[0] in MODULES and words[1:2] == ["-m"]:
        yield shlex.join([python or "python", *words[1:]])
    elif len(words) > 1 and words[0] in PROGRAMS:
        yield shlex.join(words)


def _by_command(error: ErrorValue, python: str) -> Remedy | None:
    commands = commands_in(error.message, python)
    return (AS_SAID, commands) if commands else None


def _by_requirement(error: ErrorValue, python: str) -> Remedy | None:
    requirements = error.missing.requirements
    if not requirements:
        return None
    commands = tuple(installing(each, python) for each in requirements)
    return f"install {error.missing.module}, which the package that imports it asks for.", commands


def _by_project(error: ErrorValue, python: str) -> Remedy | None:
    """Gymnasium 1.0 says that Hopper-v3 has "been moved to the gymnasium-robotics project"."""
    match = MOVED.search(error.message)
    if match is None:
        return None
    module = match[1].replace("-", "_")
    text = f"install {match[1]}, and put its module in front of the id: {module}:Id-v0."
    return text, (installing(match[1], python),)


def _by_variable(error: ErrorValue, _python: str) -> Remedy | None:
    matches = (pattern.search(error.message) for pattern in VARIABLES)
    name = error.missing.variable or next((each[1] for each in matches if each), "")
    if not name:
        return None
    if name == DISPLAY:
        return VIRTUAL_DISPLAY, ("xvfb-run -a envdoctor ...",)
    return f"set the environment variable {name} before envdoctor is started.", (
        f"export {name}=...",
    )


def _by_library(error: ErrorValue, _python: str) -> Remedy | None:
    library = missing_library(error.message)
    if not library:
        return None
    text = f"install the package of your system that brings {library}; this names it."
    return text, (shlex.join(["apt-file", "search", library]),)


def missing_library(message: str) -> str:
    """The library of the system that a message misses, or nothing."""
    match = LIBRARY.search(message)
    return match[1] if match else ""


def missing_module(message: str) -> str:
    """The module that a message misses, or nothing."""
    match = MODULE.search(message)
    return match[1] if match else ""


def missing_file(error: ErrorValue) -> str:
    """The path of the file that is missing, as the error says it; nothing of other errors."""
    pattern = FILE if error.name == "FileNotFoundError" else EXPECTED
    match = pattern.search(error.message)
    return match[1] if match else ""


def _by_file(error: ErrorValue, _python: str) -> Remedy | None:
    path = missing_file(error)
    if not path:
        return None
    if error.frames and error.frames[-1].file.endswith("subprocess.py"):
        return f"install the program {path}, or put its folder on PATH.", ()
    if path.startswith("/"):
        return f"put {path} there: it does not come with what is installed.", ()
    text = (
        f"put {path} into the directory that envdoctor is started in, or build its path from"
        " Path(__file__).parent: a relative path begins where the process was started."
    )
    return text, ()


def _by_version(error: ErrorValue, _python: str) -> Remedy | None:
    """gym_multigrid 1.0 asks for `np.float_` at its import, which NumPy 2 has not."""
    attribute, imported = ATTRIBUTE.search(error.message), IMPORTED.search(error.message)
    removed = REMOVED.search(error.message)
    if attribute is not None:
        module, name = attribute.groups()
    elif imported is not None:
        name, module = imported.groups()
    elif removed is not None:
        module, name = "numpy", removed[1]
    else:
        return None
    package = module.partition(".")[0]
    other = (
        "choose a Python that has it with --python"
        if package in sys.stdlib_module_names
        else f"install a version that has it, where {package} is a library"
    )
    return (
        f"use what {module} has in place of {name}, or {other}. Declare the versions that the"
        " environment's package works with."
    ), ()


def _by_module(error: ErrorValue, python: str) -> Remedy | None:
    module = missing_module(error.message) or error.missing.module
    if not module:
        return None
    return (
        f"install what provides {module} for {python or 'the interpreter that is examined'}, and"
        " declare it as a dependency of the environment's package."
    ), ()
