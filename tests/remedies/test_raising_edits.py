"""A call raises where it would wait for ever for a process or a thread that has ended."""

from __future__ import annotations

import pytest

from envdoctor.model.failure_aims import RaiseEnd
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, frame, source

ROBOT = """\
    import multiprocessing, os, queue, subprocess, threading, time

    class Arm(Env):
        def __init__(self):
            self.simulator = {made}
            self.pipe, theirs = multiprocessing.Pipe()

        def _wait(self):
            {wait}

        def close(self):
            self.simulator.stdin.close()
"""
POPEN, PROCESS = "subprocess.Popen(COMMAND)", "multiprocessing.Process(target=run)"
POLLS = "while not os.path.exists(self.answer):\n                time.sleep(0.001)"
RUNS = 'raise RuntimeError(f"simulator ended with exit code {self.simulator.'


def waiting(wait: str, made: str = POPEN, part: str = "time.sleep") -> list[str]:
    where = source(ROBOT.format(made=made, wait=wait))
    aim = RaiseEnd(frame(where, part))
    return [applied(aim, where, number) for number in range(len(list(candidates(aim, where))))]


@pytest.mark.parametrize("part", ["while not", "time.sleep"])
@pytest.mark.parametrize(
    ("made", "asks", "code"),
    [
        (POPEN, "if self.simulator.poll() is not None:", "returncode"),
        (PROCESS, "if not self.simulator.is_alive():", "exitcode"),
    ],
)
def test_loop_asks_whether_the_process_still_runs(
    made: str, asks: str, code: str, part: str
) -> None:
    first, second = waiting(POLLS, made, part)
    assert (
        "        while not os.path.exists(self.answer):\n"
        f"            {asks}\n"
        f'                {RUNS}{code}}}")\n'
        "            time.sleep(0.001)\n"
    ) in first
    assert "contextlib" not in first
    assert (
        "        with contextlib.suppress(BrokenPipeError):\n"
        "            self.simulator.stdin.close()\n"
    ) in second


def test_answer_of_a_pipe_is_waited_for_while_the_process_runs() -> None:
    first, _ = waiting("return self.pipe.recv()", PROCESS, "recv()")
    assert (
        "        while not self.pipe.poll(1.0):\n"
        "            if not self.simulator.is_alive():\n"
        f'                {RUNS}exitcode}}")\n'
        "        return self.pipe.recv()\n"
    ) in first


@pytest.mark.parametrize(
    ("wait", "made", "part"),
    [
        ("time.sleep(9.0)", POPEN, "time.sleep"),  # no loop
        ("return self.socket.recv()", PROCESS, "recv()"),  # not a pipe of multiprocessing
        (f"while self.simulator.poll() is None:\n{' ' * 16}time.sleep(1)", POPEN, "time.sleep"),
        (POLLS, "start()", "time.sleep"),
        (POLLS, f"{POPEN}\n{' ' * 12}self.other = {POPEN}", "time.sleep"),  # which one
    ],
)
def test_other_waits_are_left(wait: str, made: str, part: str) -> None:
    assert waiting(wait, made, part) == []


THREAD = """\
    import queue, threading

    class Arm(Env):
        def __init__(self):
            self.frames = queue.Queue()
            threading.Thread(target={target}, daemon=True).start()

        def _draw(self):
            while True:
                {put}

        def step(self, action):
            {taken}
"""
PUT = "self.frames.put(self.render())"


def handed_on(taken: str, target: str = "self._draw", put: str = PUT) -> str:
    where = source(THREAD.format(taken=taken, target=target, put=put))
    aim = RaiseEnd(frame(where, "frames.get"))
    return applied(aim, where) if any(candidates(aim, where)) else ""


@pytest.mark.parametrize(
    ("taken", "name", "rest"),
    [
        ("self.frames.get()", "answer", ""),
        ("frame = self.frames.get()", "frame", ""),
        ("self.frame = self.frames.get()", "answer", "        self.frame = answer\n"),
        ("return self.frames.get().copy()", "answer", "        return answer.copy()\n"),
    ],
)
def test_error_of_a_thread_is_raised_where_its_result_is_taken(
    taken: str, name: str, rest: str
) -> None:
    text = handed_on(taken)
    assert text.endswith(
        f"        {name} = self.frames.get()\n"
        f"        if isinstance({name}, Exception):\n"
        f"            self.frames.put({name})  # the next call raises it, too\n"
        f"            raise {name}\n{rest}"
    )
    assert (
        "    def _draw(self):\n"
        "        try:\n"
        "            while True:\n"
        f"                {PUT}\n"
        "        except Exception as error:\n"
        "            self.frames.put(error)  # it is raised where a result is taken\n"
    ) in text


@pytest.mark.parametrize(
    ("taken", "target", "put"),
    [
        ("self.frames.get(timeout=3)", "self._draw", PUT),
        ("self.frames.get()", "draw", PUT),  # a function that is not its own
        ("self.frames.get()", "self._draw", "self.orders.put(1)"),
        ("answer = 3; self.seen = self.frames.get()", "self._draw", PUT),
        ("if self.frames.get(): return 1", "self._draw", PUT),
    ],
)
def test_queue_that_such_a_thread_does_not_fill_is_left(taken: str, target: str, put: str) -> None:
    assert handed_on(taken, target, put) == ""
