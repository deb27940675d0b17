"""Ends of episodes under a manager, compared with those of an instance that is asked the same
without one.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Callable, Dict, List, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.scenario import EPISODES
from envdoctor.model.trajectory import Call, Frozen
from envdoctor.probe.comparison import endings
from envdoctor.probe.comparison.asking import TYPES, Ask, ask_to_the_end
from envdoctor.probe.comparison.comparing import slots
from envdoctor.probe.comparison.frozen import first_difference, thaw
from envdoctor.probe.comparison.replaying import retyped
from envdoctor.probe.comparison.trajectory import compare, load, named, recordings
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.instrument import BareFactory

CALLS = ("reset", "step")
TOO_LONG = "asked the same alone, its steps took too long"
RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # kinds of numbers: each holds those before it


def compare_ends(
    factory: BareFactory,
    managers: Mapping[str, object],
    journal: Journal,
    ownership: Ownership,
    budget: float,
) -> None:
    """Journal an `ended-alone` fact for each instance of each manager whose episode was followed to
    its end, asked as the module of that manager says. Steps end when `budget` seconds are over.
    """
    deadline = Deadline(budget)
    for path in recordings(journal.path):
        name, manager, start_method, _ = named(path)
        if name not in EPISODES or manager == "direct":
            continue
        for slot, records in sorted(slots(load(path)).items()):
            episode = first_episode(records)
            if len(episode) < 2 or episode[0].seed is None:
                continue
            place = {
                "scenario": name,
                "manager": manager,
                "start_method": start_method or None,
                "slot": slot,
                "seed": episode[0].seed,
            }
            ask = getattr(managers[manager], "ask", ask_to_the_end)
            try:
                asked = partial(_asked, ask, factory, deadline)
                fact = _compare(asked, episode, ask is not ask_to_the_end, deadline)
            except Exception as error:  # the environment's own
                fact = {
                    "skipped": "%s: %s" % (type(error).__name__, error),
                    "error": error_value(error, ownership),
                }
            journal.write("fact", key="ended-alone", value=dict(place, **fact))


def first_episode(records: List[Call]) -> List[Call]:
    """The first reset, the steps to the end of its episode, and the two records of that end."""
    ends = [at for at, call in enumerate(records) if at and call.name == "reset"]
    return records[: ends[0]] if ends else records


def _asked(ask: Ask, factory: BareFactory, deadline: Deadline, episode: List[Call]) -> List[Call]:
    return ask(factory, _calls(episode), deadline)


def _compare(
    ask: Callable[[List[Call]], List[Call]], episode: List[Call], retypes: bool, deadline: Deadline
) -> Dict[str, object]:
    """The comparison; where something differs, only after a second instance that was alone agreed
    with the first: else it is the environment that does not repeat itself. A manager that `retypes`
    makes values what is specified: what another type than that does to them says nothing.
    """
    alone = ask(episode)
    comparison = compare(_calls(alone), _calls(episode))
    first = comparison.difference
    if retypes and first is not None and first.what in TYPES:
        return {"skipped": retyped(comparison)}
    ends = _ends(alone, episode)
    if ends.under and not ends.alone and deadline.passed:
        return {"skipped": TOO_LONG}
    if ends.differ:
        again = _ends(alone, ask(episode))
        if again.differ or again.calls < ends.calls:
            return {"skipped": "two instances without a manager, asked the same, differ as well"}
    return asdict(ends)


@dataclass(frozen=True)
class Ends:
    """The ends of two episodes: how many `calls` were compared and their first `difference`, at
    which step and how each ended (`alone`, `under` a manager), whether the manager hands over the
    `final` observation, what differs in that `observation` and in the first one of the next episode
    (`begun`), and what of the final info is `lost` or `changed`.
    """

    calls: int
    difference: Optional[Dict[str, object]]
    alone: Optional[Tuple[int, str]]
    under: Optional[Tuple[int, str]]
    final: bool
    observation: Optional[Dict[str, object]]
    begun: Optional[Dict[str, object]]
    lost: List[str]
    changed: List[Dict[str, str]]

    @property
    def differ(self) -> bool:
        """True where anything of the two ends differs."""
        other_start = bool(self.alone and self.under and self.alone[0] != self.under[0])
        differences = (self.difference, self.observation, self.begun, self.lost, self.changed)
        return any(map(bool, differences)) or other_start or bool(self.under and not self.final)


def _ends(alone: List[Call], under: List[Call]) -> Ends:
    steps = compare(_calls(alone), _calls(under))
    ends = (_end(alone), _end(under))
    finals = (_call_named(alone, endings.FINAL), _call_named(under, endings.FINAL))
    begun = (_call_named(alone, endings.BEGUN), _call_named(under, endings.BEGUN))
    kinds = [end[0] for end in ends if end]
    both = len(kinds) == 2 and kinds[0] == kinds[1] and steps.difference is None
    lost, changed = _infos(*finals) if both else ([], [])
    return Ends(
        calls=steps.calls,
        difference=steps.first_as_dict(),
        alone=ends[0],
        under=ends[1],
        final=finals[1] is None or finals[1].observation is not None,
        observation=_difference(*finals) if both else None,
        begun=_difference(*begun) if both else None,
        lost=lost,
        changed=changed,
    )


def _calls(records: List[Call]) -> List[Call]:
    return [call for call in records if call.name in CALLS]


def _call_named(records: List[Call], name: str) -> Optional[Call]:
    return next((call for call in records if call.name == name), None)


def _end(records: List[Call]) -> Optional[Tuple[int, str]]:
    """(step, how) of the end of an episode; None where it was not reached."""
    if _call_named(records, endings.FINAL) is None:
        return None
    steps = [call for call in records if call.name == "step"]
    last = steps[-1] if steps else Call("step")
    truths = (bool(_number(last.terminated)), bool(_number(last.truncated)))
    return len(steps), endings.how(*truths) or endings.DONE


def _difference(alone: Optional[Call], under: Optional[Call]) -> Optional[Dict[str, object]]:
    """Return the first difference in value: in type they differ where a manager converts them."""
    if alone is None or under is None or alone.observation is None or under.observation is None:
        return None
    difference = first_difference(alone.observation, under.observation, "observation")
    return None if difference is None or difference.what in TYPES else dict(difference._asdict())


def _infos(left: Optional[Call], right: Optional[Call]) -> Tuple[List[str], List[Dict[str, str]]]:
    """The keys of the final info that were lost, and the numbers that a narrower type cut off."""
    alone, under = endings.frozen_keys(left), endings.frozen_keys(right)
    lost = sorted(key for key in alone if key not in under)
    changed = [
        {"key": key, "alone": repr(numbers[0]), "under": repr(numbers[1])}
        for key in sorted(set(alone) & set(under))
        for numbers in [(_number(alone[key]), _number(under[key]))]
        if _is_cut(*numbers)
    ]
    return lost, changed


def _is_cut(alone: object, under: object) -> bool:
    """Return whether a number became another one in a type that holds less."""
    ranks = [RANK.get(_kind(number), -1) for number in (alone, under)]
    return 0 <= ranks[1] < ranks[0] and bool(alone != under)


def _kind(number: object) -> str:
    known = {bool: "b", int: "i", float: "f", complex: "c"}
    return known.get(type(number)) or str(getattr(getattr(number, "dtype", None), "kind", ""))


def _number(frozen: Optional[Frozen]) -> object:
    """The number that was frozen; None where it is none."""
    if not frozen or frozen[0] not in ("plain", "scalar"):
        return None
    value = thaw(frozen)
    return value if _kind(value) in RANK else None
