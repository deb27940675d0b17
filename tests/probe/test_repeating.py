"""The verbs that repeat, played for real: exact zeros for the healthy, exact numbers for leaks,
in every place.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.probe.growth import allocations
from envdoctor.run.supervise.session import Session

ENVS = Path(__file__).parents[1] / "envs"
EXACT = ("objects", "tracked", "descriptors", "threads", "processes", "files", "segments")

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the exact meters need glibc"
)


def subject(name: str, file: str = "leaks.py") -> Subject:
    return Subject(f"{file}:{name}", FILE, name, path=str(ENVS / file), directory=str(ENVS))


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(sys.executable) as session:
        yield session


def play(session: Session, name: str, script: str, file: str = "leaks.py", **place: Any) -> Trace:
    trace = session.play(
        subject(name, file), Scenario("leak", script, **place), 0, session.directory / "spaces.pkl"
    )
    assert trace.outcome.kind == FINISHED, trace.outcome
    assert list(trace.of("verb", state="raised")) == []
    return trace


def blocks(trace: Trace) -> list[dict[str, Any]]:
    return [dict(event.block.wire) for event in trace.verbs("block", "ended") if event.block]


def rise(block: dict[str, Any], meter: str) -> int:
    return block["after"][meter] - block["before"][meter]


def test_a_healthy_environment_reads_zero(session: Session) -> None:
    trace = play(session, "Clean", "calibrate warm:3 block:7 block:7 block:14x1x20 block:28x3x10")
    assert trace.fact("sensitivity")["tier"] == "exact", trace.fact("sensitivity")["reasons"]
    assert trace.events[-1]["dirty"] == []
    for block in blocks(trace):
        assert [(meter, rise(block, meter)) for meter in EXACT if rise(block, meter)] == []
        assert abs(rise(block, "heap")) <= 256


def test_block_counts_its_calls(session: Session) -> None:
    (block,) = blocks(play(session, "Clean", "block:2x3x25"))
    assert {name: block[name] for name in ("creates", "resets", "steps", "renders")} == {
        "creates": 2,
        "resets": 18,
        "steps": 150,
        "renders": 0,  # episodes end after ten steps
    }


def test_every_cycle_is_the_same(session: Session) -> None:
    first, second, third = blocks(
        play(session, "InStep", "warm:1 block:3x1x7 block:3x2x7 block:3x1x0")
    )
    assert [rise(block, "objects") for block in (first, second, third)] == [21, 42, 0]


def test_warming_says_how_long_a_cycle_takes(session: Session) -> None:
    (warm,) = play(session, "Clean", "warm:3").verbs("warm", "ended")
    assert 3 <= warm.cycles <= 9
    assert warm.cycle_seconds > 0


def test_an_episode_a_cycle_is_named_with_its_holder_and_its_line(session: Session) -> None:
    trace = play(session, "PyObject", "warm:3 block:7 suspects:7 memray:53")
    assert rise(blocks(trace)[0], "objects") == 7
    suspects = trace.fact("suspects")
    assert suspects["types"] == [{"type": "leaks.Episode", "grew": 7}]
    (holder,) = suspects["holders"]
    assert (holder["chain"], holder["grew"], holder["element"]) == (
        "leaks.KEPT",
        7,
        "leaks.Episode",
    )
    assert [(line["function"], line["text"]) for line in holder["lines"]] == [
        ("PyObject.leak", "KEPT.append(Episode())")
    ] or all("KEPT" in line["text"] for line in holder["lines"])
    allocated = trace.fact("allocations")
    record = allocated["records"][0]
    assert (allocated["cycles"], record["count"], record["per_cycle"]) == (53, 53, 1.0)
    assert record["frames"][record["user"]]["function"] == "leak"
    assert record["frames"][record["user"]]["file"] == str(ENVS / "leaks.py")


def test_containers_of_plain_values_are_holders_too(session: Session) -> None:
    suspects = play(session, "Bytes", "warm:3 suspects:7").fact("suspects")
    assert suspects["types"] == []
    assert [(each["chain"], each["grew"], each["element"]) for each in suspects["holders"]] == [
        ("leaks.KEPT", 7, "bytes")
    ]


def test_growth_of_a_container_shows_when_it_is_cut_back(session: Session) -> None:
    """Seven objects in a block, none of them while the list is cut back at each reading; the list
    itself is longer by what was not cut.
    """
    trace = play(
        session, "PyObject", "warm:3 suspects:7 block:7 cut:1 block:7 cut:1 block:7 rest:7"
    )
    before, after = blocks(trace)[:2]
    assert (rise(before, "objects"), rise(after, "objects")) == (7, 0)
    assert (before["grew"], after["grew"]) == ([7], [7])
    third = trace.verbs("block", "ended")[-1]
    assert third.block is None  # there was no other container to cut back
    (rest,) = (dict(event.block.wire) for event in trace.verbs("rest", "ended") if event.block)
    assert rise(rest, "objects") == 0


def test_pythons_bytes_are_counted_as_exactly_as_its_objects(session: Session) -> None:
    """An episode takes 64 bytes of the allocator, and the list some for its place."""
    (block,) = blocks(play(session, "PyObject", "warm:3 block:28"))
    assert 64 * 28 <= rise(block, "python") <= 80 * 28
    (clean,) = blocks(play(session, "Clean", "warm:3 block:7"))
    assert rise(clean, "python") == 0


def test_a_bounded_cache_is_reported_and_emptied(session: Session) -> None:
    trace = play(session, "Lru", "warm:3 block:7 suspects:7 block:7")
    assert trace.fact("suspects")["caches"] == [
        {
            "what": "leaks.look_up (lru_cache)",
            "size": trace.fact("suspects")["caches"][0]["size"],
            "maxsize": 128,
            "grew": 7,
            "cleared": True,
        }
    ]
    assert trace.fact("suspects")["holders"] == []
    assert rise(blocks(trace)[0], "objects") > 0


def test_a_bounded_deque_is_reported_and_left_alone(session: Session) -> None:
    (cache,) = play(session, "Bounded", "warm:3 suspects:7").fact("suspects")["caches"]
    assert (cache["what"], cache["maxsize"], cache["grew"], cache["cleared"]) == (
        "leaks.RECENT (deque)",
        100,
        7,
        False,
    )


def test_a_reference_cycle_is_no_growth_but_uncollected(session: Session) -> None:
    (block,) = blocks(play(session, "Cycle", "warm:3 block:14"))
    assert rise(block, "tracked") == rise(block, "objects") == 0
    uncollected = block["uncollected"]
    assert uncollected["after"]["tracked"] - uncollected["before"]["tracked"] >= 14


def test_native_code_is_named_with_its_line(session: Session) -> None:
    trace = play(session, "Malloc1K", "warm:3 block:7 memray:31", options=(("native", True),))
    # Malloc rounds; the tolerance of the verdict.
    assert abs(rise(blocks(trace)[0], "heap") - 7 * 1040) <= 256
    record = trace.fact("allocations")["records"][0]
    assert (record["count"], record["allocator"]) == (31, "MALLOC")
    assert record["frames"][0]["function"] == "keep_block"
    assert record["frames"][0]["file"].endswith("native/leaks.c")
    assert record["user"] == 0
    # Neither ctypes nor the interpreter in between.
    assert record["frames"][1]["function"] == "leak"


@pytest.mark.parametrize(
    ("operation", "name", "records"),
    [("step", "InStep", 1), ("reset", "InStep", 0), ("reset", "PyObject", 0)],
)
def test_single_operations_are_recorded(
    session: Session, operation: str, name: str, records: int
) -> None:
    allocated = play(session, name, "memray:31", options=(("operation", operation),)).fact(
        "allocations"
    )
    assert (allocated["operation"], allocated["cycles"]) == (operation, 31)
    assert len([record for record in allocated["records"] if record["count"] == 31]) == records
    # The list itself gets longer, too.
    assert all(record["user"] == 0 for record in allocated["records"])
    assert bool(allocated["records"]) == bool(records)


def test_allocations_one_by_one_survive_a_crash_and_the_file_is_kept(
    session: Session, tmp_path: Path
) -> None:
    options = (("aggregated", False), ("save", str(tmp_path / "kept")))
    allocated = play(session, "PyObject", "memray:7", options=options).fact("allocations")
    assert allocated["mode"] == "all"
    assert Path(allocated["file"]).parent == tmp_path / "kept"
    assert Path(allocated["file"]).stat().st_size > 0


def test_no_file_is_left_that_nobody_wanted(session: Session) -> None:
    assert "file" not in play(session, "Clean", "memray:3").fact("allocations")
    assert not list(session.directory.rglob("memray.bin"))


def test_a_target_without_memray_says_so(session: Session, tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text(
        "import sys\nsys.modules['memray'] = None\nfrom leaks import Clean\n"
    )
    hidden = Subject(
        "hidden.py:Clean", FILE, "Clean", path=str(tmp_path / "hidden.py"), directory=str(ENVS)
    )
    trace = session.play(hidden, Scenario("leak", "memray:3"), 0)
    assert list(trace.of("verb", state="raised")) == []
    assert trace.fact("allocations")["missing"].startswith(
        f"memray is not usable in {sys.executable}"
    )


WORKERS = [("fork", "InStep"), ("spawn", "Clean")]


@pytest.mark.parametrize(("method", "name"), WORKERS)
def test_workers_are_read_inside(session: Session, method: str, name: str) -> None:
    trace = play(
        session,
        name,
        "make warm:2 block:1x7x20 block:7x1x20 close drop",
        manager="gymnasium-async",
        start_method=method,
    )
    block = blocks(trace)[-1]
    assert (block["creates"], block["resets"], block["steps"]) == (0, 7, 140)
    assert rise(block, "objects") == 0
    (pids,) = [event["pids"] for event in trace.of("workers")]
    assert [worker["pid"] for worker in block["workers"]] == pids
    grown = [
        worker["after"]["objects"] - worker["before"]["objects"] for worker in block["workers"]
    ]
    assert grown == (
        [0, 0] if name == "Clean" else [steps_of(worker) for worker in block["workers"]]
    )


def steps_of(worker: dict[str, Any]) -> int:
    """Steps that the environment itself made: of 140, the manager uses one an episode for its
    reset.
    """
    return worker["after"]["tracked"] - worker["before"]["tracked"]


def test_whole_launches_are_cycles_where_nothing_was_made(session: Session) -> None:
    place: dict[str, Any] = {"manager": "gymnasium-async", "start_method": "fork"}
    block = blocks(play(session, "Clean", "warm:2 block:2x1x5 block:3x1x5", **place))[-1]
    assert (block["creates"], block["resets"], block["steps"]) == (3, 3, 15)
    assert [
        (meter, rise(block, meter))
        for meter in ("descriptors", "threads", "processes", "files", "segments")
        if rise(block, meter)
    ] == []
    # How multiprocessing notes what is free in its shared heap.
    assert abs(rise(block, "objects")) <= 3
    assert "workers" not in block


def test_the_control_reads_zero(session: Session) -> None:
    for block in blocks(play(session, "Clean", "warm:3 block:7 block:14", control=True)):
        assert [(meter, rise(block, meter)) for meter in EXACT if rise(block, meter)] == []


class Tracker:
    """Stand-in for memray on a Python that follows objects to their end. The running one may be
    older.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def get_surviving_objects(self) -> tuple[object, ...]:
        return (*(types.SimpleNamespace() for _ in range(7)), object())


def memray_of_today() -> Any:
    formats = types.SimpleNamespace(AGGREGATED_ALLOCATIONS=2, ALL_ALLOCATIONS=1)
    return types.SimpleNamespace(
        Tracker=Tracker, FileFormat=formats, FileDestination=lambda path, overwrite: path
    )


@pytest.mark.parametrize(
    ("version", "follows"), [((3, 13, 2), False), ((3, 13, 3), True), ((3, 14, 0), True)]
)
def test_lifetimes_are_tracked_where_python_supports_it(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], follows: bool
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert allocations.follows_lifetimes() is follows
    tracker = allocations._tracker(memray_of_today(), allocations.TracingRequest(), "/nowhere")
    assert tracker.options.get("track_object_lifetimes", False) is follows
    assert tracker.options["trace_python_allocators"] is True


def test_survivors_are_counted_by_type() -> None:
    assert allocations._survivors(Tracker(), 7) == [{"type": "types.SimpleNamespace", "count": 7}]


@pytest.mark.parametrize(
    ("name", "operation", "raised"),
    [
        ("NeverCloses", "close", 7),
        ("FailsInStep", "step", 14),
        ("FailsInReset", "reset", 2),
        ("FailsToBuild", "create", 4),
    ],
)
def test_an_error_of_the_environment_ends_no_search(
    session: Session, name: str, operation: str, raised: int
) -> None:
    """It is counted, its first ones are told with their line, and growth is followed on."""
    trace = play(session, name, "warm:3 block:7x1x10 block:7x1x10", "failing.py")
    for block in blocks(trace):
        assert abs(block[f"{operation}_raised"] - raised) <= 1
        assert rise(block, "objects") > 0 or operation == "create"
    told = list(trace.of("raised", operation=operation))
    assert 0 < len(told) <= 3
    assert told[0]["error"]["frames"][-1]["file"].endswith("failing.py")


def test_errors_leave_nothing_in_the_readings(session: Session) -> None:
    *_, last = blocks(play(session, "NeverCloses", "warm:3 block:7 block:7 block:14", "failing.py"))
    assert rise(last, "objects") == last["resets"]
