"""The training script begins its work when a worker imports it.

What it does
    With --script, runs the top level of the script as multiprocessing does in a worker that is not
    forked: under another name than `__main__`, and where no process may be started. It is reported
    when the script has no `if __name__ == "__main__":` and starts processes there, ends the
    process, does not come to an end, calls its `main()`, or builds an environment or a model.

Why it matters
    Workers started by spawn and forkserver import the script to find what it defines. Without a
    guard each worker trains, too, or ends with "An attempt has been made to start a new process
    before the current process has finished its bootstrapping phase", of which the parent sees an
    EOFError.

How to fix it
    Leave imports, classes and register() at the top level, and put the work below a guard:

        def main():
            envs = SubprocVecEnv([make_env] * 4)
            PPO("MlpPolicy", envs).learn(100_000)

        if __name__ == "__main__":
            main()
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.errors import BOOTSTRAPPING, ErrorValue, Frame, message_of, wire_of
from envdoctor.model.facts import Script, ScriptLine, ScriptRan, as_json
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, ERROR, WARNING, Finding, Location
from envdoctor.model.training_aims import GuardScript
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import listing

NO_GUARD = (
    'the script has no `if __name__ == "__main__":` guard: each spawned worker would run it again'
)


@dataclass(frozen=True)
class ModuleWork:
    """The work of an unguarded script when a worker imports it, its place, and its severity."""

    does: str
    severity: str
    line: int = 0
    text: str = ""


def unguarded_work(view: View) -> ModuleWork | None:
    """Return the work of a script without a guard; None where it has one, or only defines. Other
    rules leave that to this one.
    """
    surveyed = view.trace("survey")
    script = surveyed.fact(Script) if surveyed else None
    if surveyed is None or script is None or script.guarded:
        return None
    if surveyed.hung_in("survey"):
        return ModuleWork("does not come to an end there", ERROR, **_place(script.calls))
    why, error = view.survey.why, view.survey.error
    if why == "script-exited":
        return ModuleWork("ends the process there", ERROR, **_frame(error, script.path))
    if why == "script-raised":
        starts = BOOTSTRAPPING in message_of(error)
        return (
            ModuleWork("starts processes, which fails there", ERROR, **_frame(error, script.path))
            if starts
            else None
        )
    return _built(script, surveyed.fact(ScriptRan))


def _built(script: Script, ran: ScriptRan | None) -> ModuleWork | None:
    if ran and ran.built:
        names = listing(script_line.name for script_line in ran.built)
        return ModuleWork(f"builds {names} there", WARNING, **_place(ran.built[0]))
    calls = script.calls
    return ModuleWork(f"calls {calls.text} there", WARNING, **_place(calls)) if calls else None


def _place(script_line: ScriptLine | None) -> dict[str, Any]:
    return {"line": script_line.line, "text": script_line.text} if script_line else {}


def _frame(error: ErrorValue | None, path: str) -> dict[str, Any]:
    """The line of the script's top level that an error came through."""
    frames = [
        frame
        for frame in (error.frames if error else ())
        if frame.file == path and frame.function == "<module>"
    ]
    return {"line": frames[0].line, "text": frames[0].text} if frames else {}


@rule(
    "REG009",
    "script-without-guard",
    where=DIRECT_ONLY,
    needs=("survey",),
    blames_itself=True,
    looks_at={"survey": "survey"},
)
def script_without_guard(view: View) -> Iterator[Finding]:
    surveyed, work = view.trace("survey"), unguarded_work(view)
    script = surveyed.fact(Script) if surveyed else None
    if surveyed is None or script is None or work is None:
        return
    path, ran = script.path, surveyed.fact(ScriptRan)
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    begin = f"    {work.text}  # line {work.line}, and what follows" if work.text else "    main()"
    yield script_without_guard.finding(
        f"{NO_GUARD}; {name} {work.does}",
        f"put what trains in {name} below a guard; leave imports, classes and register() above it.",
        commands=('if __name__ == "__main__":', begin),
        aim=GuardScript(Frame(path, work.line)) if work.line else None,
        location=Location(path, work.line) if work.line else None,
        evidence={
            "error": wire_of(view.survey.error),
            "built": as_json(ran.built) if ran else None,
            "stacks": surveyed.outcome.stacks,
        },
        severity=work.severity,
        blame=ENVIRONMENT,
    )


_PATH = "/home/me/train.py"
_BARE = {"path": _PATH, "guarded": False, "calls": None}
_BOOT = (
    "An attempt has been made to start a new process before the current process has finished its"
    " bootstrapping phase."
)
_FRAME = {
    "file": _PATH,
    "line": 9,
    "function": "<module>",
    "text": "envs = SubprocVecEnv([make] * 4)",
}


def _script(
    script: dict[str, object],
    ran: dict[str, object] | None = None,
    outcome: str = "finished",
    **survey: object,
) -> View:
    facts = [fact("script", script), *([fact("script-ran", ran)] if ran else [])]
    return direct_view(
        trace(
            verb("survey"), *facts, name="survey", script="survey", outcome=outcome, verb="survey"
        ),
        **survey,
    )


_ENV = {
    "seconds": 3.0,
    "built": [{"name": "env", "line": 4, "text": 'env = gymnasium.make("Walker-v0")'}],
}

EXAMPLES = (
    Example(
        "it starts workers at its top level",
        _script(
            _BARE, why="script-raised", error={**raised("RuntimeError", _BOOT), "frames": [_FRAME]}
        ),
        f"{NO_GUARD}; train.py starts processes, which fails there",
    ),
    Example(
        "it trains until the time is up",
        _script(_BARE, outcome="timed-out"),
        f"{NO_GUARD}; train.py does not come to an end there",
    ),
    Example(
        "it builds an environment",
        _script(_BARE, _ENV, found=True),
        f"{NO_GUARD}; train.py builds env there",
    ),
    Example(
        "it calls main()",
        _script(
            {**_BARE, "calls": {"line": 30, "text": "main()"}},
            {"seconds": 1.0, "built": []},
            found=True,
        ),
        f"{NO_GUARD}; train.py calls main() there",
    ),
    Example(
        "it asks for arguments",
        _script(_BARE, why="script-exited", error=raised("SystemExit", "2")),
        f"{NO_GUARD}; train.py ends the process there",
    ),
    Example(
        "it raises by itself: import-fails",
        _script(_BARE, why="script-raised", error=raised("NameError", "name 'x' is not defined")),
    ),
    Example("it has a guard", _script({**_BARE, "guarded": True}, _ENV, found=True)),
    Example("it only defines", _script(_BARE, {"seconds": 0.1, "built": []}, found=True)),
    Example("no script", direct_view(trace(verb("survey"), name="survey"), found=True)),
)
