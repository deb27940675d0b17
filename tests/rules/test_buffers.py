"""Batches of TorchRL's that are launched without shared memory, or without an instance in the
parent.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.finding import INTERACTION, NOTE, UNKNOWN
from envdoctor.model.trace import Trace
from envdoctor.rules.construction.mak004_one_instance_per_process import one_instance_per_process
from envdoctor.rules.engine import registry
from envdoctor.rules.engine.examples import instance, raised, trace, verb
from envdoctor.rules.engine.judging import judge
from envdoctor.rules.engine.registry import Rule, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import without_buffers
from envdoctor.rules.processes.prc003_worker_died import worker_died
from envdoctor.rules.workers.vec001_worker_does_not_start import worker_does_not_start
from envdoctor.rules.workers.vec008_fails_only_under_manager import fails_only_under_manager

PLACE = {"manager": "torchrl-parallel", "start_method": "fork"}
FOUND = Known(is_found=True)
ERROR = {**raised("builtins.RuntimeError", "The size of tensor a (3) must match"), "user": None}
ALONE = trace(
    instance("made"), verb("make"), verb("reset", at=1), verb("step:20", at=2), verb("close", at=3)
)
MADE = tuple(instance("made", pid=pid, parent=False) for pid in (7, 8))


def played(name: str = "life", ill: bool = False, **more: object) -> Trace:
    """A life in which close() raised, or not."""
    closing = verb("close", "raised" if ill else "ended", at=3)
    return trace(
        verb("make"),
        verb("reset", at=1),
        verb("step:20", at=2),
        closing,
        name=name,
        **PLACE,
        **more,
    )


@pytest.fixture
def close_raises(monkeypatch: pytest.MonkeyPatch) -> Rule:
    monkeypatch.setattr(registry, "RULES", {})

    @rule("ZZZ001", "close-raises")
    def judge_it(view: View) -> Iterator:
        if any(one.verbs("close", "raised") for one in view.traces):
            yield judge_it.finding("close() raises", "mend it.")

    return judge_it


def told(rule_: Rule, *traces: Trace) -> list[tuple[str, str, str]]:
    return [
        (one.message, one.severity, one.blame)
        for one in judge("Sick-v0", FOUND, (ALONE, *traces), [rule_]).findings
    ]


ONLY_THERE = "with use_buffers=False: close() raises"


def test_fault_without_buffers_is_a_note_and_unblamed_before_its_control(
    close_raises: Rule,
) -> None:
    rare = played("without-buffers", ill=True)
    assert told(close_raises, played(), rare) == [(ONLY_THERE, NOTE, UNKNOWN)]
    assert told(close_raises, played(), rare, played(control=True)) == [(ONLY_THERE, NOTE, UNKNOWN)]
    assert told(
        close_raises, played(), rare, played(control=True), played("without-buffers", control=True)
    ) == [(ONLY_THERE, NOTE, INTERACTION)]


def test_fault_of_the_null_environment_too_is_not_reported(close_raises: Rule) -> None:
    rare = [played("without-buffers", ill=True, control=control) for control in (False, True)]
    assert told(close_raises, played(), played(control=True), *rare) == []


def test_fault_with_buffers_is_reported_once(close_raises: Rule) -> None:
    assert told(close_raises, played(ill=True), played("without-buffers", ill=True)) == [
        ("close() raises", "error", UNKNOWN)
    ]
    assert told(close_raises, played(), played("without-buffers")) == []
    assert told(close_raises, played(), played("without-shadow", ill=True)) == [], (
        "that is a cure that was tried"
    )


def under(
    *events: dict[str, object], rare: Trace, stderr: str = "", manager: str = "torchrl-parallel"
) -> View:
    life = trace(*events, manager=manager, start_method="fork", stderr=stderr)
    return View(
        "Sick-v0", manager, "fork", (life,), FOUND, other_places=(ALONE,), optional_traces=(rare,)
    )


WORKS, FAILS = played("without-buffers"), played("without-buffers", ill=True)
LAUNCH = 'envs = ParallelEnv(4, make_wrapped, use_buffers=False, mp_start_method="fork")'
DIED = tuple(
    {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": pid, "code": 1} for pid in (7, 8)
)


@pytest.mark.parametrize("rare", [WORKS, FAILS], ids=["it works", "it does not"])
def test_a_launch_without_buffers_is_recommended_where_it_was_seen_to_work(rare: Trace) -> None:
    views = {
        worker_does_not_start: under(verb("make", "raised", error=ERROR), rare=rare),
        fails_only_under_manager: under(
            *MADE, verb("make"), verb("reset", "raised", at=1, error=ERROR), rare=rare
        ),
        worker_died: under(
            *MADE,
            verb("make"),
            verb("step:20", "raised", at=2, error=ERROR),
            *DIED,
            rare=rare,
            stderr="RuntimeError: tensor a\n",
        ),
    }
    for judging, view in views.items():
        (finding,) = judging.judge(view)
        assert ("use_buffers=False" in finding.remedy.text) == (rare is WORKS), judging.code
        assert finding.remedy.commands[-1:] == ((LAUNCH,) if rare is WORKS else ()), judging.code


def test_the_last_words_of_a_worker_of_parallel_env() -> None:
    events = (*MADE, verb("make"), verb("step:20", "raised", at=2, error=ERROR), *DIED)
    (said,) = worker_died.judge(
        under(*events, rare=FAILS, stderr="Traceback:\nRuntimeError: The size of tensor a\n")
    )
    assert said.remedy.text.startswith(
        "its last words are `RuntimeError: The size of tensor a`: so ends a worker of ParallelEnv"
    )
    (silent,) = worker_died.judge(under(*events, rare=FAILS))
    assert silent.remedy.text.startswith("find what calls os._exit() or sys.exit()")
    (other,) = worker_died.judge(
        under(*events, rare=FAILS, stderr="RuntimeError: a", manager="sb3-subproc")
    )
    assert other.remedy.text.startswith("find what calls os._exit()")


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("", ""),
        ("Loading maps...\n", ""),
        (
            (
                "Traceback (most recent call last):\n  File 'x.py'\ntorch.cuda.OutOfMemoryError: no"
                " room\n\n"
            ),
            "torch.cuda.OutOfMemoryError: no room",
        ),
        ("KeyboardException\n", "KeyboardException"),
        ("no error: Error\n", ""),
        ("RuntimeError: " + "a" * 500, "RuntimeError: " + "a" * 186),
    ],
)
def test_last_words(stderr: str, words: str) -> None:
    assert without_buffers.last_words(stderr) == words


def test_a_shadow_and_the_launch_without_one() -> None:
    used = raised("RuntimeError", "in use")
    alone = trace(
        verb("make"),
        verb("reset", at=1),
        verb("close", at=3),
        verb("make", "raised", at=5, error=used),
    )
    two = trace(verb("make", "raised", error=used), name="two-at-once")
    failed = trace(verb("make", "raised", error=used), **PLACE)
    cured = trace(
        *MADE,
        verb("make"),
        verb("step:5", at=2),
        name="without-shadow",
        options=(("metadata_from_workers", True),),
        **PLACE,
    )

    def judged(*more: Trace) -> tuple[str, str, object]:
        view = View(
            "Sick-v0", "direct", None, (alone, two), FOUND, other_places=(alone, two, *more)
        )
        (finding,) = one_instance_per_process.judge(view)
        return finding.remedy.text, finding.remedy.commands[-1], finding.evidence["shadowed"]

    text, line, shadowed = judged(failed)
    assert "metadata_from_workers" not in text + line
    assert shadowed == ("torchrl-parallel", "fork")
    text, line, _ = judged(failed, cured)
    assert text.endswith(
        "ParallelEnv(..., metadata_from_workers=True) builds none: seen to work here with"
        " torchrl-parallel, fork."
    )
    assert (
        line
        == 'envs = ParallelEnv(4, make_wrapped, metadata_from_workers=True, mp_start_method="fork")'
    )
    assert judged()[2] is None
