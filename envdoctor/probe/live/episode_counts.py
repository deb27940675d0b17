"""Counts of an episode's steps that step() of the user's adds to its infos: whether they begin anew
after each end. No code of the user's runs for it.
"""

from __future__ import annotations

import functools
import os
import types
import weakref
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from envdoctor.probe.live.counted import is_counted, returning
from envdoctor.probe.live.returned import Array, definition, is_array
from envdoctor.probe.ownership import Ownership, frame_of

STEP, SELF = "step", "self"
EPISODE = "episode"  # statistics of an episode in infos, by convention
TIME_LIMIT = "TimeLimit.truncated"  # in infos of older interfaces
TERMINATED, TRUNCATED = "terminated", "truncated"
SLOTS, ENDS, OBJECTS = 16, 64, 16  # that are looked at: instances of a batch, ends of a key
ON, LEAST = 4, 24  # ends after which a count goes on, and ends in all, that are enough
MOST_FRAMES = 16
BOOLS = ("bool", "bool_")
MOST = 1 << 53  # whole numbers that a float has exactly

Key = Tuple[str, ...]


class CountedEnd(NamedTuple):
    """The end of an episode: the `steps` since the one before, the `number` that its infos have,
    what that was at the one before, and `how` that one ended; None and "" at the first.
    """

    steps: int
    number: int
    before: Optional[int]
    how: str


class _FollowedStep(NamedTuple):
    """A step() of the user's as it was, with its texts, and as it is called now."""

    texts: Set[str]
    method: object
    hooked: object


class EpisodeCounts:
    """Counts in the infos of a process. `tell` journals."""

    def __init__(self, tell: Callable[..., None], complain: Callable[[str], None]) -> None:
        self._tell, self._complain = tell, complain
        self._kinds: Dict[type, _FollowedStep] = {}  # by the class that has the step()
        self._over: Set[type] = set()  # of them, those of whose objects no more is to be seen
        self._counts: Dict[int, _Counts] = {}
        self._journaled: Set[Tuple[int, str, Key]] = set()

    def follow(self, instance: object, frame: Optional[types.FrameType]) -> None:
        """Follow what of the user's calls step() of an instance, and has texts in its own."""
        is_users = Ownership().is_users
        for _ in range(MOST_FRAMES):
            if frame is None:
                return
            code = frame.f_code
            if code.co_name == STEP and code.co_varnames[:1] == (SELF,):
                owner: object = frame.f_locals.get(SELF)
                if owner is not instance and is_users(code.co_filename):
                    self._follow(type(owner), code)
            frame = frame.f_back

    def _follow(self, kind: type, code: types.CodeType) -> None:
        texts = set(_texts(code.co_consts))
        owner = next((each for each in kind.__mro__ if STEP in vars(each)), None)
        if owner is None or owner in self._kinds or not texts:
            return
        method = vars(owner)[STEP]
        if is_counted(method) or type(method) is types.FunctionType:
            hooked = returning(method, functools.partial(self._returned, owner))
            self._kinds[owner] = _FollowedStep(texts, method, hooked)
            type.__setattr__(owner, STEP, hooked)

    def _returned(self, owner: type, layer: object, returned: object) -> None:
        """A step() of the user's came back. Nothing of ours reaches the user."""
        if owner in self._over:
            return
        try:
            known = self._counts.get(id(layer))
            if known is None or known.object() is not layer:
                known = self._begin(owner, layer)
            if known is None or known.is_over:
                self._let_go(owner)
            elif known.add(returned):
                self._judge(type(layer), known)
        except Exception as error:
            self._complain(type(error).__name__)

    def _begin(self, owner: type, layer: object) -> Optional[_Counts]:
        for key in [key for key, each in self._counts.items() if each.object() is None]:
            del self._counts[key]
        if len(self._counts) >= OBJECTS or not type(layer).__weakrefoffset__:
            return None
        known = self._counts[id(layer)] = _Counts(owner, layer, self._kinds[owner].texts)
        return known

    def _let_go(self, owner: type) -> None:
        """Give a class its step() back where nothing of its objects is to be seen any more."""
        step = self._kinds[owner]
        if all(each.is_over for each in self._counts.values() if each.owner is owner):
            self._over.add(owner)
            if vars(owner).get(STEP) is step.hooked:
                type.__setattr__(owner, STEP, step.method)

    def _judge(self, kind: type, known: _Counts) -> None:
        """An episode ended; each number of a class is journaled once."""
        name, place = "%s.%s" % (kind.__module__, kind.__qualname__), definition(kind)
        for key, ends in known.ends.items():
            anew, on = goes_on(ends)
            journaled = (os.getpid(), name, key)
            if on and place is not None and journaled not in self._journaled:
                self._journaled.add(journaled)
                keys = {"type": name, "message": ".".join(key), "number": on, "workers": [anew]}
                self._tell("count-goes-on", frame=frame_of(place), **keys)


class _Counts:
    """The counts that step() of one object adds, by their keys."""

    __slots__ = ("_before", "_begun", "_calls", "_texts", "ends", "is_over", "object", "owner")

    def __init__(self, owner: type, layer: object, texts: Set[str]) -> None:
        self.owner, self.object, self._texts = owner, weakref.ref(layer), texts
        self._calls = 0
        self._begun: Dict[int, int] = {}
        self._before: Dict[int, Tuple[str, Dict[Key, int]]] = {}
        self.ends: Dict[Key, List[CountedEnd]] = {}
        self.is_over = False

    def add(self, returned: object) -> bool:
        """Take in what a call returned. Return whether an episode ended."""
        self._calls += 1
        ends = list(_ends(returned))
        for slot, how in ends:
            self._add_end(slot, how, _info(returned, slot))
        return bool(ends)

    def _add_end(self, slot: int, how: str, info: Dict[Key, object]) -> None:
        steps = self._calls - self._begun.get(slot, 0)
        numbers = {
            key: _integer(value, slot)
            for key, value in info.items()
            if not self._texts.isdisjoint(key)
        }
        counts = {key: number for key, number in numbers.items() if number is not None}
        how_before, before = self._before.get(slot, ("", {}))
        for key, count in counts.items():
            ended = CountedEnd(steps, count, before.get(key), how_before)
            self.ends.setdefault(key, []).append(ended)
        self._begun[slot], self._before[slot] = self._calls, (how, counts)
        self.is_over = max(map(len, self.ends.values()), default=ENDS) >= ENDS


def goes_on(ends: List[CountedEnd]) -> Tuple[int, int]:
    """Return after how many terminated ends a count of steps begins anew, and after how many
    truncated ones it goes on from the episode before: 0, 0 where it does not after each, or too few
    were seen. A vectorizer may take a step to begin anew.
    """
    truncated = [each for each in ends if each.how == TRUNCATED and each.before]
    terminated = [each for each in ends if each.how == TERMINATED and each.before]
    fits = any(
        all(each.number == each.steps - spent for each in terminated)
        and all(each.number == each.steps - spent + (each.before or 0) for each in truncated)
        for spent in (0, 1)
    )
    is_enough = len(truncated) >= ON and len(truncated) + len(terminated) >= LEAST
    return (len(terminated), len(truncated)) if fits and is_enough else (0, 0)


def _texts(constants: Iterable[object]) -> Iterator[str]:
    """The texts of a function's constants that may be keys, those of a dict's keys among them."""
    for value in constants:
        if type(value) is str and value.isidentifier():
            yield value
        elif type(value) is tuple:
            yield from _texts(value)
        elif type(value) is types.CodeType:  # of a comprehension
            yield from _texts(value.co_consts)


def _ends(returned: object) -> Iterator[Tuple[int, str]]:
    """The slots whose episodes a step() ended, and how."""
    if type(returned) is not tuple or len(returned) not in (4, 5):
        return
    ended: Array = returned[2]
    cut: Array = returned[3] if len(returned) == 5 else None
    if type(ended).__name__ in BOOLS:
        if ended or cut:
            yield 0, _how(ended and (cut is not None or not _is_cut(returned, 0)))
    elif is_array(ended) and ended.dtype == bool and ended.ndim == 1:
        for slot in range(min(len(ended), SLOTS)):
            if ended[slot] or (cut is not None and cut[slot]):
                yield slot, _how(ended[slot] and (cut is not None or not _is_cut(returned, slot)))


def _how(terminated: object) -> str:
    return TERMINATED if terminated else TRUNCATED


def _is_cut(returned: Tuple[object, ...], slot: int) -> bool:
    """Return whether infos of an older interface say that a time limit ended an episode."""
    value = _info(returned, slot).get((TIME_LIMIT,))
    return bool(_integer(value, slot))


def _info(returned: object, slot: int) -> Dict[Key, object]:
    """The values of the infos of one instance by their keys, and those of its episode."""
    infos: object = returned[-1] if type(returned) is tuple else None
    if isinstance(infos, (list, tuple)):
        infos = infos[slot] if slot < len(infos) else None
    if not isinstance(infos, dict):
        return {}
    values: Dict[Key, object] = {(key,): infos[key] for key in infos if type(key) is str}
    episode = values.pop((EPISODE,), None)
    if type(episode) is dict:
        values.update({(EPISODE, key): episode[key] for key in episode if type(key) is str})
    return values


def _integer(value: Array, slot: int) -> Optional[int]:
    """A whole number, also as one of a batch; None of anything else."""
    if is_array(value) and value.ndim == 1 and slot < len(value):
        value = value[slot].item()
    elif type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()
    if type(value) not in (bool, int, float) or not -MOST < value < MOST or value != int(value):
        return None
    return int(value)
