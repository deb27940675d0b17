"""The environment breaks the contract of its framework.

What it does
    Runs the checks of the installed framework's own checker (for Gymnasium:
    gymnasium.utils.env_checker) one by one, so that none hides the next, and passes on each failure
    as an error and each warning as a warning. That self.np_random was not seeded is a note where
    the seed decides all the same: what is played comes from another generator. It looks at what is
    under all wrappers; a wrapper of which reset() returns what is not in its own space is reported
    beside it.

    An error of reset(), step() or render() in a plain life, or when episodes are cut short, that no
    check told is reported too; so is an action space that each access makes anew, where what it
    draws does not depend on the seed that it was given.

Why it matters
    Trainers rely on that contract: shapes and types of observations, five values from step(), a
    seed that is obeyed. env.action_space.seed(1) has no effect where the next access makes another
    space.

How to fix it
    Follow the message. The shape of both methods:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return observation, {}

        def step(self, action):
            return observation, reward, terminated, truncated, {}

    Make spaces in __init__(), and not in a property.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.frameworks.older_interfaces import TAKE_SEED
from envdoctor.model.environment_aims import (
    DeclareSpace,
    KeepSpace,
    ObserveFirst,
    OwnRandom,
    ReturnAll,
    ReturnArray,
    ReturnFlag,
    ReturnNumber,
)
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import CheckFailure, RemadeSpace
from envdoctor.model.failure_aims import TakeArguments
from envdoctor.model.finding import ERROR, NOTE, WARNING, Finding, Location
from envdoctor.model.records import VerbRecord
from envdoctor.model.remedy import Aim
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import compared, direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.blocking_state import blocking_places, raises_in
from envdoctor.rules.evidence.checker_failures import (
    NO_PAIR,
    OBSERVATION,
    REFUSED,
    follows,
    is_checkers,
    lacking,
    misfit_of,
    text_of,
)
from envdoctor.rules.evidence.circumstances import raised_again
from envdoctor.rules.evidence.comparisons import Cure, culprits, cure, seed_decides
from envdoctor.rules.remedies.what_is_missing import commands_of_call, cure_of_call
from envdoctor.rules.wording.checked_parts import PARTS, UNKNOWN_PART
from envdoctor.rules.wording.error_cures import known_cure
from envdoctor.rules.wording.leftovers import place_of, shown_line

OUTSIDE = "within the observation space"
FITTING = (
    "return an observation from {method}() that has the shape, the dtype and the bounds of"
    " observation_space, or declare observation_space as the observations really are."
)
AS_STEP = "let {method}() make the observation as step() does: update first what is observed."
REWARD = "The reward returned by"
OF_REWARD = (
    "let step() return a number, float(reward) or reward.item(): vectorizers put the rewards of all"
    " instances into one array of numbers, in which an array has no place."
)

#: What the checker says where self.np_random was not seeded, which nothing may draw from.
NOT_MADE = "random number generator to have been generated"
#: One value for each agent, in the place of a bool.
FLAG = re.compile(r"Expects `(terminated|truncated)` signal to be a boolean, .*<class 'dict'>")
#: A tuple or a list, in the place of an array.
NO_ARRAY = re.compile(r"`(\w+)\(\)` method was expecting a numpy array, .*<class '(?:tuple|list)'>")
#: A wrapper that returns another dtype than its space has.
WRAPPER = re.compile(r"what (\w+)\.reset\(\) returns")
DTYPE = re.compile(r"^ has dtype (float\d+), its space \w+$")
SEEDS = (Cause.RESET_NOT_SEEDED, Cause.STEP_NOT_SEEDED)

VERBS = ("reset", "step", "render")
RESETS = ("reset", "reseed")

#: Scenarios in which these have to work, and what a sentence says of the one that is not plain.
LIFECYCLES = (("life", ""), ("reuse", ", when it is reset before the episode has ended"))


@rule(
    "API001",
    "forwarded",
    where=DIRECT_ONLY,
    needs=("life", "check"),
    looks_at={
        "life": "make reset step",
        "check": "check",
        "reuse": "reset step",
        "close-twice": "carry",
    },
    gives_way=(*SEEDS, Cause.FAILS_AGAIN, Cause.REWARD_IS_NO_NUMBER),
)
def forwarded(view: View) -> Iterator[Finding]:
    checked = view.trace("check")
    entries = checked.facts(CheckFailure) if checked else ()
    errors = {misfit_of(entry) for entry in entries if entry.has_raised}
    texts: list[str] = []
    for entry in entries:
        text = text_of(entry)
        is_repeated = bool(entry.misfit) and not entry.has_raised and misfit_of(entry) in errors
        if text not in texts and not is_repeated and not follows(entry, text, entries):
            texts.append(text)
            yield _check_finding(entry, text, view)
    yield from _raised_when_played(view, texts)
    yield from _remade_spaces(view)


def _place(error: ErrorValue | None, view: View, method: str) -> Location | None:
    """The user's line if the error has one; else the method that the checker called: its own
    lines do not help.
    """
    own = error is not None and error.user is not None
    return (place_of(error) if own else None) or view.locate(method) or place_of(error)


def _check_finding(entry: CheckFailure, text: str, view: View) -> Finding:
    part, misfit = entry.part, entry.misfit
    if OUTSIDE in text and "seed" in part:  # the seed is not what is wrong
        part = OBSERVATION
    plain = part.replace("check_", "").replace("_", " ").strip() or "contract"
    words, method, remedy = next(
        (known[1:] for known in PARTS if known[0] in part), (plain, *UNKNOWN_PART)
    )
    if OUTSIDE in text and method in VERBS and not entry.place:
        remedy = (AS_STEP if entry.fits_later else FITTING).format(method=method)
    is_no_number = REWARD in text and "ndarray" in text
    if is_no_number:
        remedy = OF_REWARD
    error = entry.error
    # It is not an opinion of the checker's.
    if error and not is_checkers(error) and "options" not in part:
        remedy = _cure(view, error)
    remedy = TAKE_SEED if lacking(text) else remedy
    is_obeyed = NOT_MADE in text and seed_decides(view)
    remedy, aim = (
        _of_seed(view, remedy) if part.endswith("reset_seed_determinism") else (remedy, None)
    )
    commands = commands_of_call(error, view.survey.executable)
    remedy, aim = (_cure(view, error), None) if commands else (remedy, aim)
    more = "; the first step() returns one that fits" if entry.fits_later else ""
    more += "; the seed decides what is played all the same" if is_obeyed else ""
    sentence = f"{words}: {text}" + (f" observation{misfit}" if misfit else "")
    return forwarded.finding(
        sentence.rstrip(".") + more if more else sentence,
        remedy,
        commands=commands,
        aim=ReturnNumber() if is_no_number else _aim_of(entry, text) or aim,
        severity=NOTE if is_obeyed else ERROR if entry.has_raised else WARNING,
        location=entry.place or _place(error, view, method),
        evidence={key: entry.wire.get(key) for key in ("checker", "version", "part", "error")},
        explained_by=_explanations(part, text),
        explained_alone=_fails_again(error, view),
    )


def _aim_of(entry: CheckFailure, text: str) -> Aim | None:
    """Return what an edit aims at for a failure whose words say all."""
    if entry.fits_later:
        return ObserveFirst()
    if _lacks_a_part(text):
        return ReturnAll()
    if lacking(text) or REFUSED in text:
        return TakeArguments()
    bare, flag = NO_ARRAY.search(text), FLAG.search(text)
    if bare:
        return ReturnArray(bare[1])
    if flag:
        return ReturnFlag(2 if flag[1] == "terminated" else 3)
    wrapper, dtype = WRAPPER.search(text), DTYPE.search(entry.misfit)
    if entry.place and wrapper and dtype:
        return DeclareSpace(wrapper[1], dtype[1])
    return None


def _lacks_a_part(text: str) -> bool:
    """Return whether reset() or step() returns what Gym wanted, and Gymnasium does not."""
    return NO_PAIR in text or "old step API" in text


def _of_seed(view: View, remedy: str) -> Cure:
    """Return the remedy where the seed does not arrive: that of DET001, where it has the source."""
    sources = culprits(view, "reset")
    return cure(view, sources) if sources else (remedy, OwnRandom("self._np_random"))


def _explanations(part: str, text: str) -> tuple[Cause, ...]:
    """The rules on determinism report exactly what depends on the seed, with its cause."""
    of_seeds = ("seed" in part or "determinism" in part) and (
        "determin" in text.lower() or "although similar" in text
    )
    if "reward is a NaN" in text or "reward is an inf" in text:
        return (Cause.REWARD_IS_NO_NUMBER,)
    return SEEDS if of_seeds else ()


def _fails_again(error: ErrorValue | None, view: View) -> tuple[Cause, ...]:
    """The rule on what each reset() of an instance but its first raises, where this is that."""
    again = raised_again(view)
    if error is None:
        return ()
    if blocking_places(view) and raises_in(view, "two-at-once", error):  # close() leaves it so
        return (Cause.FAILS_AGAIN,)
    if again is None or place_of(error) != place_of(again):
        return ()
    return (Cause.FAILS_AGAIN,) if kind_of(error) == kind_of(again) else ()


def _raised_when_played(view: View, texts: list[str]) -> Iterator[Finding]:
    for scenario, circumstances in LIFECYCLES:
        run = view.trace(scenario)
        failed = [event for name in VERBS for event in run.verbs(name, "raised")] if run else []
        for event in failed:
            if run is not None and _was_not_reset(run, event):
                continue
            error, name = event.error, event.verb.split(":", maxsplit=1)[0]
            message = " ".join(message_of(error).split())
            if message in texts or one_line(error) in texts:
                continue
            texts.append(one_line(error))
            yield forwarded.finding(
                f"{name}(): raises {one_line(error)}{circumstances}",
                _cure(view, error),
                commands=commands_of_call(error, view.survey.executable),
                location=_place(error, view, name),
                key=(name, kind_of(error)),
                evidence={"error": wire_of(error), "scenario": scenario},
            )


def _was_not_reset(run: Trace, event: VerbRecord) -> bool:
    """Return whether the last reset() before a call raised: what an instance does then is not what
    is wrong with it.
    """
    if verb_name(event.verb) in RESETS:
        return False
    earlier = [
        reset
        for name in RESETS
        for reset in run.verbs(name)
        if reset.state != "began" and reset.at < event.at
    ]
    return max(earlier, key=lambda reset: reset.at).state == "raised" if earlier else False


def _remade_spaces(view: View) -> Iterator[Finding]:
    """A finding on an action space that each access makes anew."""
    run = view.trace("close-twice")
    for remade in run.facts(RemadeSpace) if run else ():
        name = remade.class_name.rpartition(".")[2]
        yield forwarded.finding(
            f"action space: each access to {remade.space} of {name} makes a new space, so that the"
            f" seed is lost that {remade.space}.seed() is given",
            f"make it once: by functools.cached_property in place of property, or in"
            f" {name}.__init__().",
            aim=KeepSpace(remade.space),
            severity=WARNING,
            location=remade.place or view.locate("__init__"),
            key=("remade", "action_space"),
            evidence={"remade": remade.wire},
        )


def _cure(view: View, error: ErrorValue | None) -> str:
    """Return the remedy for an error of a plain life."""
    mode, modes = (view.survey.render_mode, [str(known) for known in view.survey.render_modes])
    if mode is not None and mode not in modes:
        return (
            f"it was made with render_mode={mode!r}, which it does not list; it lists"
            f" {', '.join(modes) or 'none'}."
        )
    if REFUSED in message_of(error):
        return TAKE_SEED
    cure = cure_of_call(error, view.survey.executable)
    known = known_cure(kind_of(error), message_of(error))
    return cure or known or f"repair {shown_line(view, error)}."


def _check(part: str, message: str, kind: str = "raised", **others: object) -> Event:
    value = {"checker": "gymnasium", "version": "1.4.0", "part": part, "kind": kind}
    return fact("check", {**value, "message": message, "error": None, **others})


def _checked(*checks: Event) -> Trace:
    return trace(*checks, name="check", script="check")


_BOUNDS = " is from 0.8 to 1.1, its space Box(0.0, 1.0, (2,), float64)"
_NO_FUEL = trace(verb("step:20", "raised", error=raised("ValueError", "no fuel")))
_FLOATS = {"file": "/arm.py", "line": 9, "function": "observation"}

_NO_SEED = raised("TypeError", f"Arm.{REFUSED} 'seed'", function="reset")

EXAMPLES = (
    Example(
        "a reset() of old gym",
        direct_view(
            _checked(_check("env_reset_passive_checker", "`Env.reset` can be passed a `seed` now."))
        ),
        "reset(): `Env.reset` can be passed a `seed` now.",
    ),
    Example(
        "an argument that reset() does not take, as an error and as a warning",
        direct_view(
            _checked(
                _check("check_reset_seed", "`reset` does not provide a `seed`"),
                _check("env_reset_passive_checker", "It can be passed a `seed`", "warned"),
                _check("env_reset_passive_checker", "It can be passed `options`", "warned"),
            )
        ),
        (
            "seed of reset(): `reset` does not provide a `seed`",
            "reset(): It can be passed `options`",
        ),
    ),
    Example(
        "what follows from a reset() without a seed that returns an observation alone",
        direct_view(
            _checked(
                _check("check_reset_return_type", f"The result was not a {NO_PAIR}"),
                _check("check_reset_seed", "no seed", misfit="['arm'] is missing"),
                _check("env_step_passive_checker", "", error=_NO_SEED),
            )
        ),
        f"reset(): The result was not a {NO_PAIR}",
    ),
    Example(
        "the seed decides, by another generator",
        direct_view(
            compared("same-seed", differs=False),
            _checked(_check("check_reset_seed_determinism", f"Expects the {NOT_MADE}.")),
        ),
        "seed of reset(): Expects the random number generator to have been generated; the"
        " seed decides what is played all the same",
    ),
    Example(
        "a reset() that does not look",
        direct_view(_checked(_check("reset", f"Not {OUTSIDE}.", misfit=_BOUNDS, fits_later=True))),
        f"reset(): Not {OUTSIDE}. observation{_BOUNDS}; the first step() returns one that fits",
    ),
    Example(
        "two failures and a warning",
        direct_view(
            _checked(
                _check(
                    "check_reset_return_type",
                    "The result returned by `env.reset()` was not a tuple",
                ),
                _check(
                    "check_space_limit_action",
                    "A Box action space maximum value is infinity.",
                    "warned",
                ),
                _check("check_novelty", "is new to us"),
            )
        ),
        (
            "reset(): The result returned by `env.reset()` was not a tuple",
            "action space: A Box action space maximum value is infinity.",
            "novelty: is new to us",
        ),
    ),
    Example(
        "a wrapper that changes images to floats",
        direct_view(
            _checked(
                _check(
                    "wrapped_reset_return",
                    "what Floats.reset() returns is not in.",
                    misfit=" has dtype float32, its space uint8",
                    place=_FLOATS,
                )
            )
        ),
        "wrapper: what Floats.reset() returns is not in. observation has dtype float32, its"
        " space uint8",
    ),
    Example(
        "an observation outside of the bounds, as an error and as a warning",
        direct_view(
            _checked(
                _check("check_reset_return_type", f"It is not {OUTSIDE}.", misfit=_BOUNDS),
                _check("env_reset_passive_checker", f"Not {OUTSIDE}.", "warned", misfit=_BOUNDS),
            )
        ),
        f"reset(): It is not within the observation space. observation{_BOUNDS}",
    ),
    Example(
        "an observation of another shape, with a seed",
        direct_view(
            _checked(
                _check(
                    "check_reset_seed_determinism",
                    f"`env.reset(seed=123)` is not {OUTSIDE}.",
                    misfit=" has shape (6,), its space (15,)",
                )
            )
        ),
        "reset(): `env.reset(seed=123)` is not within the observation space. observation"
        " has shape (6,), its space (15,)",
    ),
    Example(
        "a part of a Dict",
        direct_view(
            _checked(
                _check(
                    "check_reset_return_type",
                    "It is not in the space.",
                    misfit="['camera'] has dtype float64, its space uint8",
                )
            )
        ),
        "reset(): It is not in the space. observation['camera'] has dtype float64, its space uint8",
    ),
    Example(
        "step raises in the life, and the checker said it",
        direct_view(_checked(_check("env_step_passive_checker", "no fuel")), _NO_FUEL),
        "step(): no fuel",
    ),
    Example(
        "step raises only in the life",
        direct_view(_checked(), _NO_FUEL),
        "step(): raises ValueError: no fuel",
    ),
    Example(
        "the environment fails at what the checker asks of it",
        direct_view(
            _checked(
                _check("check_reset_options", "'map'", error=raised("builtins.KeyError", "'map'"))
            )
        ),
        "options of reset(): KeyError: 'map'",
    ),
    Example(
        "only the second reset raises",
        direct_view(
            trace(verb("reset"), verb("step:20")),
            trace(
                verb("reset", at=2),
                verb("reset", "raised", at=4, error=raised("ValueError", "already begun")),
                name="reuse",
            ),
        ),
        "reset(): raises ValueError: already begun, when it is reset before the episode has ended",
    ),
    Example(
        "what step() raises where the reset() before it raised",
        direct_view(
            trace(verb("reset"), verb("step:20")),
            trace(
                verb("reset", at=2),
                verb("reset", "raised", at=4, error=raised("ValueError", "already begun")),
                verb("step", "raised", at=5, error=raised("AttributeError", "no world")),
                name="reuse",
            ),
        ),
        "reset(): raises ValueError: already begun, when it is reset before the episode has ended",
    ),
    Example(
        "a space of a property",
        direct_view(
            trace(
                fact("remade-space", {"space": "action_space", "class": "arms.Arm", "place": None}),
                name="close-twice",
                script="make reset carry close close drop",
            )
        ),
        "action space: each access to action_space of Arm makes a new space, so that the"
        " seed is lost that action_space.seed() is given",
    ),
    Example("nothing to say", direct_view(_checked(), trace(verb("reset"), verb("step:20")))),
)
