"""Facts of comparisons: what instances that were asked the same returned, where a scenario is over;
and what was handed out and changed afterwards.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, ClassVar, Dict, Mapping, Optional, Tuple

from envdoctor.model.environment_aims import BlockingPlace, SharedPlace
from envdoctor.model.errors import ErrorValue
from envdoctor.model.facts.decoding import Fact, as_json, encoded_name, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Difference:
    """The first difference of two values: a path such as `observation["image"]`, the aspect that
    differs ("value", "type", "dtype", "shape", "keys", "length", or "contents": too large to say
    where), both values as short texts, and the index of the element in an array, if there is one.
    """

    key: str
    what: str
    values: Tuple[str, str]
    place: Optional[Tuple[int, ...]]


@dataclass(frozen=True)
class CallDifference(Difference):
    """A difference, and the `call` ("reset" or "step") that returned it, after so many steps."""

    call: str
    step: int


@dataclass(frozen=True)
class Comparison(Fact):
    """Two lists of answers: how many calls were compared, what could not be compared, and the first
    difference, if there is one.
    """

    calls: int = 0
    unknown: Tuple[str, ...] = ()
    difference: Optional[CallDifference] = None

    @property
    def differs(self) -> bool:
        """True if there is a difference."""
        return self.difference is not None

    @property
    def first(self) -> CallDifference:
        """The difference of a comparison that has one."""
        if self.difference is None:
            raise LookupError("nothing differs")
        return self.difference

    def as_json(self) -> Dict[str, object]:
        """As the journal has it."""
        return _written(self)


@dataclass(frozen=True)
class Swallowed:
    """An error that was caught where it was raised, and the line of the user's that met it."""

    error: str
    place: Optional[Location] = None


@dataclass(frozen=True)
class SameSeed(Comparison):
    """Two instances of one process."""

    KEY: ClassVar[str] = "same-seed"


@dataclass(frozen=True)
class Reseeded(Comparison):
    """One instance, and the same seed twice."""

    KEY: ClassVar[str] = "reseeded"


@dataclass(frozen=True)
class Unmoved(Fact):
    """So many `steps` of an instance that never changed the observation of their episode, while
    their `rewards` took so many values; whether its episodes begin otherwise, by fractions
    (`varies`).
    """

    KEY: ClassVar[str] = "unmoved"

    steps: int = 0
    rewards: int = 0
    varies: bool = False


@dataclass(frozen=True)
class NotNumbers(Fact):
    """Of so many `steps`, `rewards` is how many returned one that is NaN or infinite, as `reward`
    says of the first; `observations` is how many calls returned one with a NaN. The steps of their
    episodes in which each came first, 0 for reset().
    """

    KEY: ClassVar[str] = "not-numbers"

    steps: int = 0
    rewards: int = 0
    reward: str = ""
    first_reward: int = 0
    observations: int = 0
    first_observation: int = 0


@dataclass(frozen=True)
class StaleInfo(Fact):
    """After each of so many `episodes`, the info of reset() had under a `key` the number of the
    last step, which an `attribute` of the environment still has.
    """

    KEY: ClassVar[str] = "stale-info"

    key: str = ""
    attribute: str = ""
    episodes: int = 0


@dataclass(frozen=True)
class Repeated(Comparison):
    """The first episode of one instance, which was given a seed, and those that began without one
    (`episodes`) until another seed was given. Of `seeds` other ones, so many played `otherwise`.
    """

    KEY: ClassVar[str] = "repeated"

    episodes: int = 0
    seeds: int = 0
    otherwise: int = 0


@dataclass(frozen=True)
class Paired(Comparison):
    """Two instances of one process, which were asked more than the plain life asks: to begin with
    each of `seeds`. Of the first observations of one instance, so many are different
    (`beginnings`).
    """

    KEY: ClassVar[str] = "paired"

    seeds: Tuple[int, ...] = ()
    beginnings: int = 0


@dataclass(frozen=True)
class OtherProcess(Comparison):
    """Another process, which hashes otherwise."""

    KEY: ClassVar[str] = "other-process"


@dataclass(frozen=True)
class OtherProcessAlike(Comparison):
    """Another process, which hashes alike."""

    KEY: ClassVar[str] = "other-process-alike"


@dataclass(frozen=True)
class Mirrored(Comparison):
    """The instances of one manager among themselves; whether two episodes of the first of them
    differ by fractions (`varies`), and whether an instance's observations ever change (`moves`).
    """

    KEY: ClassVar[str] = "mirrored"

    varies: Optional[bool] = None
    moves: Optional[bool] = None


@dataclass(frozen=True)
class _OfPlace:
    """The manager and start method of the instance that is compared."""

    manager: str
    start_method: Optional[str]


@dataclass(frozen=True)
class Replayed(Comparison, _OfPlace):
    """One instance of a manager against none. `seeds_matter` is whether first observations differ
    between seeds, None where there was one seed; `moves` whether the observations change without
    the manager; `skipped` says why nothing was compared.
    """

    KEY: ClassVar[str] = "replayed"

    slot: Optional[int] = None
    seed: Optional[int] = None
    seeds_matter: Optional[bool] = None
    moves: Optional[bool] = None
    skipped: str = ""


@dataclass(frozen=True)
class SideBySide(Fact):
    """Instances that are used side by side: the comparison of two lives that were `alone`, and of
    each of the others with the first of those.
    """

    KEY: ClassVar[str] = "side-by-side"

    alone: Comparison = Comparison()
    instances: Tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class Finalizer(Fact):
    """The `function` that ran when a closed instance was freed, a __del__() of the user's, and the
    first line in it, or in what it calls, that `called` code of another file.
    """

    KEY: ClassVar[str] = "finalizer"

    function: str = ""
    called: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class InThread(Comparison):
    """One instance in a thread against one in the main thread. `failed` is the call that raised
    `error` there and not in the main thread; `bound` the call that raised it of an instance that
    was made in the main thread, where one that is made in the thread goes well; with
    `reset_in_another_thread`, where one goes well that was reset in the thread of the call.
    `swallowed` is an error that was raised and caught there, and its line, where results differ;
    `skipped` says why nothing was compared.
    """

    KEY: ClassVar[str] = "in-thread"

    failed: str = ""
    bound: str = ""
    reset_in_another_thread: bool = field(default=False, metadata=key("reset_elsewhere"))
    error: Optional[ErrorValue] = None
    swallowed: Optional[Swallowed] = None
    skipped: str = ""


@dataclass(frozen=True)
class CalledLibrary:
    """An extension module whose functions two instances call, and a line that does so."""

    name: str
    file: str
    line: int


@dataclass(frozen=True)
class SharedState(Fact):
    """State that two instances share: the `places` with which they were tried, and did not disturb
    each other where each had its own; and the `libraries` that both call, which cannot be tried.
    """

    KEY: ClassVar[str] = "shared-state"

    places: Tuple[SharedPlace, ...] = ()
    libraries: Tuple[CalledLibrary, ...] = ()


@dataclass(frozen=True)
class BlockingState(Fact):
    """The `places` that the first instance left changed: a second one could not be made, and could
    once they had again what they had at first.
    """

    KEY: ClassVar[str] = "blocking-state"

    places: Tuple[BlockingPlace, ...] = ()


@dataclass(frozen=True)
class LeftoverPlace:
    """An attribute by its `name`, such as "self.observer.start"; the class of the object that has
    it, and whether that object `resets`: it has a reset() that an episode does not call, and is not
    the environment itself. Its `setter` is the one method of that class that sets the attribute and
    takes nothing, and that reset() does not call.
    """

    name: str
    class_name: str = field(default="", metadata=key("class"))
    resets: bool = False
    setter: str = ""


@dataclass(frozen=True)
class Leftover(Fact):
    """The `places` in which something of an episode lives on: the same seed gave another episode,
    and the same once they had again what they had before the first one.
    """

    KEY: ClassVar[str] = "leftover"

    places: Tuple[LeftoverPlace, ...] = ()


@dataclass(frozen=True)
class KeptOfSeeds(Fact):
    """The bytes that each round of so many `resets` with new seeds left in an instance, as shows
    when it is given the first seed again; and, in all rounds together, how many `objects` of which
    classes, and how many bytes in which `arrays` ("Map.image").
    """

    KEY: ClassVar[str] = "kept-of-seeds"

    resets: int
    rounds: Tuple[int, ...] = ()
    objects: Mapping[str, int] = field(default_factory=dict)
    arrays: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ChangedKey:
    """A number of the final info that a narrower type cut off, as texts."""

    key: str
    alone: str
    under: str


@dataclass(frozen=True)
class EndedAlone(Fact, _OfPlace):
    """The end of an instance's first episode under a manager against none: step and how
    ("terminated", "truncated", "done") each came to its end, `alone` and `under` the manager;
    `difference` of the steps before the end; `final` (whether there was a final observation),
    `observation`: the difference of the final ones; keys of the final info that were `lost` or
    `changed`; `begun`: the difference of the next episode's first observations. `skipped` says why
    nothing was compared.
    """

    KEY: ClassVar[str] = "ended-alone"

    scenario: str
    slot: Optional[int] = None
    seed: Optional[int] = None
    calls: int = 0
    difference: Optional[CallDifference] = None
    alone: Optional[Tuple[int, str]] = None
    under: Optional[Tuple[int, str]] = None
    final: bool = True
    observation: Optional[Difference] = None
    begun: Optional[Difference] = None
    lost: Tuple[str, ...] = ()
    changed: Tuple[ChangedKey, ...] = ()
    skipped: str = ""

    def as_json(self) -> Dict[str, object]:
        """As the journal has it."""
        return _written(self)


@dataclass(frozen=True)
class _Changed(Fact):
    """An object of a `type` that a call changed, and the first difference."""

    type: str
    key: str
    difference: str
    place: Optional[Tuple[int, ...]]
    values: Tuple[str, str]

    @property
    def first(self) -> Difference:
        """The first difference."""
        return Difference(self.key, self.difference, self.values, self.place)


@dataclass(frozen=True)
class ActionChanged(_Changed):
    """The first action that a step() wrote into."""

    KEY: ClassVar[str] = "action-changed"


@dataclass(frozen=True)
class ChangedLater(_Changed):
    """A returned object that a later call changed. `what` is "observation" or "info"; `same`: that
    call returned the same object again. `id` is the object's.
    """

    KEY: ClassVar[str] = "changed-later"

    what: str
    id: int
    returned_by: str
    changed_by: str
    same: bool


@dataclass(frozen=True)
class Copied(Fact):
    """The attempt to deep-copy an instance and step the copy. `failed` is the reason, or None;
    `error` the same, where it recursed without an end. `kept` is the class of an argument that
    EzPickle keeps, at a `place`, and that cannot be pickled. `unmade` is the class of an object
    that is made anew by `maker`, which does not take the arguments that its __reduce__() gives.
    """

    KEY: ClassVar[str] = "copied"

    failed: Optional[str]
    error: Optional[ErrorValue] = None
    kept: str = ""
    unmade: str = ""
    maker: str = ""
    place: Optional[Location] = None


@dataclass(frozen=True)
class ContinuedCopy(Comparison):
    """A deep copy of an instance that was given the next actions of the original, against what the
    plain life returned to them; `error` is what its step() raised.
    """

    KEY: ClassVar[str] = "continued-copy"

    error: Optional[ErrorValue] = None


def _written(value: DataclassInstance) -> Dict[str, object]:
    """Every field of a comparison that was made, whether it has its default or not."""
    kept = [each for each in fields(value) if each.name != "skipped"]
    return {encoded_name(each): as_json(getattr(value, each.name)) for each in kept}
