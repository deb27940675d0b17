"""The meters that are read around each block of cycles: their words and their limits of growth.

One entry a meter whose words or limits are its own: the probe reads it (`probe/growth/meters.py`)
and one rule reports that it grows. A sensor that says `GROWS` needs no entry: its name gives the
words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Collection, Tuple

from envdoctor.model.container_clients import SENSOR as ENGINE_CONTAINERS
from envdoctor.model.fast_dataclass import dataclass

#: Meters that are asked for by name: a reading is a mapping by meter, whichever there are.
OBJECTS, TRACKED, HEAP, DATA, MALLOC, PYTHON, ARENAS = (
    "objects",
    "tracked",
    "heap",
    "data",
    "malloc",
    "python",
    "arenas",
)
#: What is in containers.
ELEMENTS = "elements"
#: All bytes of Python's objects: malloc's and those of Python's own allocator. It is not read, but
#: reckoned.
MEMORY = "memory"
#: Bytes of the processes that the environment started.
CHILD_MEMORY = "child-memory"
#: What a service keeps, as a command of the user's counts it: read only where there is one.
SERVICE = "service"


@dataclass(frozen=True)
class Meter:
    """`singular` and `plural` are what it counts, empty for bytes; `title` heads its row; `grows`
    is what budgets and baselines call its growth; `quantity` is what a sentence calls it.

    `tolerance` is how much it may rise in a block of any length and still count as quiet, None for
    what is never judged; `floor` the slowest growth a cycle that is called a leak. A `thing` is
    counted and costs more than memory; of one that is `early`, two equal blocks are proof; a search
    leaves `most` of it behind, as far as it can (0: no limit). A rise of less than `least` in all
    blocks together may fill a cache, whose containers are in another process.
    """

    name: str
    singular: str = ""
    plural: str = ""
    title: str = ""
    grows: str = ""
    quantity: str = ""
    tolerance: "int | None" = 0
    floor: float = 0.01  # one in a hundred cycles
    thing: bool = False
    early: bool = False
    most: int = 0
    least: int = 0


METERS: Tuple[Meter, ...] = (
    Meter(
        OBJECTS,
        "object",
        "objects",
        "Python objects",
        "python objects",
        "the number of Python objects",
    ),
    Meter(
        TRACKED,
        "tracked object",
        "tracked objects",
        "tracked by gc",
        quantity="the number of Python objects",
    ),
    # Of containers: a set of small numbers grows by no object, and its table by leaps.
    Meter(
        ELEMENTS, "element", "elements", "elements", quantity="the number of elements in containers"
    ),
    # MuJoCo leaves +-288 bytes between two readings and takes them back. The floor is half a chunk
    # of malloc in four cycles.
    Meter(
        HEAP,
        title="native heap",
        grows="native bytes",
        quantity="native memory",
        tolerance=256,
        floor=4.0,
    ),
    # Each process costs memory, and a process may open 1024 descriptors.
    Meter(
        "descriptors",
        "descriptor",
        "descriptors",
        "descriptors",
        "descriptors",
        "the number of descriptors",
        thing=True,
        early=True,
        most=600,
    ),
    Meter(
        "threads",
        "thread",
        "threads",
        "threads",
        "threads",
        "the number of threads",
        thing=True,
        early=True,
        most=240,
    ),
    Meter(
        "processes",
        "process",
        "processes",
        "processes",
        "processes",
        "the number of processes",
        thing=True,
        early=True,
        most=63,
    ),
    # Each costs what a simulator costs.
    Meter(
        ENGINE_CONTAINERS,
        "container",
        "containers",
        "containers",
        "containers",
        "the number of containers",
        thing=True,
        early=True,
        most=16,
    ),
    Meter(
        "files",
        "file",
        "files",
        "temporary files",
        "temporary files",
        "the number of temporary files",
        thing=True,
    ),
    Meter(
        "segments",
        "shared segment",
        "shared segments",
        "shared memory",
        "shared-memory segments",
        "the number of shared memory segments",
        thing=True,
    ),
    Meter("gpu", title="GPU memory", grows="GPU bytes", quantity="GPU memory", floor=512.0),
    Meter(
        DATA,
        title="mapped memory",
        grows="mapped bytes",
        quantity="mapped memory",
        tolerance=65536,
        floor=512.0,
    ),
    # Pages. A simulator that keeps what it loads has megabytes of it.
    Meter(
        CHILD_MEMORY,
        title="memory of child processes",
        grows="bytes of child processes",
        quantity="the memory of child processes",
        tolerance=65536,
        floor=512.0,
        most=256 << 20,
        least=12 << 20,
    ),
    # A sandbox costs money, and there is a quota.
    Meter(
        SERVICE,
        "entry in the service",
        "entries in the service",
        "kept by the service",
        "entries in the service",
        "the number of entries in the service",
        thing=True,
        early=True,
        most=24,
    ),
    # A staircase, and dependent on what other processes do.
    Meter("rss", title="rss", tolerance=None),
    # As LEK003 explains its bytes.
    Meter(MALLOC, title="malloc", tolerance=None),
    Meter(PYTHON, title="python", tolerance=None),
    Meter(ARENAS, title="arenas", tolerance=None),
)

_BY_NAME = {meter.name: meter for meter in METERS}

MOST_OF_A_SENSOR = 60  # things that a search may leave behind, of which only the name is known


@lru_cache(maxsize=None)
def meter_of(name: str) -> Meter:
    """The meter of a name. One without an entry counts the things of a sensor."""
    return _BY_NAME.get(name) or _of_sensor(name)


def _of_sensor(name: str) -> Meter:
    """`open-channels` counts open channels."""
    plural = name.replace("-", " ")
    singular = plural[:-1] if plural.endswith("s") else plural
    return Meter(
        name,
        singular,
        plural,
        plural,
        plural,
        "the number of " + plural,
        thing=True,
        early=True,
        most=MOST_OF_A_SENSOR,
    )


def judged(names: Collection[str]) -> Tuple[str, ...]:
    """Those of the names whose growth is judged: in the order of the table, then the sensors'."""
    listed = [meter.name for meter in METERS if meter.name in names and meter.tolerance is not None]
    return (*listed, *sorted(name for name in names if name not in _BY_NAME))


def things(names: Collection[str]) -> Tuple[str, ...]:
    """Those of the names that count things, in the same order."""
    return tuple(name for name in judged(names) if meter_of(name).thing)
