"""Hanging call and its worker, by values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.failure_aims import RaiseEnd
from envdoctor.model.finding import Location
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, TIME, Wait
from envdoctor.reporters._showing import evidence_lines
from envdoctor.rules.engine.examples import direct_view, instance, reading, trace, vector_view, verb
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.stacks import main_first, process_of

PARENT, FIRST, SECOND = 30, 31, 32
WAITING = """Process 30 (python -m probe):
Current thread 0x01 (most recent call first):
  File "/venv/lib/python3.11/site-packages/ding/envs/env_manager/subprocess_env_manager.py", line 736 in step

Process 31 (python -m probe):
Current thread 0x01 (most recent call first):
  File "/venv/lib/python3.11/site-packages/ding/envs/env_manager/subprocess_env_manager.py", line 548 in worker_fn_robust
"""
STUCK = """
Process 32 (python -m probe):
Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/home/me/crane.py", line 40 in _wait
  File "/home/me/crane.py", line 30 in {call}
  File "/venv/lib/python3.11/site-packages/ding/envs/env_manager/subprocess_env_manager.py", line 533 in {call}_fn
"""
WAIT = Location("/home/me/crane.py", 40, "_wait")


def hung(verb_name: str, call: str, *, told: bool = False) -> View:
    """A manager that hangs in a verb, while its second worker is in a call of the environment.
    Workers are told where the launch ended.
    """
    slots = [
        {"event": "fact", "t": 0.0, "pid": pid, "key": "slot", "value": slot}
        for slot, pid in enumerate((FIRST, SECOND))
    ]
    workers = [{"event": "workers", "t": 0.0, "pid": PARENT, "pids": [FIRST, SECOND]}]
    made = [instance("made", pid=pid, parent=False) for pid in (FIRST, SECOND)]
    place = {"manager": "ding-subproc", "start_method": "fork"}
    events = (*(workers if told else slots), *made, verb(verb_name, "began"))
    return vector_view(
        trace(
            *events,
            outcome=TIMED_OUT,
            verb=verb_name,
            stacks=WAITING + STUCK.format(call=call),
            **place,
        ),
        **place,
    )


def codes(view: View) -> dict[str, str]:
    rules = all_rules()
    judged = {
        code: list(rules[code].judge(view)) for code in ("HNG002", "HNG003", "HNG004", "VEC001")
    }
    return {code: found[0].message for code, found in judged.items() if found}


@pytest.mark.parametrize("verb_name", ["make", "relaunch", "reset", "step:20"])
def test_the_stacks_tell_which_call_it_is(verb_name: str) -> None:
    """A launch resets, a reset of the asynchronous manager waits for an earlier step, and an
    episode that ends is reset by step().
    """
    where = "hangs in crane.py:40, _wait (worker 1), though not without a manager"
    assert codes(hung(verb_name, "reset")) == {"HNG003": f"reset() {where}"}
    assert codes(hung(verb_name, "step", told=True)).get("HNG004") == f"step() {where}"


def test_a_launch_that_hangs_without_a_word_is_no_hang_of_reset() -> None:
    place = {"manager": "ding-subproc", "start_method": "fork"}
    silent = trace(
        instance("made", pid=FIRST, parent=False),
        verb("make", "began"),
        outcome=TIMED_OUT,
        verb="make",
        stacks=WAITING,
        **place,
    )
    assert codes(vector_view(silent, **place)) == {
        "VEC001": "workers do not start: the launch does not come to an end"
    }


def test_a_frame_that_stands_in_two_processes_is_nobodys() -> None:
    stuck = STUCK.format(call="step")
    assert process_of(WAITING + stuck, WAIT) == SECOND
    assert process_of(stuck + stuck.replace("Process 32", "Process 33"), WAIT) is None
    assert process_of(stuck.replace("Process 32 (python -m probe):", ""), WAIT) is None


def test_the_main_thread_of_each_process_comes_first_and_whole() -> None:
    helpers = "".join(
        f'Thread 0x0{number} (most recent call first):\n  File "/lib/pool.py", line 7 in wait\n'
        for number in range(2, 9)
    )
    main = "".join(f'  File "/home/me/arm.py", line {line} in close\n' for line in range(1, 15))
    text = "Process 31 (python train.py):\n" + helpers
    text += "Current thread 0x01 (most recent call first):\n" + main
    text += "Process 32 (worker):\nThread 0x01 (most recent call first):\n"
    ordered = main_first(text).splitlines()
    assert sorted(ordered) == sorted(text.splitlines()), "nothing is lost"
    assert ordered[:2] == [*text.splitlines()[:1], "Current thread 0x01 (most recent call first):"]
    assert ordered[-2:] == text.splitlines()[-2:]
    shown = evidence_lines({"stacks": "\n".join(ordered)})
    assert sum("in close" in line for line in shown) == 14


def ended(
    code: int, *, name: str = "gzserver", workers: tuple[int, ...] = (), old: bool = False
) -> Trace:
    """A reset() that hangs, and how a child had ended by then."""
    events = [
        reading("before", {"zombies": {str(FIRST): name} if old else {}}),
        {"event": "workers", "t": 0.0, "pid": PARENT, "pids": list(workers)},
        {
            "event": "worker-exit",
            "t": 0.0,
            "pid": PARENT,
            "pid_of_worker": FIRST,
            "code": code,
            "name": name,
        },
    ]
    return trace(*events, verb("reset", "began"), outcome=TIMED_OUT, verb="reset")


@pytest.mark.parametrize("code", [-6, 134])
def test_child_that_crashed_before_a_call_that_hangs_is_named(code: int) -> None:
    (found,) = all_rules()["HNG003"].judge(direct_view(ended(code)))
    assert found.message == ("reset() hangs: a child of its process, gzserver, had died of SIGABRT")
    assert "poll()" in found.remedy.text


@pytest.mark.parametrize(
    "trace_of_hang",
    [
        ended(0),
        ended(1),
        ended(-15),  # asked to end
        ended(-9),
        ended(143),
        ended(-6, workers=(FIRST,)),
        ended(-6, old=True),
        ended(-6, name=""),
    ],
    ids=["well", "error", "terminated", "killed", "by a shell", "worker", "earlier", "unnamed"],
)
def test_child_that_did_not_crash_in_this_life_is_not_named(trace_of_hang: Trace) -> None:
    (found,) = all_rules()["HNG003"].judge(direct_view(trace_of_hang))
    assert found.message == "reset() hangs"


PRINTED = """Process ForkProcess-1:
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/process.py", line 108, in run
    self._target(*self._args, **self._kwargs)
  File "/home/me/emulator.py", line 36, in action
    return self.moves[action]
IndexError: tuple index out of range
"""
IN_VAIN = Wait(PARENT, "python -m probe", "read", PIPE, READS, (PARENT,), True)


ASLEEP = Wait(PARENT, "python -m probe", "clock_nanosleep")
FOR_EVENT = Wait(PARENT, "python -m probe", "futex", LOCK, "", (PARENT,), False)


def unanswered(code: int = 1, *, stderr: str = PRINTED, wait: Wait = IN_VAIN) -> Trace:
    """A reset() that waits for an answer, when a child has ended."""
    hung = ended(code, name="python")
    return replace(hung, outcome=replace(hung.outcome, waits=(wait,), stderr=stderr))


@pytest.mark.parametrize(
    ("stderr", "by"),
    [
        (PRINTED, ", by IndexError: tuple index out of range (emulator.py:36, action)"),
        ("a warning", ""),
    ],
)
def test_child_that_ended_by_an_error_before_it_answered_is_named(stderr: str, by: str) -> None:
    (found,) = all_rules()["HNG003"].judge(direct_view(unanswered(stderr=stderr)))
    assert found.message == (
        f"reset() hangs: the process whose answer it waits for had ended with exit code 1{by}"
    )
    assert "is_alive()" in found.remedy.text
    assert ("mend what raises there" in found.remedy.text) == bool(by)


@pytest.mark.parametrize(
    "trace_of_hang",
    [
        unanswered(0),
        unanswered(-15),
        unanswered(143),
        unanswered(wait=replace(IN_VAIN, peers=(PARENT, 77))),
        unanswered(wait=replace(IN_VAIN, peers=(77,))),
        unanswered(wait=replace(IN_VAIN, known=False)),
        unanswered(stderr="", wait=replace(IN_VAIN, main=False)),
        unanswered(stderr="", wait=replace(IN_VAIN, pid=77, peers=(77,))),
        unanswered(stderr="", wait=ASLEEP),
    ],
    ids=[
        "ended well",
        "asked to end",
        "asked to end, by a shell",
        "another can answer",
        "only another can answer",
        "who can answer is not known",
        "another thread waits",
        "another process waits",
        "it sleeps, and nothing is known of an error",
    ],
)
def test_child_is_not_named_where_something_else_may_answer(trace_of_hang: Trace) -> None:
    (found,) = all_rules()["HNG003"].judge(direct_view(trace_of_hang))
    assert "exit code" not in found.message


@pytest.mark.parametrize("waits", [(ASLEEP,), (FOR_EVENT,), ()])
def test_child_that_ended_by_an_error_is_named_beside_other_waits(waits: tuple[Wait, ...]) -> None:
    hung = unanswered()
    hung = replace(hung, outcome=replace(hung.outcome, waits=waits))
    (found,) = all_rules()["HNG003"].judge(direct_view(hung))
    assert found.message == (
        "reset() hangs: a child of its process had ended with exit code 1, by IndexError: tuple"
        " index out of range (emulator.py:36, action)"
    )


IN_THREAD = """Exception in thread Thread-1 (simulate):
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 982, in run
    self._target(*self._args, **self._kwargs)
  File "/home/me/{file}.py", line 17, in simulate
    self.frames.put(60 / 0)
ZeroDivisionError: division by zero
"""


def waiting(stderr: str, *waits: Wait) -> Trace:
    """A reset() that hangs, with what was printed before."""
    hung = trace(verb("reset", "began"), outcome=TIMED_OUT, verb="reset")
    return replace(hung, outcome=replace(hung.outcome, stderr=stderr, waits=waits))


@pytest.mark.parametrize("waits", [(FOR_EVENT,), (ASLEEP,), ()])
def test_thread_that_ended_by_an_error_before_it_answered_is_named(waits: tuple[Wait, ...]) -> None:
    hung = waiting(IN_THREAD.format(file="arm"), *waits)
    (found,) = all_rules()["HNG003"].judge(direct_view(hung))
    assert found.message == (
        "reset() hangs: Thread-1 (simulate), a thread of its process, had ended by"
        " ZeroDivisionError: division by zero (arm.py:17, simulate)"
    )
    assert "have the thread catch what it raises" in found.remedy.text


def test_call_is_to_raise_where_what_it_waits_for_has_ended() -> None:
    at = "Process 30 (python):\nCurrent thread 0x01 (most recent call first):\n"
    stacks = f'{at}  File "/home/me/crane.py", line 40 in reset\n'
    for hung in (ended(-6), waiting(IN_THREAD.format(file="arm"), FOR_EVENT)):
        named = replace(hung, outcome=replace(hung.outcome, stacks=stacks))
        (finding,) = all_rules()["HNG003"].judge(direct_view(named))
        assert finding.remedy.aim == RaiseEnd(Frame("/home/me/crane.py", 40))
        (unplaced,) = all_rules()["HNG003"].judge(direct_view(hung))
        assert unplaced.remedy.aim is None


@pytest.mark.parametrize(
    "hung",
    [
        waiting(IN_THREAD.format(file="arm"), replace(IN_VAIN, peers=(77,))),
        waiting(IN_THREAD.format(file="lib/python3.11/site-packages/tqdm/_monitor"), FOR_EVENT),
        waiting(IN_THREAD.format(file="arm").replace("Exception in thread", "Note of"), FOR_EVENT),
    ],
    ids=["another process can answer", "a library's thread", "no thread ended"],
)
def test_thread_is_not_named_where_it_may_not_be_the_cause(hung: Trace) -> None:
    (found,) = all_rules()["HNG003"].judge(direct_view(hung))
    assert "had ended" not in found.message


def test_close_that_waits_for_a_child_that_failed_says_so() -> None:
    hung = unanswered()
    hung = replace(hung, outcome=replace(hung.outcome, verb="close"))
    (found,) = all_rules()["CLS004"].judge(direct_view(hung))
    assert "IndexError: tuple index out of range (emulator.py:36, action)" in found.message


IN_RUN = """Process 30 (python -m probe):
Current thread 0x01 (most recent call first):
{inner}  File "/home/me/bash.py", line 31 in run
  File "/home/me/bash.py", line 42 in step
"""
COMMUNICATES = '  File "/usr/lib/python3.11/subprocess.py", line 1209 in communicate\n'
ANSWER = Wait(PARENT, "python -m probe", "poll", PIPE, READS, (41, 43), True)


@pytest.mark.parametrize(
    ("inner", "others", "message", "remedy"),
    [
        (
            "",
            (Wait(41, "cat", "read", PIPE, READS), Wait(43, "tee", "read", PIPE, READS)),
            "bash.py:31, run",
            "raise with the reason when it expires.",
        ),
        (
            "",
            (
                Wait(41, "bash -c 'npm start'", "wait4", CHILD, "", (43,), True),
                Wait(43, "sleep 1", "clock_nanosleep", TIME),
            ),
            "run: it waits for the output of pid 41 (bash -c 'npm start') and its children",
            "end it and all that it has started when a time limit is over",
        ),
        (
            "",
            (
                Wait(41, "bash -c game", "wait4", CHILD, "", (43,), True),
                Wait(43, "game", "read", PIPE, READS, (PARENT,), True),
            ),
            "run: it waits for an answer of pid 41 (bash -c game)",
            "raise with the reason when it expires.",
        ),
        (
            COMMUNICATES,
            (Wait(41, "cat", "read", PIPE, READS, (42,), True),),
            "run: it waits for an answer of pid 41 (cat)",
            "os.killpg() for its group.",
        ),
        (
            "",
            (Wait(41, "/opt/sim -c 'a\nb'", "read", SOCKET, READS, (PARENT,), True),),
            "pid 41 (sim -c 'a b'), which waits for one of this process",
            "raise with the reason when it expires.",
        ),
        (
            "",
            (Wait(41, "sim", "pselect6", SOCKET, READS, (PARENT,), False),),
            "pid 41 (sim), which waits for one of this process",
            "raise with the reason when it expires.",
        ),
        (
            "",
            (Wait(41, "sim", "pselect6", SOCKET, READS, (PARENT, 77), False),),
            "run: it waits for an answer of pid 41 (sim)",
            "raise with the reason when it expires.",
        ),
        ("", (), "bash.py:31, run", "raise with the reason when it expires."),
        (
            "",
            (Wait(41, "cat", "read", PIPE, READS, (), False),),
            "run: it waits for an answer of pid 41 (cat)",
            "raise with the reason when it expires.",
        ),
    ],
    ids=[
        "two that could answer",
        "a shell whose command does not end",
        "a shell whose command answers",
        "a child's output",
        "each for the other",
        "one that polls for this process alone",
        "one that polls for others, too",
        "nobody known",
        "for whom is not known",
    ],
)
def test_process_whose_answer_is_awaited_is_named(
    inner: str, others: tuple[Wait, ...], message: str, remedy: str
) -> None:
    stuck = trace(
        verb("step:20", "began"),
        outcome=TIMED_OUT,
        verb="step:20",
        stacks=IN_RUN.format(inner=inner),
        waits=(ANSWER, *others),
    )
    (finding,) = all_rules()["HNG004"].judge(direct_view(stuck))
    assert finding.message.endswith(message)
    assert remedy in finding.remedy.text
