"""Workers that end or fail, and trainings whose end has another cause."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.watch.test_watch_command import command

SCRIPT = Path(__file__).parent / "agents" / "ends.py"

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux"),
]


@pytest.mark.parametrize(
    ("case", "error"),
    [
        ("truncated_file", "EOFError"),
        ("other_pipe", "EOFError"),
        ("recovers", "KeyError: 'loss'"),
        ("late_cleanup", "_queue.Empty"),
    ],
)
def test_workers_are_not_named_where_they_are_not_the_cause(
    case: str, error: str, tmp_path: Path
) -> None:
    found = _deaths(case, tmp_path)
    (message,) = found
    assert message.startswith(f"the training ended by {error}")
    assert "worker" not in message
    assert found[message] == "note"


def test_worker_that_was_given_up_is_not_the_cause_of_a_later_error(tmp_path: Path) -> None:
    """Its end may be known or not: terminate() and join() ask at once."""
    found = _deaths("another_vectorizer", tmp_path)
    assert set(found.values()) == {"note"}
    assert not any("in a worker" in message for message in found)


def test_line_that_closed_what_is_used_after_that_is_named(tmp_path: Path) -> None:
    (message,) = _deaths("used_after_close", tmp_path)
    closed = r", which was closed before \(ends.py:\d+ in record\), raised, after 2 steps$"
    assert re.search(r"step\(\) of Arm" + closed, message)


def test_close_before_a_reset_is_not_the_cause(tmp_path: Path) -> None:
    (message,) = _deaths("reset_after_close", tmp_path)
    assert "after step() of Arm raised, after 2 steps" in message


def test_close_that_raises_was_not_closed_before(tmp_path: Path) -> None:
    (message,) = _deaths("close_that_raises", tmp_path)
    assert "after close() of Unready raised, after 1 step" in message


def test_worker_that_ends_by_intent_is_a_note(tmp_path: Path) -> None:
    (message,), (severity,) = zip(*_deaths("no_more_orders", tmp_path).items(), strict=True)
    assert "ended by _queue.Empty" in message
    assert "outside of any call of Arm, after 20 steps" in message
    assert severity == "note"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("terminate_in_close", r"by SIGTERM \(.*in terminate_in_close\), in 1 call of close\(\)"),
        ("kill_in_step", r"by SIGKILL \(ends.py:\d+ in kill_in_step\)"),
    ],
)
def test_worker_that_the_trainer_ends_is_named_with_its_line(
    case: str, words: str, tmp_path: Path
) -> None:
    (finding,) = _findings(case, tmp_path)
    assert (finding["code"], finding["severity"]) == ("TRN001", "note")
    assert re.search(f"not closed: the trainer ended 1 worker {words}$", finding["message"])


@pytest.mark.parametrize("case", ["terminate_what_crashed", "crash_unseen"])
def test_worker_that_had_crashed_before_it_is_terminated_is_a_death(
    case: str, tmp_path: Path
) -> None:
    (message,) = _deaths(case, tmp_path)
    assert "was killed by SIGSEGV" in message
    assert "in step() of Slow, after 1 step" in message


@pytest.mark.parametrize("case", ["wait_for_signal", "leave_service"])
def test_training_that_waits_to_be_ended_is_not_accused(case: str, tmp_path: Path) -> None:
    assert _codes(case, tmp_path) <= {"TRN001", "TRN006"}


def test_exceptions_that_python_only_prints_are_named_once_for_each_line(tmp_path: Path) -> None:
    findings = _findings("ignored", tmp_path)
    messages = [each["message"] for each in findings if each["code"] == "TRN018"]
    words = sorted(re.sub(r" \(ends.py:\d+ in .*?\)|<.*?>", "", message) for message in messages)
    assert words == [
        "Python only printed OSError: it is gone, raised in a handler of atexit",
        "Python only printed RuntimeError:  is half made, raised in __del__(), in 2 processes",
        (
            "Python only printed json.decoder.JSONDecodeError: Expecting property name enclosed in"
            " double quotes: line 1 column 2 (char 1), raised in a handler of atexit"
        ),
    ]


def test_exception_of_tasks_that_nothing_retrieves_is_named_once(tmp_path: Path) -> None:
    findings = _findings("tasks", tmp_path)
    messages = [each["message"] for each in findings if each["code"] == "TRN018"]
    assert [re.sub(r" \(ends.py:\d+ in .*?\)", "", message) for message in messages] == [
        (
            "Python only printed RuntimeError: Event loop is closed, raised in a task of"
            " close_late(), whose result nothing retrieved"
        ),
    ]


def test_finalizer_that_raises_while_python_exits_is_named(tmp_path: Path) -> None:
    (finding,) = (each for each in _findings("kept_by_module", tmp_path) if "__del__" in str(each))
    lines = r"\(ends.py:\d+ in __del__\), from ends.py:\d+ in free, raised in __del__\(\) while"
    assert re.search(f"OSError: no display {lines} Python exits", finding["message"])


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("pool_raises", r"in pool_raises\), raised in a forked worker \(ends.py:\d+ in evaluate\)"),
        ("refused_reset", r" in reset\(\) of Guard, called at ends.py:\d+ in refused_reset"),
        ("abort_at_exit", r"killed by SIGABRT at its exit, when its script was done"),
    ],
)
def test_end_of_the_script_is_named_with_what_came_before(
    case: str, words: str, tmp_path: Path
) -> None:
    (message,) = _deaths(case, tmp_path)
    assert re.search(words, message)


def _codes(case: str, folder: Path) -> set[str]:
    return {one["code"] for one in _findings(case, folder)}


def _deaths(case: str, folder: Path) -> dict[str, str]:
    """The severities of what TRN004 says, by its messages."""
    found = [one for one in _findings(case, folder) if one["code"] == "TRN004"]
    return {one["message"]: one["severity"] for one in found}


def _findings(case: str, folder: Path) -> list[dict[str, str]]:
    file = folder / "report.json"
    words = ("--report", f"json={file}", "--", sys.executable, "-B", str(SCRIPT), case)
    command("watch", *words)
    print(text := file.read_text())  # where it is not as expected
    findings: list[dict[str, str]] = json.loads(text)["findings"]
    return findings
