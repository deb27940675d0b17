"""The checkers of the subject's own framework, part by part, so that one failure does not hide
the next.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import inspect
import re
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Tuple

from envdoctor.probe import environment_api, given_actions, heartbeat
from envdoctor.probe.actions import Actions
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.sources import source_of
from envdoctor.probe.subject import misfits
from envdoctor.probe.tracing.instrument import Factory
from envdoctor.probe.wrappers import innermost_of, wrappers

if TYPE_CHECKING:
    from types import ModuleType

    from gymnasium import Env, Wrapper

CHECKER = "gymnasium"
UNSEEDED = "random generates are not same"  # its words for a seed that, most likely, is lost
SEED = 20_260_607  # which the checker does not use
OUTSIDE = "within the observation space"  # its words for an observation that is not
WRAPPED = "wrapped_reset_return"  # what it does not look at: what a wrapper returns

#: Parts of gymnasium.utils.env_checker that take an environment, in its own order.
#: `check_space_limit` is left out: it gives advice on scaling, which CartPole does not follow
#: either; so is `check_returned_data_not_reused`: it also refuses what is shared and never changed,
#: and API011 tells what is changed.
STEPS = "check_step_determinism"
ENVIRONMENT_PARTS = (
    "check_seed_deprecation",
    "check_reset_return_info_deprecation",
    "check_reset_return_type",
    "check_reset_seed_determinism",
    "check_reset_seed",
    "check_reset_options",
    STEPS,
)


def check(factory: Factory, journal: Journal, ownership: Ownership) -> None:
    """Journal one check fact a failure. Only environments of Gymnasium have a checker here."""
    environment = factory()
    try:
        if environment_api.api_of(environment) == environment_api.GYMNASIUM:
            base = _checked(environment)
            _reset_by_wrappers(environment.env, base)
            log = environment._envdoctor_log
            with heartbeat.following(base, log), _keywords_called_kwargs(base):
                _check_gymnasium(environment.env, journal, ownership)
    finally:
        # A close() that raises is reported where close is examined.
        with contextlib.suppress(Exception):
            environment.close()


def _checked(environment: object) -> Env:
    """Under the wrappers, but not under one that is the first to follow Gymnasium's interface."""
    import gymnasium

    return innermost_of(environment, gymnasium.Env)


def _reset_by_wrappers(environment: Env, base: object) -> None:
    """Reset the whole environment once where wrappers of others are around what is checked: they
    may give it what its reset() needs. Case: Meta-World's RandomTaskSelectWrapper sets the task.
    """
    around: object = environment
    while around is not base and type(around).__module__.partition(".")[0] == CHECKER:
        around = getattr(around, "env", base)
    if around is not base:
        with contextlib.suppress(Exception):  # what it raises is reported where it is played
            environment.reset()


@contextlib.contextmanager
def _keywords_called_kwargs(base: Env) -> Iterator[None]:
    """Gymnasium knows a parameter that takes any keyword by the name `kwargs` alone, and says of
    `def reset(self, **k)` that it takes no seed.
    """
    if not environment_api.takes_any_keyword(base):
        yield
        return
    inherited = base.reset

    def reset(*args: object, **kwargs: object) -> object:
        return inherited(*args, **kwargs)

    base.reset = reset
    try:
        yield
    finally:
        del base.reset


def _check_gymnasium(environment: object, journal: Journal, ownership: Ownership) -> None:
    import gymnasium

    messages: List[str] = []

    def tell(message: str, **others: object) -> None:
        messages.append(message)
        value = {"checker": CHECKER, "version": gymnasium.__version__, "message": message}
        journal.write("fact", key="check", value=dict(value, **others))

    for part, call in _parts(environment):
        for kind, message, error in _failures(call, ownership):
            if message in messages or (UNSEEDED in message and _seed_arrives(environment)):
                continue
            misfit, fits_later = _misfit(environment, part, message)
            more = {"fits_later": True} if fits_later else {}
            tell(message, part=part, kind=kind, misfit=misfit, error=error, **more)
    if not any(OUTSIDE in message for message in messages):
        for value in _wrapped_misfits(environment, gymnasium):
            tell(**value)


def _wrapped_misfits(environment: object, gymnasium: ModuleType) -> Iterator[Dict[str, Any]]:
    """The innermost wrapper whose observation is not in its own space, where one changes
    observations: the checker looks at what is under all wrappers. Bounds only deserve a warning.
    """
    around = [layer for layer in wrappers(environment) if isinstance(layer, gymnasium.Wrapper)]
    if not any(_may_change(layer, gymnasium) for layer in around):
        return
    for layer in reversed(around):
        misfit, kind = "", type(layer)
        with contextlib.suppress(Exception):  # what it raises is reported where it is played
            observation, _ = layer.reset(seed=0)
            misfit = misfits.misfit(layer.observation_space, observation)
        if misfit:
            yield {
                "part": WRAPPED,
                "kind": "warned" if misfits.is_of_bounds(misfit) else "raised",
                "message": "what %s.reset() returns is not %s." % (kind.__name__, OUTSIDE),
                "misfit": misfit,
                "error": None,
                "place": source_of(getattr(kind, "observation", kind.reset)),
            }
            return


def _may_change(layer: Wrapper, gymnasium: ModuleType) -> bool:
    """Return whether a wrapper may return other observations than what it wraps."""
    if isinstance(layer, gymnasium.ObservationWrapper):
        return True
    is_own = not type(layer).__module__.startswith(CHECKER + ".")
    return is_own and type(layer).reset is not gymnasium.Wrapper.reset


def _seed_arrives(environment: object) -> bool:
    """Return whether reset(seed=) seeds the generator. Where it does, and draws as often as earlier
    episodes make it, the checker guesses wrong: what such an episode returns is compared elsewhere.
    """
    base = _checked(environment)
    with contextlib.suppress(Exception):  # what it raises is reported where it is played
        base.reset(seed=SEED)
        bits = base.unwrapped.np_random.bit_generator
        seeded = getattr(bits, "seed_seq", None) or bits._seed_seq  # NumPy before 1.25
        return bool(seeded.entropy == SEED)
    return False


def _misfit(environment: object, part: str, message: str) -> Tuple[str, bool]:
    """Part of an observation that is meant, where the checker only says that one is not in its
    space; and whether it is one of reset(), and that of the next step() is in the space.
    """
    if OUTSIDE not in message:
        return "", False
    base, misfit, fits_later = _checked(environment), "", False
    seed = re.search(r"reset\(seed=(\d+)", message)
    with contextlib.suppress(Exception):  # what it raises is reported where it is played
        observation, _ = base.reset(seed=int(seed[1]) if seed else 0)
        if "step" in part:
            observation = base.step(base.action_space.sample())[0]
        misfit = misfits.misfit(base.observation_space, observation)
        if misfit and "step" not in part:
            observation = base.step(base.action_space.sample())[0]
            fits_later = bool(base.observation_space.contains(observation))
    return misfit, fits_later


def _parts(environment: object) -> Iterator[Tuple[str, Callable[[], object]]]:
    """(name, call) of every part that the installed version has."""
    checker = importlib.import_module("gymnasium.utils.env_checker")
    passive = importlib.import_module("gymnasium.utils.passive_env_checker")
    base = _checked(environment)
    for name, space in (
        ("check_action_space", "action_space"),
        ("check_observation_space", "observation_space"),
    ):
        yield name, functools.partial(_check_space, getattr(passive, name), environment, space)
    acts = getattr(base, "action_space", None) is not None  # else no part can draw an action
    for name in ENVIRONMENT_PARTS:
        part = getattr(checker, name, None)
        if name == STEPS and not _draws_itself(base):
            continue
        if part is not None and len(inspect.signature(part).parameters) == 1:
            yield name, functools.partial(part, base)
    yield "env_reset_passive_checker", lambda: passive.env_reset_passive_checker(base)
    if acts:
        yield "env_step_passive_checker", lambda: _step_after_reset(base, passive)


def _check_space(part: Callable[[object], object], environment: object, name: str) -> None:
    space = getattr(environment, name, None)
    if space is None:
        raise AssertionError("the environment must have an attribute `%s`" % name)
    part(space)


def _draws_itself(base: Env) -> bool:
    """Return whether a part can draw its actions from the space: the user gives none, and the
    space has some to draw. A space that has none is not accused of a step().
    """
    if given_actions.are_given():
        return False
    try:
        copy.deepcopy(base.action_space).sample()
    except Exception:
        return False
    return True


def _step_after_reset(base: Env, passive: ModuleType) -> None:
    actions = Actions(0)
    observation, info = base.reset(seed=0)
    actions.look_at(base.action_space)
    actions.see(observation)
    passive.env_step_passive_checker(base, actions.draw(info))


def _failures(call: Callable[[], object], ownership: Ownership) -> List[Tuple[str, str, object]]:
    """Warnings and errors of one part: (kind, message, error value) of each."""
    said: List[Tuple[str, str, object]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except Exception as error:
            said.append(
                ("raised", str(error) or type(error).__name__, error_value(error, ownership))
            )
    warned = [
        ("warned", _plain(str(warning.message)), None)
        for warning in caught
        if _is_checkers(warning)
    ]
    return said + warned


def _is_checkers(warning: warnings.WarningMessage) -> bool:
    """Return whether the checker itself warned. An environment's own warnings do not count."""
    return "WARN" in str(warning.message) and "gymnasium" in str(warning.filename)


def _plain(message: str) -> str:
    """The warning's text without terminal colours and without Gymnasium's label."""
    return re.sub(r"\x1b\[[0-9;]*m", "", message).replace("WARN:", "").strip()
