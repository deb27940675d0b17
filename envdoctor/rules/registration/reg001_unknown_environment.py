"""The SPEC names no environment.

What it does
    Looks the SPEC up in the interpreter that owns the environment: as a registered id, as a name in
    a module, as a file. When nothing is found it names what comes nearest, and the installed
    packages that would register the id.

Why it matters
    An id exists only in processes that imported the package which registers it. "Environment
    doesn't exist" mostly means a missing import, not a missing installation.

How to fix it
    Name the package in the id, which every process understands, or import it first:

        env = gymnasium.make("highway_env:highway-v0")

        import highway_env
        env = gymnasium.make("highway-v0")
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator

from envdoctor.frameworks import REGISTRIES
from envdoctor.frameworks.published_ids import publisher
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.remedies.what_is_missing import installing
from envdoctor.rules.wording.leftovers import MAX_LISTED, listing

MIN_RESEMBLANCE = 0.6  # of 1; below it a name is noise, not a hint

# The other reasons are not findings: the command itself ends with a sentence (no such file, a file
# without an environment or with several), or another rule has them (the import raises, exits or
# hangs).
REASONS = {
    "unknown": "no environment is registered under this id",
    "no-module": "no module named {module}",
    "no-attribute": "{module} has no {name}",
    "not-callable": "{name} in {module} is neither a class nor a function",
}


WITHOUT_LIBRARY = (
    f"neither {' nor '.join(REGISTRIES)} is installed in {{python}}, so no id is known there"
)


@rule(
    "REG001",
    "unknown-environment",
    where=DIRECT_ONLY,
    needs=("survey",),
    verb="survey",
    blames_itself=True,
    looks_at={"survey": "survey"},
    in_leak_check=True,
)
def unknown_environment(view: View) -> Iterator[Finding]:
    reason = REASONS.get(view.survey.why)
    if view.survey.is_found or reason is None:
        return
    if _without_library(view):
        reason = WITHOUT_LIBRARY
    nearest = nearest_names(view)
    remedy, commands = cure(view, nearest)
    yield unknown_environment.finding(
        reason.format(
            module=view.survey.module or "of this name",
            name=name_in(view.subject),
            python=view.survey.executable or "the interpreter that is examined",
        )
        + hint(nearest),
        remedy,
        commands=commands,
        evidence={
            key: view.survey.wire.get(key)
            for key in (
                "why",
                "message",
                "nearest",
                "would_register",
                "may_register",
                "installable",
                "candidates",
                "executable",
                "inside",
            )
        },
    )


def _without_library(view: View) -> bool:
    """Return True if an id was asked for where no library knows any."""
    installed = view.survey.frameworks
    return (
        view.survey.why == "unknown"
        and "python" in installed
        and not {"gymnasium", "gym"} & set(installed)
    )


def nearest_names(view: View) -> list[str]:
    """Return the names that may have been meant: registered ids as the target found them, or names
    of the module.
    """
    name, names = name_in(view.subject), view.survey.candidates
    return list(
        view.survey.nearest or difflib.get_close_matches(name, names, MAX_LISTED, MIN_RESEMBLANCE)
    )


def name_in(spec: str) -> str:
    """`Id-v0` of `package:Id-v0`."""
    return spec.rsplit(":", 1)[-1]


def hint(nearest: list[str]) -> str:
    """The names that come near, as a clause."""
    return f"; nearest: {listing(nearest)}" if nearest else ""


def cure(view: View, nearest: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the remedy, and its commands."""
    if _without_library(view):
        return (
            (
                "install gymnasium there, or name the interpreter that your scripts run in with"
                " --python."
            ),
            (f"envdoctor check {without_python(view.command)} --python /path/to/python",),
        )
    inside = view.survey.inside
    if inside.file:
        where = f"{inside.function}()" if inside.function else 'if __name__ == "__main__":'
        return (
            (
                f"{short(inside.file)} imports it inside {where}, line {inside.line}, which"
                " no worker that is started anew runs: move the import to the top of the script."
            ),
            (inside.text,),
        )
    name = name_in(view.subject)
    certain = list(view.survey.would_register)
    packages = certain or list(view.survey.may_register)
    if packages:
        return _import_first(view, packages, name, bool(certain))
    if view.survey.installable:
        python = view.survey.executable
        return (
            "install the package that registers ids of this namespace, then import it first.",
            tuple(installing(each, python) for each in view.survey.installable),
        )
    published = publisher(name) if view.survey.why == "unknown" else None
    if published is not None and published not in map(publisher, nearest):
        distribution, module = published
        return f"install {distribution}, which registers such ids, and name its module.", (
            installing(distribution, view.survey.executable),
            f"envdoctor check {module}:{name}{options(view)}",
        )
    if nearest:
        return "correct the name, or import the package that registers it.", (
            f"envdoctor check {corrected(view.subject, nearest[0])}{options(view)}",
        )
    if view.survey.why == "no-module":
        python = view.survey.executable or "the interpreter that is examined"
        return (
            (
                f"install the package for {python}, correct its name, or name the interpreter that"
                " has it with --python."
            ),
            (),
        )
    return "correct the name, or import the package that registers it with --import.", ()


def _import_first(
    view: View, packages: list[str], name: str, is_certain: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the remedy for an id that packages would register, and its commands."""
    namespace = name.split("/", maxsplit=1)[0]
    would = "would register it" if is_certain else f"registers ids that begin with {namespace}/"
    commands = (
        line
        for package in packages
        for line in (
            f"envdoctor check {package}:{name}{options(view)}",
            f"envdoctor check --import {package} {name}{options(view)}",
        )
    )
    return (
        f"{listing(packages)} {would}: put the package in front of the id, or import it first.",
        tuple(commands),
    )


def without_python(command: str) -> str:
    """The command line without its interpreter, which is its last option."""
    words = shlex.split(command)
    return shlex.join(words[:-2] if words[-2:-1] == ["--python"] else words)


def options(view: View) -> str:
    """Return the user's options beside the SPEC: ` -k size=3`."""
    return view.command.removeprefix(shlex.quote(view.subject))


def corrected(spec: str, name: str) -> str:
    """The SPEC with another name in it. `name` may bring its own package."""
    package = spec.rpartition(":")[0]
    return f"{package}:{name}" if package and ":" not in name else name


def _lost(spec: str, **survey: object) -> View:
    survey = {
        "found": False,
        "module": "",
        "nearest": [],
        "would_register": [],
        "candidates": [],
        **survey,
    }
    view = direct_view(
        trace(verb("survey"), fact("survey", survey), name="survey", script="survey"), **survey
    )
    return View(spec, view.manager, None, view.traces, view.survey)


EXAMPLES = (
    Example(
        "the package was not imported",
        _lost("highway-v0", why="unknown", would_register=["highway_env"]),
        "no environment is registered under this id",
    ),
    Example(
        "an id of a package that is known, and not installed",
        _lost("MiniGrid-Empty-5x5-v0", why="unknown"),
        "no environment is registered under this id",
    ),
    Example(
        "an id of a package that is there, misspelled",
        _lost("MiniGrid-Empty-5x6-v0", why="unknown", nearest=["MiniGrid-Empty-5x5-v0"]),
        "no environment is registered under this id; nearest: MiniGrid-Empty-5x5-v0",
    ),
    Example(
        "the extra of its library was not installed",
        _lost("ALE/Pong-v5", why="unknown", installable=["gymnasium[atari]"]),
        "no environment is registered under this id",
    ),
    Example(
        "the interpreter has no Gymnasium",
        _lost(
            "Walker-v0", why="unknown", frameworks={"python": "3.11.7"}, executable="/usr/bin/py"
        ),
        "neither gymnasium nor gym is installed in /usr/bin/py, so no id is known there",
    ),
    Example(
        "a typing error in the id",
        _lost(
            "walkers:Walkr-v0", why="unknown", module="walkers", nearest=["Walker-v0", "Walker-v1"]
        ),
        "no environment is registered under this id; nearest: Walker-v0, Walker-v1",
    ),
    Example(
        "no such class",
        _lost(
            "walkers:Walkr", why="no-attribute", module="walkers", candidates=["Walker", "register"]
        ),
        "walkers has no Walkr; nearest: Walker",
    ),
    Example(
        "no such module",
        _lost("wlkers:Walker", why="no-module", module="wlkers"),
        "no module named wlkers",
    ),
    Example(
        "a file with several is a question, not a finding",
        _lost("walkers.py", why="several", candidates=["A", "B"]),
    ),
    Example(
        "the import raises: another rule's",
        _lost("walkers:Walker", why="import-raised", module="walkers"),
    ),
    Example("it was found", direct_view(trace(verb("survey"), name="survey"), found=True)),
)
