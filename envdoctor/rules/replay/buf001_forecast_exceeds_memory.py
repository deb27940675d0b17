"""A replay storage of this capacity does not fit into memory.

What it does
    Adds up what one transition takes in the storage, from the spaces of the environment and from
    how that storage keeps it, times the capacity, before anything is allocated. It is compared with
    what is free: memory, no more than the control group allows, and /dev/shm for storages that map
    shared memory. Only a capacity that was asked for (--capacity) is judged.

Why it matters
    Most storages allocate lazily: training starts, runs for hours, and is killed when the storage
    is half full. A storage in /dev/shm is killed by SIGBUS, without a traceback.

How to fix it
    Store less, or less often, or elsewhere:

        # A quarter of float32:
        observation_space = Box(0, 255, (84, 84, 4), np.uint8)
        # Stable-Baselines3: each observation is kept once.
        ReplayBuffer(100_000, ..., optimize_memory_usage=True, handle_timeout_termination=False)
        # TorchRL: on a disk; without scratch_dir it is /dev/shm.
        LazyMemmapStorage(1_000_000, scratch_dir="/data/replay")
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from envdoctor.analysis.replay_buffers import FORECAST, SHARED, measured
from envdoctor.frameworks import profile_of_storage
from envdoctor.model.finding import ENVIRONMENT, Finding
from envdoctor.model.records import Fill
from envdoctor.model.units import size
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.replay_buffers import Stored, filled, forecast, stored, stored_view

FLOATS = ("float32", "float64")
IMAGE = 3  # dimensions
MORE = 1.5  # times what the spaces say: then what was measured counts


@rule("BUF001", "forecast-exceeds-memory", where=DIRECT_ONLY, needs=(FORECAST,), blames_itself=True)
def forecast_exceeds_memory(view: View) -> Iterator[Finding]:
    free = view.survey.machine.available or 0
    for item in stored(view):
        each, how = _each(item)
        room, need = item.room(free), each * item.asked
        if not item.explicit or not free or need <= room:
            continue
        where = f"in {SHARED}" if room < free else "of memory"
        evidence = {
            "storage": item.name,
            "capacity": item.asked,
            "bytes": need,
            "free": room,
            "fits": room // each,
        }
        yield forecast_exceeds_memory.finding(
            f"{item.name} with a capacity of {item.asked:,} takes {size(need)} ({size(each)} per"
            f" transition{how}), and {size(room)} {where} are free: {room // each:,}"
            " transitions fit",
            _remedy(item, room // each, need),
            evidence={**evidence, "parts": dict(item.forecast.parts)},
            blame=ENVIRONMENT,
        )


def _each(item: Stored) -> tuple[int, str]:
    """Bytes of one transition, and how they are known."""
    fills = (
        [event.filled or Fill() for event in item.filled.verbs("fill", "ended")]
        if item.filled
        else []
    )
    observed = measured(fills, item.capacity) or 0.0
    if observed > MORE * item.bytes and sum(fill.stored for fill in fills) * item.bytes > 1 << 20:
        return math.ceil(observed), f" as measured; the spaces say {size(item.bytes)}"
    return max(1, item.bytes), ""


def _remedy(item: Stored, fits: int, need: int) -> str:
    ways = [f"take a capacity of {fits:,} or less"] if fits else []
    sizes = item.forecast.sizes
    if sizes.dtype in FLOATS and len(sizes.shape) >= IMAGE:
        ways.append(f"let the observations be uint8 instead of {sizes.dtype}")
    if len(sizes.shape) >= IMAGE:
        ways.append("store each frame once, and stack them when sampling")
    owner = profile_of_storage(item.name)
    if owner is not None:
        ways += owner.storage_advice(need < item.forecast.disk)
    return "; or ".join(ways or ["store on a machine with more memory"])


EXAMPLES = (
    Example(
        "a million images",
        stored_view(
            forecast(
                "sb3",
                1_000_000,
                parts={"observation": 28224, "next observation": 28224, "action": 8},
            )
        ),
        "sb3 with a capacity of 1,000,000 takes 52.6 GiB (55.1 KiB per transition), and 7.5"
        " GiB of memory are free: 141,703 transitions fit",
    ),
    Example(
        "in /dev/shm, which a container makes small",
        stored_view(
            forecast(
                "torchrl-memmap",
                100_000,
                place="shared",
                rooms={SHARED: 64_000_000, "disk": 10**12},
            )
        ),
        "torchrl-memmap with a capacity of 100,000 takes 95.4 MiB (1000 bytes per"
        " transition), and 61.0 MiB in /dev/shm are free: 64,000 transitions fit",
    ),
    Example("it fits", stored_view(forecast(), filled())),
    Example("so many were not asked for", stored_view(forecast(asked=10**9, explicit=False))),
)
