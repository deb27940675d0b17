"""Values that the environment returns cannot be sent to another process.

What it does
    Sends the spaces, the observations and the infos of an instance through plain pickle and back,
    those of the last step of an episode as well, and follows what breaks to its path. Under a
    manager it is an error only where that manager has to send it, and failed: Gymnasium's
    AsyncVectorEnv sends every info and both spaces through pipes, observations only without shared
    memory; SyncVectorEnv sends nothing.

Why it matters
    A lock, a socket, a simulator handle or a lambda in an info works as long as everything is one
    process. Under a manager with workers the first reset() ends in a TypeError from its pipe that
    names neither the info nor the key.

How to fix it
    Put plain data into infos, and keep handles out of what is returned:

        return observation, {"contacts": sim.contacts()}  # not: {"sim": sim}

    A space of your own says what of it travels:

        def __getstate__(self):
            return {**self.__dict__, "_lock": None}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.environment_aims import LeaveOut, Member
from envdoctor.model.errors import message_of, one_line
from envdoctor.model.facts import Attempt
from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, known, raised, trace, verb
from envdoctor.rules.engine.registry import EVERYTHING, EVERYWHERE, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.payloads import broken_payloads, payload_in_the_way, sent_by

UNEQUAL = "what arrives is not equal to what was sent"


@rule(
    "VEC005",
    "payload-not-picklable",
    explains=Cause.NOT_PICKLABLE,
    where=EVERYWHERE,
    needs=("close-twice", "life"),
    looks_at={"close-twice": "carry", "life": "reset step"},
    also_reads=(EVERYTHING,),
)
def payload_not_picklable(view: View) -> Iterator[Finding]:
    if not view.is_direct:
        result = payload_in_the_way(view)
        if result:
            yield _finding(view, *result, f"{view.manager} cannot send")
        return
    reported = {
        name for trace in view.other_places for name in sent_by(view, trace.scenario.manager)
    }
    for name, attempt in broken_payloads(view).items():
        if name not in reported:
            yield _finding(
                view, name, attempt, "a manager with workers could not send", severity=NOTE
            )


def _finding(view: View, name: str, attempt: Attempt, cannot: str, **fields: Any) -> Finding:
    text, aim = cure(view, name, attempt)
    reason = one_line(attempt.error)
    return payload_not_picklable.finding(
        f"{cannot} {whose(name, attempt)}: {attempt.path}: {reason}",
        text,
        aim=aim,
        location=_place(view, attempt),
        evidence={key: attempt.wire[key] for key in ("path", "owner", "error")},
        **fields,
    )


def whose(name: str, attempt: Attempt) -> str:
    """`the info of step()`, `the observation space`."""
    call = attempt.call
    return f"the {name.replace('_', ' ')}" + (f" of {call}()" if call else "")


def _place(view: View, attempt: Attempt) -> Location | None:
    return view.locate(attempt.call or "__init__")


def cure(view: View, name: str, attempt: Attempt) -> tuple[str, Member | LeaveOut | None]:
    """Return the remedy for that part, with its own names."""
    path, call = attempt.path, attempt.call
    key = (
        path[len(name) :].split("]", maxsplit=1)[0] + "]"
        if path.startswith(f"{name}[") and "..." not in path
        else ""
    )
    if name == "info" and key:
        return (
            (
                f"keep {name}{key} out of what {view.class_name}.{call}() returns, or put plain"
                " data there."
            ),
            LeaveOut(key[2:-2]) if key.startswith(("['", '["')) else None,
        )
    if attempt.attribute:
        owner, attribute = attempt.owner.rsplit(".", 1)[-1], attempt.attribute
        lines = ("def __getstate__(self):", f'    return {{**self.__dict__, "{attribute}": None}}')
        return (
            f"say in {owner} what of it travels; {attribute} has to be made anew where it arrives.",
            Member(owner, lines),
        )
    if UNEQUAL in message_of(attempt.error):
        return (
            (
                f"define __eq__() in the class of {path or name}: a vectorizer compares the spaces"
                " of its environments, and a copy is equal only where the class says so."
            ),
            None,
        )
    what = f"what {view.class_name}.{call}() returns" if call else f"{view.class_name}.{name}"
    return (
        (
            f"keep what cannot be pickled out of {what}: arrays, numbers, texts, and containers of"
            " these travel."
        ),
        None,
    )


def _tried(**attempts: dict[str, object]) -> Trace:
    return trace(verb("carry"), fact("payloads", attempts), name="close-twice")


_ERROR = raised("builtins.TypeError", "cannot pickle '_thread.lock' object")
_INFO: dict[str, object] = {
    "ok": False,
    "error": _ERROR,
    "path": "info['sim']._lock",
    "owner": "sims.Sim",
    "attribute": "_lock",
    "call": "step",
}
_SPACE: dict[str, object] = {
    "ok": False,
    "error": _ERROR,
    "path": "observation_space._lock",
    "owner": "sims.Words",
    "attribute": "_lock",
}
_STRANGER: dict[str, object] = {
    "ok": False,
    "error": raised("builtins.ValueError", UNEQUAL),
    "path": "observation_space",
    "owner": "",
}
_SENDS = {"gymnasium-async": {"sends": ["info", "observation_space"]}}


def _under(failed: str, payload: Trace, manager: str = "gymnasium-async") -> View:
    run = trace(
        verb("make"), verb(failed, "raised", error=_ERROR), manager=manager, start_method="fork"
    )
    return View(
        "Sick-v0", manager, "fork", (run,), known({"managers": _SENDS}), other_places=(payload, run)
    )


EXAMPLES = (
    Example(
        "a space without an __eq__()",
        _under("make", _tried(observation_space=_STRANGER)),
        "gymnasium-async cannot send the observation space: observation_space: ValueError:"
        f" {UNEQUAL}",
    ),
    Example(
        "an info with a simulator in it",
        _under("step:20", _tried(info=_INFO)),
        "gymnasium-async cannot send the info of step(): info['sim']._lock: TypeError:"
        " cannot pickle '_thread.lock' object",
    ),
    Example(
        "a key with an apostrophe",
        _under("step:20", _tried(info={**_INFO, "path": 'info["arm\'s"]._lock'})),
        'gymnasium-async cannot send the info of step(): info["arm\'s"]._lock: TypeError:'
        " cannot pickle '_thread.lock' object",
    ),
    Example(
        "a space with a lock",
        _under("make", _tried(observation_space=_SPACE)),
        "gymnasium-async cannot send the observation space: observation_space._lock:"
        " TypeError: cannot pickle '_thread.lock' object",
    ),
    Example("the launch failed for another reason", _under("make", _tried(info=_INFO))),
    Example(
        "a manager that sends nothing", _under("step:20", _tried(info=_INFO), manager="in-process")
    ),
    Example(
        "no manager was asked",
        direct_view(_tried(info=_INFO)),
        "a manager with workers could not send the info of step(): info['sim']._lock:"
        " TypeError: cannot pickle '_thread.lock' object",
    ),
    Example(
        "an info of the last step of an episode",
        direct_view(
            _tried(info={"ok": True}),
            trace(verb("episode:2000"), fact("payloads", {"info": _INFO}), name="episode"),
        ),
        "a manager with workers could not send the info of step(): info['sim']._lock:"
        " TypeError: cannot pickle '_thread.lock' object",
    ),
    Example("everything travels", _under("step:20", _tried(info={"ok": True}))),
)
