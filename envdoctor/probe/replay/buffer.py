"""A storage that is being filled: transitions in, readings out."""

from __future__ import annotations

import contextlib
import gc
import weakref
from typing import Callable, Dict, List, Sequence

from envdoctor.probe import environment_api
from envdoctor.probe.growth.meters import HEAP, OBJECTS, MeterReader
from envdoctor.probe.replay import fidelity, gauge, graphs, holders
from envdoctor.probe.replay import files as leavings
from envdoctor.probe.replay.collection import Walk
from envdoctor.probe.replay.sizes import parts_of, values
from envdoctor.probe.replay.storages import Store, Transition
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.wrappers import innermost

WARM = 3  # episodes before the first reading
WARM_STEPS = 20
TURNS = 4  # of the ring past its capacity, at most
WITNESSES = 12  # transitions that are kept in full, and as many that follow them
FOLLOWED = 8  # observations of the first turn that are followed until they should be gone
# That a turn may take besides what is stored: readings, an odd string.
PLAIN = {OBJECTS: 64, HEAP: 16384}
SHARE = 0.002  # of what the storage took: episodes differ from turn to turn


class Nothing(Store):
    """Keeps nothing: what the environment does without a storage."""

    def pack(self, _transition: Transition) -> object:
        """Nothing."""

    def form(self, _packed: object) -> Dict[str, object]:
        """Nothing."""
        return {}

    def add(self, _packed: object) -> None:
        """Nothing."""

    def __len__(self) -> int:
        """None."""
        return 0

    def read(self, _slot: int) -> Dict[str, object]:
        """Nothing."""
        return {}

    def leaves(self, _slots: Sequence[int]) -> Dict[str, List[object]]:
        """None."""
        return {}

    def close(self) -> None:
        """Nothing."""


class Stock:
    """One instance, the loop that steps it, and the storage of `capacity` that it fills.
    `folder` is where temporary files go.
    """

    def __init__(
        self, environment: object, walk: Walk, capacity: int, reader: MeterReader, folder: str
    ) -> None:
        self.environment = environment
        self.walk = walk
        self.capacity = capacity
        self.folder = folder
        self.prints = fidelity.Fingerprints(capacity * (TURNS + 2) + 4 * WITNESSES)
        self.gauge = gauge.Gauge(reader)
        self.store: Store = Nothing()
        self.files = leavings.files(folder)
        self.pushed = 0
        self.follow = 0  # how many observations are to be followed from here on
        self.followed: List[Callable[[], object]] = []  # weak references to them
        self.size = 0  # bytes of the observations of the last stretch, on the average

    def open(self, opened: Callable[[int], Store], slots: int, budget: float) -> None:
        """Warm instance and framework up with a storage of a few slots, read, and begin with
        one of the whole capacity.
        """
        self._warm(opened(slots), Deadline(budget))
        self.walk.forget()
        self.walk.number = 0
        self.gauge.read()
        self.store = opened(self.capacity)

    def _warm(self, small: Store, deadline: Deadline) -> None:
        for step in range(1, WARM * WARM_STEPS + 1):
            packed = small.pack(self.walk.next(small.take, last=step % WARM_STEPS == 0))
            small.form(packed)
            small.add(packed)
            if deadline.passed:
                break
        small.close()

    def fill(self, count: int, budget: float) -> Dict[str, object]:
        """So many transitions, as far as the time goes, and a reading between two episodes:
        {stored, seconds, rose, memory, collected}.
        """
        deadline = Deadline(budget)
        size = 0
        done = 0
        for done in range(1, count + 1):
            late = deadline.passed
            size += self._push(done == count or late)
            if late:
                break
        self.size = size // max(1, done)
        seconds = deadline.seconds
        del deadline  # it would be in the reading
        return dict(self._reading(), stored=done, seconds=seconds)

    def _push(self, last: bool) -> int:
        transition = self.walk.next(self._take, last)
        self._keep(transition)
        return sum(leaf[2] for leaf in values(transition.observation))

    def _keep(self, transition: Transition) -> Dict[str, object]:
        packed = self.store.pack(transition)
        form = self.store.form(packed)
        self.prints.take(self.pushed, form)
        self.store.add(packed)
        self.pushed += 1
        return form

    def _take(self, observation: object) -> object:
        if len(self.followed) < self.follow:
            for leaf in parts_of(observation):
                with contextlib.suppress(TypeError):  # a number
                    self.followed.append(weakref.ref(leaf))
        return self.store.take(observation)

    def _reading(self) -> Dict[str, object]:
        self.walk.forget()
        index = self.gauge.read()
        return {
            "kept": len(self.store),
            "rose": self.gauge.rose(0, index),
            "collected": self.gauge.collected(index),
            "observation": self.size,
        }

    def past(self, count: int, budget: float) -> Dict[str, object]:
        """Whole turns of the ring: {full: rises until then, turns: [{stored, rose, collected}],
        flat, followed, holder}.
        """
        if len(self.store) < self.capacity and not isinstance(self.store, Nothing):
            return {"short": len(self.store)}
        limit, turns = Deadline(budget), []
        full = self.gauge.read()
        self.follow = FOLLOWED
        tolerated = self._tolerated(full)
        flat = False
        for turn in range(1, TURNS + 1):
            since = self.gauge.count[0] - 1
            filled = self.fill(count, budget)
            rose = self.gauge.rose(since, self.gauge.count[0] - 1)
            turns.append(dict(filled, rose=rose))
            flat = all(rose.get(meter, 0) <= most for meter, most in tolerated.items())
            if flat or limit.seconds * (turn + 1) / turn > budget:
                break
        return {
            "full": self.gauge.rose(0, full),
            "turns": turns,
            "flat": flat,
            "tolerated": tolerated,
            "points": gauge.points(self.gauge, 0),
            **self._followed(),
        }

    def _tolerated(self, full: int) -> Dict[str, int]:
        rose = self.gauge.rose(0, full)
        return {
            meter: max(least, int(SHARE * rose.get(meter, 0))) for meter, least in PLAIN.items()
        }

    def _followed(self) -> Dict[str, object]:
        """Count the observations of the first turn that live on although their places were taken,
        and name the holder of one.
        """
        gc.collect()
        alive = {
            id(reference()): reference for reference in self.followed if reference() is not None
        }
        held_by = (
            holders.holder(innermost(self.environment), next(iter(alive.values()))) if alive else ""
        )
        return {"followed": len(self.followed), "alive": len(alive), "holder": held_by}

    def _witness(self, budget: float) -> fidelity.Witnesses:
        """Some transitions whose contents are kept aside, and as many after them."""
        witnesses = fidelity.Witnesses(self.store, self.capacity)
        count, deadline = min(WITNESSES, max(1, self.capacity // 2)), Deadline(budget)
        for index in range(2 * count):
            form = self._keep(self.walk.next(self.store.take))
            if index < count <= self.capacity // 2:
                witnesses.add(self.pushed - 1, form)
            if deadline.passed:
                break
        return witnesses

    def look(self, budget: float) -> Dict[str, object]:
        """Compare what is kept with what was produced."""
        witnesses = self._witness(budget)
        compared, wrong = fidelity.changed(self.store, self.prints, self.pushed, self.capacity)
        slots = [
            number % self.capacity
            for number in fidelity.numbers_kept(self.pushed, len(self.store), 64)
        ]
        changed = witnesses.first_change() if wrong else None
        named = [number % self.capacity for number in wrong[-fidelity.MAX_NAMED :]]
        fact: Dict[str, object] = {"compared": compared, "wrong": len(wrong), "slots": named}
        fact.update(first=changed and changed._asdict())
        fact.update(shared=fidelity.shared(self.store, slots, changed.key) if changed else [])
        fact.update(mapped=leavings.mapped(self.folder))
        fact.update(
            slices=fidelity.slices(
                self.store, self.prints, min(fidelity.LENGTH, self.walk.longest)
            ),
            graph=self._graph(slots),
        )
        return fact

    def _graph(self, slots: List[int]) -> Dict[str, object]:
        """{nodes: {key: count}, memory, objects: what came back when the stored tensors were
        detached}.
        """
        nodes = graphs.attached(self.store, slots)
        if not nodes:
            return {"nodes": {}}
        self.walk.forget()
        before = self.gauge.read()
        self.store.detach()
        after = self.gauge.read()
        back = self.gauge.rose(after, before)
        return {
            "nodes": nodes,
            "memory": self.gauge.memory(before) - self.gauge.memory(after),
            HEAP: back.get(HEAP, 0),
            OBJECTS: back.get(OBJECTS, 0),
        }

    def another(self, store: Store) -> Transition:
        """One more transition, for another storage."""
        return self.walk.next(store.take)

    def empty(self) -> Dict[str, object]:
        """Drop the storage and the instance: {rose: against the beginning, collected: what only
        the collector gave back}.
        """
        self.walk.forget()
        self.store.close()
        self.store = Nothing()
        if callable(getattr(self.environment, "close", None)):
            environment_api.close(self.environment)
        self.environment = self.walk.environment = None
        index = self.gauge.read()
        return {"rose": self.gauge.rose(0, index), "collected": self.gauge.collected(index)}
