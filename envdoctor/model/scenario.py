"""A scenario: one experiment, written as a line of verbs."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Dict, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.faults import Fault, fault_of
from envdoctor.model.traits import ORDINARY, TRAITS, VARIANT, Traits

DIRECT = "direct"

#: The option of scenarios that read what a service keeps, by a command of the user's.
SERVICE_COUNT = "service_count"

#: The name of the life under a manager that must not use shared memory.
WITHOUT_SHARED_MEMORY = "without-shared-memory"

#: The name of the life under a manager that shares no memory with its instances, and sends what
#: they return through pipes.
#: The option of a launch that is asked for instances besides those that it hosts.
MORE_INSTANCES = "more_instances"

WITHOUT_BUFFERS = "without-buffers"

#: The name of the cure where an instance that is built in the parent is one too many.
WITHOUT_SHADOW = "without-shadow"

#: The name of a life under a manager in which no reset() has a seed.
UNSEEDED = "unseeded"

#: The names of what plays whole episodes: in the manager's own way to go on after an end, and in
#: Gymnasium's two others.
EPISODE, EPISODE_SAME_STEP, EPISODE_DISABLED = "episode", "episode-same-step", "episode-disabled"
EPISODES = (EPISODE, EPISODE_SAME_STEP, EPISODE_DISABLED)

HUMAN, RGB_ARRAY = "human", "rgb_array"

#: Two windows of one process, which few environments outlive, and then their process with them.
TWO_WINDOWS = "two-windows"

#: Two instances that are rendered side by side, in the mode that was asked for.
TWO_RENDERED = "two-rendered"

#: Two instances of which images are compared, each with those of one that is alone.
IMAGES = "images"

#: A closed instance is given up, and collected, when the next one is played already.
FREED_LATE = "freed-late"

#: The name of a launch that failed, played once more before anything that may cure it.
FAILING_AGAIN = "failing-again"

#: The name of the lives off the main thread.
IN_THREAD = "in-thread"

#: The name of the lives whose first reset() is made to fail.
FAILING_RESET = "failing-reset"

#: One instance that is reset again and again without a seed.
BEGINNINGS = "beginnings"

#: Lives in which what was returned is overwritten.
OVERWRITTEN = "overwritten"

#: What happens to instances beyond one launch: launched again; the reset of one fails once, and it
#: is reset again, or another one takes its place; each reset is given parameters.
RELAUNCHED, RETRIED, RENEWED, CONFIGURED = "relaunch", "retried", "renewed", "parameters"

#: Those that a null environment can be played in as well.
OPENED_AGAIN = (RELAUNCHED, RETRIED, RENEWED)

#: The option that names files besides the subject's own.
FILES = "files"

#: Start methods whose workers are programs of their own: they import everything again, and hash
#: otherwise than the probe.
EXECUTED = ("forkserver", "spawn")

#: Every verb a script may use. `verb:argument` gives it a number or a word, `verb@k` names the k-th
#: instance.
VERBS = {
    "survey": "find the subject, import it, describe it",
    "call": "call the function that the subject names, once",
    "make": "build one instance (under a manager: launch it)",
    "reset": "reset; the first one of a life with the seed",
    "step": "step N times, resetting when an episode ends",
    "episode": (
        "step until the episode ends, N steps at most (episode:2000; episode:2000x3 is three"
        " episodes)"
    ),
    "begin": "reset without a seed",
    "beginnings": (
        "reset without a seed again and again, with a few steps each: beginnings:50x20 is 50 resets"
        " with up to 20 steps"
    ),
    "reseed": "reset with the seed of the first reset",
    "repeat": "reset without a seed, and begin the actions of the first episode anew",
    "vary": "reset with another seed (vary:1 is the next one)",
    "count": "reset, and count the files, sockets, processes and threads that it asks for",
    "deny": "reset, and have the last thing that it asks for fail as it fails on a full machine",
    "mirror": "N steps with the same action for every instance of a manager",
    "render": "render once",
    "picture": "render once, keep the image, and see whether it has one color",
    "close": "close",
    "relaunch": "close a manager and launch it again",
    "free": "give up one of two instances, and see which __del__() runs",
    "drop": "give up the last reference, collect garbage, wait for what needs a moment to go",
    "leave": (
        "give the instance to the main module, where a script that never closes has it when Python"
        " exits"
    ),
    "windowless": "from here on, this process has no screen: rendering must do without one",
    "copy": "make a deep copy, step it, and let go of it",
    "apart": (
        "from here on, give each of two instances its own of what they were seen to share and"
        " change: all of it first, then halves of what was enough"
    ),
    "remember": "remember what the subject's modules and classes keep",
    "restore": (
        "where no further instance can be made, give back to modules and classes what they had at"
        " first: all that changed, then halves of it; and make one again"
    ),
    "watch": (
        "from here on, journal who builds and closes instances of the environment's own class, and"
        " what its attributes hold"
    ),
    "acquisitions": (
        "from here on, journal which line of code takes descriptors, threads, processes and files"
    ),
    "effects": (
        "import the subject, and from here on journal which of its lines changes what belongs to"
        " the whole process"
    ),
    "check": (
        "run the checkers of the framework that the subject belongs to, or of one that trains,"
        " by its name"
    ),
    "pickle": "pickle the factory, plainly and with cloudpickle",
    "carry": (
        "pickle what an instance sends to other processes, and the package's exceptions; build it"
        " again from its specification"
    ),
    "fail": (
        "have every instance of a manager raise an error of this class, and see what the parent"
        " gets (fail:GripperError)"
    ),
    "threaded": (
        "a life of N steps in a thread of its own; where that differs, one in the main thread"
    ),
    "layers": (
        "play each layer of a wrapped environment without what is around it, N steps in each"
        " episode"
    ),
    "leftover": (
        "give back to attributes of an instance what they had before its first episode, of N steps:"
        " all that changed, then halves of it; and play the episode again"
    ),
    "caught": "N resets of one instance, in which errors are noted that are raised and caught",
    "binds": "from here on, note to which addresses sockets are bound",
    "ports": "where no instance could be made, look what keeps the port that was bound last",
    "replay": (
        "ask instances without a manager what managers' instances were asked in their first episode"
        " (replay:episode: to its end, and beyond)"
    ),
    "calibrate": "try the exact meters with known amounts, and with nothing",
    "warm": (
        "N whole cycles that are not read, more while modules are still being imported (warm:3 or"
        " warm:3x1x20)"
    ),
    "open": (
        "build one instance, whose resets are the cycles from here on (open:seeds: each cycle with"
        " another seed)"
    ),
    "shut": "close it",
    "block": (
        "read the meters, run cycles, read again; block:7x1x20x0 is 7 creates, each of 1 reset, 20"
        " steps and 0 renders"
    ),
    "suspects": (
        "cycles between two censuses of the heap: what grew, and who holds it; bounded caches that"
        " grew are emptied"
    ),
    "rest": "a block, for the verdict on what grows without the containers that are cut back",
    "cut": (
        "from here on, containers that grew are cut back before every reading: what grows without"
        " them shows (cut:1 one more, cut:0 all)"
    ),
    "uncollected": "from here on, gc.collect() does nothing unless the doctor calls it",
    "garbage": (
        "N cycles without the collector (garbage:7x1x20): what waits for it, and the cycle that"
        " keeps it"
    ),
    "origin": (
        "cycles without the collector of each layer of a wrapped environment (origin:3x1x20): with"
        " which one the same garbage begins to come"
    ),
    "forecast": (
        "what one transition of the subject takes in a replay storage, before any is allocated"
    ),
    "stock": "open a replay storage for N transitions",
    "fill": "N transitions into it, and a reading",
    "past": "N transitions past its capacity, again until nothing grows",
    "look": (
        "read back what is kept: is it what the subject produced, does it share memory, does it"
        " hold a graph"
    ),
    "empty": "drop it: what comes back, and which files stay",
    "memray": (
        "N operations under memray: which lines allocate what stays (memray:101, memray:101x20 with"
        " 20 steps each)"
    ),
}

#: Verbs that call an operation besides the verb of its name: without a manager (False), and under
#: one (True), whose launch resets, and whose reset waits for what its workers do.
_CYCLES = ("check", "warm", "block", "suspects", "rest", "garbage", "memray")
CALLERS: Dict[str, Dict[bool, Tuple[str, ...]]] = {
    "make": {
        False: (*_CYCLES, "open", "replay", "carry", "relaunch", "threaded"),
        True: (*_CYCLES, "reset", "relaunch"),
    },
    "reset": {
        False: (
            *(*_CYCLES, "begin", "beginnings", "reseed", "repeat", "vary", "count", "deny"),
            *("step", "mirror", "carry", "copy", "replay", "threaded"),
        ),
        True: (*_CYCLES, "make", "begin", "step", "mirror", "relaunch"),
    },
    "step": {
        False: (*_CYCLES, "beginnings", "mirror", "carry", "copy", "replay", "threaded"),
        True: (*_CYCLES, "make", "reset", "mirror", "relaunch"),
    },
    "render": {False: _CYCLES, True: _CYCLES},
    "close": {
        False: (*_CYCLES, "shut", "replay", "carry", "copy", "threaded"),
        True: (*_CYCLES, "make", "drop", "relaunch"),
    },
    "drop": {False: (*_CYCLES, "replay"), True: ("close", "relaunch")},
}

_WORD = re.compile(r"^(?P<name>[a-z]+)(?::(?P<argument>\w+))?(?:@(?P<instance>\d+))?$")


@dataclass(frozen=True)
class Verb:
    """One word of a script: `step:20@1` is name="step", argument="20", instance=1."""

    name: str
    argument: str = ""
    instance: Optional[int] = None

    def __str__(self) -> str:
        argument = ":" + self.argument if self.argument else ""
        instance = "" if self.instance is None else "@%d" % self.instance
        return self.name + argument + instance


def verb_name(word: str) -> str:
    """`step` of `step:20@1`."""
    return word.partition(":")[0].partition("@")[0]


@lru_cache(maxsize=None)
def parse_script(script: str) -> Tuple[Verb, ...]:
    """The verbs of a script. Raises ValueError naming the first word that is not a verb."""
    verbs = []
    for word in script.split():
        match = _WORD.match(word)
        if match is None or match["name"] not in VERBS:
            raise ValueError("%r is not a verb; verbs are %s" % (word, ", ".join(VERBS)))
        instance = None if match["instance"] is None else int(match["instance"])
        verbs.append(Verb(match["name"], match["argument"] or "", instance))
    return tuple(verbs)


@dataclass(frozen=True)
class Scenario:
    """One experiment: subject x manager x start method x script.

    `name` is what rules ask for ("life", "two-at-once", ...). `control` plays it on the null
    environment with the subject's spaces. `options` are (name, value) pairs for the manager's
    constructor, but `cure`, which is for the factory; without a manager, `render_mode` for the
    subject's.
    `workers` is the number of instances under a manager. `hash_seed` is the PYTHONHASHSEED of the
    probe that plays it. `idle_limit` is for how many seconds nothing may run until a verb is taken
    for hung before its time is up: where a hang is expected. `variant_of` names the life that is
    launched in another way here.
    """

    name: str
    script: str
    manager: str = DIRECT
    start_method: Optional[str] = None
    control: bool = False
    workers: int = 2
    options: Tuple[Tuple[str, object], ...] = ()
    hash_seed: int = 0
    idle_limit: Optional[float] = None
    variant_of: str = ""

    @property
    def traits(self) -> Traits:
        """The scenario's row in the table of traits."""
        return TRAITS.get(self.name, VARIANT if self.variant_of else ORDINARY)

    @property
    def verbs(self) -> Tuple[Verb, ...]:
        """The script, parsed."""
        return parse_script(self.script)

    @property
    def place(self) -> Tuple[str, Optional[str]]:
        """The manager and the start method."""
        return (self.manager, self.start_method)

    def option(self, name: str, default: object = "") -> Any:
        """An option, or the default where it is not given."""
        return dict(self.options).get(name, default)

    @property
    def enters(self) -> str:
        """The manager whose framework is imported first: its own, or that whose instances are
        asked again without it.
        """
        return str(self.option("enters", self.manager))

    @property
    def watched_sensors(self) -> Optional[Tuple[str, ...]]:
        """The sensors that say what its imports do, where only some of them matter; None for all
        that can be seen of the imports.
        """
        sensors = self.option("watches", None)
        return None if sensors is None else tuple(sensors)

    @property
    def whole_episodes(self) -> bool:
        """True where episodes are played to their end: by themselves, or in a plain life."""
        return any(verb.name == "episode" for verb in self.verbs)

    def serves_as(self, name: str) -> bool:
        """True where this is the scenario `name` for rules: by its own name, and as a whole episode
        where its plain life has one.
        """
        return name == self.name or (name == EPISODE and self.traits.plain and self.whole_episodes)

    @property
    def leaves_alive(self) -> bool:
        """True if its instance is meant to be there when the process exits."""
        return self.script.endswith(" leave")

    @property
    def spends_its_probe(self) -> bool:
        """True if its probe is not used again, so that leftovers there are ignored."""
        return self.traits.spoils

    @property
    def fault(self) -> Optional[Fault]:
        """The fault that is put into one worker, or None: the name tells."""
        return fault_of(self.name)

    def as_dict(self) -> Dict[str, object]:
        """A JSON-able dict that `from_dict` turns back into an equal value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scenario:
        """The inverse of `as_dict`."""
        return cls(
            **{**data, "options": tuple((name, value) for name, value in data.get("options", ()))}
        )
