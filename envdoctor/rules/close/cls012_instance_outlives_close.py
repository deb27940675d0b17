"""An instance stays alive after it was closed and given up.

What it does
    Closes the environment, drops the last reference, collects garbage and waits a moment. Then it
    looks, through a weak reference, whether the innermost object is still there, and if so follows
    the references back to the module, class or thread that holds it. Where the leak check has
    shown that every further instance stays, too, it is an error. Where close() raises before its
    last line, it is not judged: what the rest of it would have let go of is not known.

    What the C allocator has handed out is read as well, exactly, before the constructor, after
    close(), and once the closed object was dropped. What came with the environment, is there after
    close() and goes with the object is a note from 4 MiB on, less what its Python objects and
    arrays have: a last observation, or a table. The first life is not judged.

Why it matters
    All that the environment owns (frames, maps, a simulator) stays in memory with it. A search that
    builds one environment a trial keeps every one of them.

How to fix it
    Let go in close() of what __init__() handed out, or hand out a weak reference:

        def close(self):
            simulator.LISTENERS.remove(self.on_tick)
            super().close()

        _OPEN = weakref.WeakSet()   # instead of a list

    What is registered for the exit, atexit.register(self.close), is taken back in close() by
    atexit.unregister(self.close). functools.lru_cache at a method keeps self with the results: let
    it be a static method, or cache in the constructor, self.table = functools.cache(self.table).

    Free in close() what a native library has allocated for the environment: a program that keeps
    closed environments, in a list of trials, keeps it for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from envdoctor.model.environment_aims import EndHeld, Forget
from envdoctor.model.facts import ReachableBytes, Survivors
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR, NOTE, WARNING, Finding
from envdoctor.model.kept_chains import BY_AT_EXIT, BY_CACHE, BY_HANDLER, BY_METHOD
from envdoctor.model.trace import Life
from envdoctor.model.units import size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    growing,
    held_in,
    life_trace,
    raised,
    reading,
    trace,
    verb,
)
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.freed_late import cut_short, survivors_of_close
from envdoctor.rules.evidence.growth import keeps_instances, leaks_of
from envdoctor.rules.evidence.tasks import tasks_left
from envdoctor.rules.wording.leftovers import POINTS_IN_LIFE, has_close, listing, still_there


@dataclass(frozen=True)
class KeptBy:
    """The words for a holder, and for the change that lets go of it."""

    holder: str
    remedy: str


def keeper(chains: Sequence[str], name: str) -> KeptBy:
    """The keeper of instances of the class `name`, by the chains that lead to them."""
    if not chains:
        return KeptBy(
            "no holder was found in Python",
            f"release in {name}.close() every callback and handle that __init__() or reset() gave"
            " to a native library, or to atexit with the environment among the arguments.",
        )
    chain = chains[0]
    if match := BY_AT_EXIT.fullmatch(chain):
        call, below = match.groups()
        function = f"self.{call.rpartition('.')[2]}" if below == ".__self__" else "..."
        return KeptBy(
            f"held by atexit, which calls {call}() when Python exits",
            f"take the callback back in {name}.close(), by atexit.unregister({function}); or let it"
            " know what has to be released at the exit, and not the environment.",
        )
    if match := BY_HANDLER.fullmatch(chain):
        return KeptBy(
            f"held by the handler of {match[1]}, {chain}",
            f"restore the earlier handler in {name}.close(), or leave the signal to the script.",
        )
    if match := BY_CACHE.fullmatch(chain):
        return KeptBy(
            f"held by the results that lru_cache keeps of {match[1]}(), which has it among its"
            " arguments",
            "cache a function that does not take self, or give each instance a cache of its own:"
            " one at the method is that of the class, and keeps every instance.",
        )
    if match := BY_METHOD.fullmatch(chain):
        return KeptBy(
            f"held by {match[1]}, which has a method of it",
            f"take the method out of {match[1]} in {name}.close(), or store it there by a"
            " weakref.WeakMethod.",
        )
    return KeptBy(
        f"held by {listing(chains)}",
        f"let go of it in {name}.close(): remove it from {chain}, or store it there by a weak"
        " reference.",
    )


HEAP = "native-heap"
LEAST = 4 << 20  # bytes


@dataclass(frozen=True)
class HeldMemory:
    """Bytes that a closed instance held and its last reference gave back, without those of its
    Python objects; `came` and `went` are with them. `call` is the one that allocated most.
    """

    held: int
    came: int
    went: int
    call: str


def native_memory_held(view: View) -> HeldMemory | None:
    """The memory that the last life held; None where that is little, or not known. What a first
    life loads may be a library's.
    """
    life = view.last_life()
    objects = _bytes_of_objects(view, life)
    if life is None or objects is None or not has_close(view):
        return None
    came = life.change(HEAP, "before", "held") or 0
    went = -(life.change(HEAP, "held", "collected") or 0)
    held = min(came, went) - objects
    return HeldMemory(held, came, went, _allocating_call(life)) if held >= LEAST else None


def too_many_objects(view: View) -> str:
    """The reason why it is not known what of the memory is not Python's, or nothing."""
    facts = _looked_at(view, view.last_life())
    unknown = any(fact.bytes is None for fact in facts)
    return (
        "the environment leads to too many Python objects to count their bytes" if unknown else ""
    )


def _looked_at(view: View, life: Life | None) -> list[ReachableBytes]:
    trace = view.trace("life")
    if trace is None or life is None or not life.number:
        return []
    return [fact for fact in trace.facts(ReachableBytes) if fact.life == life.number]


def _bytes_of_objects(view: View, life: Life | None) -> int | None:
    return next((fact.bytes for fact in _looked_at(view, life)), None)


def _allocating_call(life: Life) -> str:
    """The call that allocated most of it, or nothing."""
    before = "before"
    rises: dict[str, int] = {}
    for point, words in POINTS_IN_LIFE:
        rise = life.change(HEAP, before, point)
        if rise is not None:
            rises[words] = max(0, rise)
            before = point
    largest = max(rises, key=lambda words: rises[words], default="")
    return largest if largest and 2 * rises[largest] > sum(rises.values()) else ""


#: A lifecycle whose close() may raise, as long as that keeps nothing of it from running.
UP_TO_CLOSE = LIFECYCLE.replace("close", "close?")


def unjudged(view: View) -> str:
    """The reason why what outlives close() is not known, or nothing."""
    return cut_short(view) or too_many_objects(view)


@rule(
    "CLS012",
    "instance-outlives-close",
    explains=Cause.INSTANCE_KEPT,
    severity="warning",
    where=DIRECT_ONLY,
    verb="drop",
    looks_at={"life": UP_TO_CLOSE},
    unjudged=unjudged,
    counts=counted("instances alive", "survivors"),
    judges_rendered=True,
    gives_way=(Cause.THREADS_LEFT, Cause.TASK_LEFT, Cause.SIGNAL_HANDLER),
    also_reads=(EVERYTHING,),
    in_leak_check=True,
)
def instance_outlives_close(view: View) -> Iterator[Finding]:
    survivors = survivors_of_close(view)
    if survivors and survivors.collected:
        yield _stays_alive(view, survivors)
    elif not cut_short(view):
        yield from _holds_memory(view)


def _holds_memory(view: View) -> Iterator[Finding]:
    memory = native_memory_held(view)
    if memory is None:
        return
    place = f" (taken in {memory.call})" if memory.call else ""
    yield instance_outlives_close.finding(
        f"close() leaves {size(memory.held)} of native memory until the closed object is dropped",
        f"free in {view.class_name}.close() what a native library has allocated for it{place}:"
        " call its close(), free() or destroy(), or drop the references to its objects.",
        aim=EndHeld(),
        location=view.locate("close"),
        severity=NOTE,
        key=("memory",),
        evidence={"bytes": memory.held, "after_close": memory.came, "with_the_object": memory.went},
    )


def _stays_alive(view: View, survivors: Survivors) -> Finding:
    kept, chains = survivors.wrapper, list(survivors.chains)
    # What the module of a wrapper keeps, the wrapper put there.
    kept = kept if kept and kept.chain.startswith(f"{kept.name.rpartition('.')[0]}.") else None
    wrapper = next((each for each in view.survey.wrappers if kept and each.name == kept.name), None)
    if kept and (wrapper or kept.name == view.survey.env_class):
        chains = [kept.chain]
    known = keeper(chains, view.class_name)
    leaks = (leak for leak in leaks_of(view, "objects") if keeps_instances(view, leak))
    leak = next(leaks, None)
    every = (
        f"; so does every further one, with {leak.rate:.0f} Python objects each, steady through"
        f" {leak.cycles} cycles"
        if leak
        else ""
    )
    return instance_outlives_close.finding(
        f"{view.class_name} stays alive after close, drop and garbage collection:"
        f" {known.holder}{every}",
        known.remedy,
        aim=Forget(chains[0]) if chains and not kept else None,
        location=(view.of_wrapper(wrapper) if wrapper else view).locate("close"),
        severity=ERROR if leak else WARNING,
        evidence={"survivors": survivors.collected, "held_by": chains},
        explained_by=_explanations(view, chains),
    )


def _explanations(view: View, chains: Sequence[str]) -> tuple[Cause, ...]:
    """The rules whose remedy lets go of it: a thread that is ended, a signal's handler that is
    restored, or a task, which the loop holds from where Python shows no holder.
    """
    if chains and all(map(BY_HANDLER.fullmatch, chains)):
        return (Cause.SIGNAL_HANDLER,)
    if chains:
        return (Cause.THREADS_LEFT,) if _by_threads_left(view, chains) else ()
    return (Cause.TASK_LEFT,) if tasks_left(view) else ()


def _by_threads_left(view: View, chains: Sequence[str]) -> bool:
    """Return True if each chain begins at a thread that close() leaves: once these have ended,
    nothing leads to the instance.
    """
    left, _ = still_there(view, "threads")
    return all(
        any(text.startswith(f"python {_thread_of(chain)}") for text in left.values())
        for chain in chains
    )


def _thread_of(chain: str) -> str:
    """`thread 'physics'` of `<thread 'physics'>._target`; `sick.OPEN[1]` as it is."""
    head, text, _ = chain.partition("'>")
    return f"{head.removeprefix('<')}'" if text else chain


def _life(
    collected: int,
    chains: tuple[str, ...] = (),
    life: int = 0,
    close: str = "ended",
    last: bool = False,
) -> View:
    survivors = {
        "life": life,
        "closed": True,
        "dropped": 1,
        "collected": collected,
        "bytes": 0,
        "chains": list(chains),
    }
    return direct_view(
        trace(
            verb("close", close, error={**raised(), "last": last}),
            *life_trace(before={}, dropped={}).of("reading"),
            fact("survivors", survivors),
        )
    )


def _retained() -> View:
    return direct_view(
        *_life(1, ("sick.OPEN[1]",)).traces,
        *growing(objects=23),
        held_in(
            "sick.OPEN", "sick.Sick", (1, 0, 0), {"objects": 23}, rest={"objects": 0}, instance=True
        ),
    )


def _holding(after: Mapping[str, int], objects: int | None, life: int = 1) -> View:
    readings = [
        reading(point, {HEAP: number << 20}, life)
        for point, number in {"before": 10, "made": 10, **after}.items()
    ]
    looked_at = fact("reachable-bytes", {"life": life, "bytes": objects})
    return direct_view(trace(*readings, looked_at))


_STAYS = {"reset": 15, "stepped": 15, "held": 15, "collected": 10}

EXAMPLES = (
    Example(
        "a list in the module keeps every instance",
        _life(1, ("sick.OPEN[1]",)),
        "Sick stays alive after close, drop and garbage collection: held by sick.OPEN[1]",
    ),
    Example(
        "a list in the module keeps a method of every instance",
        _life(1, ("sick.CALLS[1].__self__",)),
        "Sick stays alive after close, drop and garbage collection: held by sick.CALLS,"
        " which has a method of it",
    ),
    Example(
        "held by something that Python cannot see",
        _life(1),
        "Sick stays alive after close, drop and garbage collection: no holder was found in Python",
    ),
    Example(
        "registered for the exit",
        _life(1, ("atexit.register(sick.Sick.close).__self__",)),
        "Sick stays alive after close, drop and garbage collection: held by atexit, which"
        " calls sick.Sick.close() when Python exits",
    ),
    Example(
        "the cache of a method",
        _life(1, ("sick.Sick.table.<lru_cache>.<key>[0]",)),
        "Sick stays alive after close, drop and garbage collection: held by the results"
        " that lru_cache keeps of sick.Sick.table(), which has it among its arguments",
    ),
    Example(
        "the handler of a signal",
        _life(1, ("signal.getsignal(SIGTERM).__self__",)),
        "Sick stays alive after close, drop and garbage collection: held by the handler of"
        " SIGTERM, signal.getsignal(SIGTERM).__self__",
    ),
    Example(
        "and so does every further one",
        _retained(),
        "Sick stays alive after close, drop and garbage collection: held by sick.OPEN[1]; "
        "so does every further one, with 23 Python objects each, steady through 231 cycles",
    ),
    Example("the collector frees it", _life(0)),
    Example("only an earlier life left one", _life(1, ("sick.LAST",), life=-1)),
    Example("close() raised, so it may well stay", _life(1, ("sick.OPEN[1]",), close="raised")),
    Example(
        "close() raised once it had done all that it does",
        _life(1, ("sick.OPEN[1]",), close="raised", last=True),
        "Sick stays alive after close, drop and garbage collection: held by sick.OPEN[1]",
    ),
    Example(
        "the meshes of a simulator",
        _holding(_STAYS, 3_000),
        "close() leaves 5.0 MiB of native memory until the closed object is dropped",
    ),
    Example("a table of numbers", _holding(_STAYS, 4 << 20)),
    Example("too many objects to count their bytes", _holding(_STAYS, None)),
    Example("close() frees the meshes", _holding({**_STAYS, "held": 10}, 3_000)),
    Example("a library keeps its meshes", _holding({**_STAYS, "collected": 15}, 300)),
    Example("the first life loads a library", _holding(_STAYS, 3_000, 0)),
)
