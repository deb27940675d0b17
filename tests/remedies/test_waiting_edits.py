"""A wait ends: what it waits for is done before, or is not needed."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import EndWait
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, frame, source


def edits_at(where: Source, part: str, *, full: bool = False) -> list[object]:
    return list(candidates(EndWait(frame(where, part), full), where))


SHELL = """\
    import subprocess

    class Arm(Env):
        def run(self, command):
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
            {wait}
            return {result}
"""


def test_wait_before_communicate_goes() -> None:
    where = source(SHELL.format(wait="process.wait()", result="process.communicate()[0]"))
    text = applied(EndWait(frame(where, "wait()"), True), where)
    assert "wait()" not in text
    assert "return process.communicate()[0]" in text


@pytest.mark.parametrize(
    ("wait", "result"),
    [
        ("process.wait()", "other.communicate()[0]"),
        ("process.wait(timeout=5)", "process.communicate()[0]"),
        ("process.wait()", "process.returncode"),
    ],
)
def test_wait_that_is_needed_stays(wait: str, result: str) -> None:
    where = source(SHELL.format(wait=wait, result=result))
    assert edits_at(where, "wait(", full=True) == []


ENGINE = """\
    import subprocess

    class Arm(Env):
        OUTPUT = subprocess.PIPE

        def start(self):
            self.engine = subprocess.Popen("engine", stdout={output})

        def step(self, action):
            {reads}
            return self.line.recv(8)

        def close(self):
            self.engine.wait()
            {closes}
"""


@pytest.mark.parametrize("output", ["subprocess.PIPE", "self.OUTPUT"])
def test_output_that_nothing_reads_goes_nowhere(output: str) -> None:
    where = source(ENGINE.format(output=output, reads="pass", closes="self.engine.stdout.close()"))
    text = applied(EndWait(frame(where, "recv"), True), where)
    kept = "stdout=subprocess.DEVNULL" if "PIPE" in output else "OUTPUT = subprocess.DEVNULL"
    assert kept in text
    assert "stdout.close()" not in text


def test_close_of_a_pipe_that_may_be_missing_stays() -> None:
    closes = "self.engine.stdout and self.engine.stdout.close()"
    where = source(ENGINE.format(output="subprocess.PIPE", reads="pass", closes=closes))
    assert edits_at(where, "recv", full=True) == []
    closes = "if self.engine.stdout: self.engine.stdout = None"
    where = source(ENGINE.format(output="subprocess.PIPE", reads="pass", closes=closes))
    assert edits_at(where, "recv", full=True) == []


@pytest.mark.parametrize(
    ("output", "reads"),
    [
        ("subprocess.PIPE", "self.engine.stdout.readline()"),
        ("subprocess.PIPE", "self.engine.communicate()"),
        ("subprocess.PIPE", "watch(self.engine)"),
        ("subprocess.DEVNULL", "pass"),
        ("self.log", "pass"),
    ],
)
def test_output_that_something_reads_stays(output: str, reads: str) -> None:
    where = source(ENGINE.format(output=output, reads=reads, closes="pass"))
    assert edits_at(where, "recv", full=True) == []


BATTLE = """\
    import queue, threading

    class Arm(Env):
        def fight(self, orders, sights):
            while True:
                order = orders.get()
                if order is None:
                    return

        def end(self):
            {before}
            self.thread.join({limit})

        def reset(self, *, seed=None):
            self.end()
            self.orders, self.sights = queue.Queue(), queue.Queue()
            arguments = (self.orders, self.sights)
            self.thread = threading.Thread(target={target}, args=arguments)
            self.thread.start()
"""


def test_thread_is_asked_to_end_before_it_is_joined() -> None:
    where = source(BATTLE.format(before="pass", limit="", target="self.fight"))
    text = applied(EndWait(frame(where, "join")), where)
    assert "        self.orders.put(None)\n        self.thread.join()\n" in text


@pytest.mark.parametrize(
    ("before", "limit", "target"),
    [
        ("self.orders.put(None)", "", "self.fight"),
        ("pass", "5.0", "self.fight"),
        ("pass", "", "self.engine.loop"),
    ],
)
def test_thread_that_is_asked_or_not_known_gets_no_code(
    before: str, limit: str, target: str
) -> None:
    where = source(BATTLE.format(before=before, limit=limit, target=target))
    assert edits_at(where, "join") == []


FRAMES = """\
    import contextlib
    import queue

    class Arm(Env):
        def __init__(self):
            self.frames = queue.Queue(maxsize=16)

        def {name}(self):
            self.frames.put({value})

        def look(self):
            return {look}
"""


def test_close_does_not_wait_for_room_in_a_queue_that_nothing_takes_from() -> None:
    where = source(FRAMES.format(name="close", value="None", look="0"))
    text = applied(EndWait(frame(where, ".put(")), where)
    assert "with contextlib.suppress(queue.Full):" in text
    assert "            self.frames.put_nowait(None)" in text


@pytest.mark.parametrize(
    ("name", "value", "look"),
    [
        ("step", "None", "0"),  # which frame is left out is the author's choice
        ("close", "None, timeout=5", "0"),
        ("close", "None", "self.frames.get()"),
        ("close", "None", "frames.get_nowait()"),
    ],
)
def test_queue_that_something_takes_from_is_waited_for(name: str, value: str, look: str) -> None:
    where = source(FRAMES.format(name=name, value=value, look=look))
    assert edits_at(where, ".put(") == []


WORLD = """\
    class World:
        def __init__(self):
            self.places = {{}}

        def spawn(self, place):
            self.places[place] = "car"
            return place

        def {giving}(self, place{more}):
            {takes}

    class Arm(Env):
        def __init__(self):
            self.world = World()
            self.car = None

        def reset(self, *, seed=None):
            self.car = None
            while self.car is None:
                self.car = self.world.spawn(1)
                wait()
"""


@pytest.mark.parametrize(
    "takes",
    ["self.places[place] = None", "del self.places[place]", "self.places.pop(place, None)"],
)
def test_object_that_was_taken_is_given_back_before_the_next(takes: str) -> None:
    where = source(WORLD.format(giving="destroy", more="", takes=takes))
    text = applied(EndWait(frame(where, "wait()")), where)
    assert (
        "        if self.car is not None:\n"
        "            self.world.destroy(self.car)\n"
        "        self.car = None\n"
        "        while"
    ) in text


@pytest.mark.parametrize(
    ("more", "takes"),
    [
        (", force", "self.places[place] = None"),
        ("", "return self.places[place]"),
        ("", "self.others[place] = None"),
        ("", "self.places[0] = None"),
    ],
)
def test_method_that_gives_back_something_else_is_not_called(more: str, takes: str) -> None:
    where = source(WORLD.format(giving="destroy", more=more, takes=takes))
    assert edits_at(where, "wait()") == []


TOOL = """\
    import signal, subprocess

    class Arm(Env):
        def start(self, command):
            return subprocess.Popen(command, shell=True, stdout=-1)

        def kill(self, {parameter}):
            {ends}

        def step(self, action):
            process = self.start("sleep 600 | cat")
            self.kill({given})
            return process.communicate()
"""


def test_group_of_a_shell_in_a_variable_is_ended() -> None:
    where = source(TOOL.format(parameter="process", ends="process.kill()", given="process"))
    text = applied(EndWait(frame(where, "communicate")), where)
    assert "shell=True, stdout=-1, start_new_session=True)" in text
    assert "os.killpg(process.pid, signal.SIGKILL)" in text


@pytest.mark.parametrize(
    ("parameter", "ends", "given"),
    [
        ("process", "process.kill()", "self.other"),
        ("process, other", "other.kill()", "process"),
        ("process", "process.poll()", "process"),
    ],
)
def test_shell_that_is_not_ended_there_keeps_its_group(
    parameter: str, ends: str, given: str
) -> None:
    where = source(TOOL.format(parameter=parameter, ends=ends, given=given))
    assert edits_at(where, "communicate") == []


ASKING = """\
    import os
    import subprocess

    class Arm(Env):
        def run(self, command):
            return subprocess.run(["sh", "-c", command], {given}check=False)
"""


@pytest.mark.parametrize("given", ["", "stdin=self.terminal, "])
def test_program_that_asks_gets_no_input(given: str) -> None:
    where = source(ASKING.format(given=given))
    text = applied(EndWait(frame(where, "subprocess.run(")), where)
    assert text.count("stdin=subprocess.DEVNULL") == text.count("stdin") == 1


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ("input=self.text, ", ""),
        ("timeout=3, ", ""),
        ("stdin=subprocess.DEVNULL, ", ""),
        ("stdin=subprocess.PIPE, ", ""),
        ("**self.options, ", ""),
        ("stdin=self.terminal, ", "    def type(self):\n            os.write(1, self.text)\n"),
    ],
    ids=["it gets some", "a limit", "none already", "a pipe", "not known", "something is typed"],
)
def test_program_with_an_input_keeps_it(given: str, more: str) -> None:
    where = source(ASKING.format(given=given) + f"\n    {more}")
    assert edits_at(where, "subprocess.run(") == []


LIMITED = """\
    import asyncio
    from concurrent.futures import ProcessPoolExecutor

    class Arm(Env):
        def verify(self, program):
            with ProcessPoolExecutor(1) as executor:
                {last}

    async def score(executor, program):
        return await asyncio.wait_for(run(executor, program), LIMIT)
"""
KILLS = "            for process in executor._processes.values():\n                process.kill()\n"


def test_workers_end_where_the_limit_of_their_user_has_passed() -> None:
    where = source(LIMITED.format(last="self.reward = asyncio.run(score(executor, program))"))
    text = applied(EndWait(frame(where, "with ")), where)
    assert f"score(executor, program))\n{KILLS}\n" in text
    where = source(LIMITED.format(last="return asyncio.run(score(executor, program))"))
    text = applied(EndWait(frame(where, "with ")), where)
    assert f"    result = asyncio.run(score(executor, program))\n{KILLS}" in text
    assert f"{KILLS}            return result\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("asyncio.wait_for(run(executor, program), LIMIT)", "run(executor, program)"),
        ("ProcessPoolExecutor(1)", "ThreadPoolExecutor(1)"),
        (" as executor", ""),
    ],
    ids=["no limit", "threads", "no name"],
)
def test_workers_without_a_limit_are_waited_for(old: str, new: str) -> None:
    text = LIMITED.format(last="self.reward = asyncio.run(score(executor, program))")
    assert edits_at(source(text.replace(old, new)), "with ") == []


CAMERA = """\
    class Car(Env):
        def image(self{more}):
            {ask}
            return decoded(self.camera.recv(1))

        def tick(self):
            {order}
            {read}
"""
ASKED = {
    "more": "",
    "ask": "self.camera.send(b'i')",
    "order": "self.go()",
    "read": "return self.image()",
}


def test_answer_is_asked_for_before_the_order_that_it_comes_with() -> None:
    where = source(CAMERA.format(**ASKED), "Car")
    text = applied(EndWait(frame(where, "recv")), where)
    assert text.endswith(
        "    def tick(self):\n        self.camera.send(b'i')\n        self.go()\n"
        "        return decoded(self.camera.recv(1))\n"
    )
    named = source(CAMERA.format(**ASKED | {"read": "view = self.image()"}), "Car")
    assert "view = decoded(self.camera.recv(1))" in applied(EndWait(frame(named, "recv")), named)


@pytest.mark.parametrize(
    "other",
    [
        {"more": ", eye"},
        {"ask": "asked = self.camera.send(b'i')"},
        {"order": "self.gone = True"},
        {"read": "return self.other()"},
        {"read": "return [self.image()]"},
    ],
    ids=["an argument", "it keeps a result", "no order", "another method", "a part of a value"],
)
def test_answer_is_read_where_it_is_in_other_methods(other: dict[str, str]) -> None:
    assert edits_at(source(CAMERA.format(**ASKED | other), "Car"), "recv") == []


COPIED = """\
import copy

class Arm(Env):
    def close(self):
        self.thread.join()

class OldArm(Arm):
    pass

def turn(env):
    env = copy.copy(env)
    env.__class__ = OldArm
    return env
"""


def test_environment_whose_thread_is_joined_is_not_copied() -> None:
    where = source(COPIED)
    text = applied(EndWait(frame(where, "join")), where)
    assert "def turn(env):\n    env.__class__ = OldArm\n    return env\n" in text
    assert "import copy" not in text


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("env = copy.copy(env)", "env = copy.copy(env.unwrapped)"),
        ("env = copy.copy(env)", "env = copy.copy(original)"),
        ("env.__class__ = OldArm", "env.name = 'old'"),
        ("self.thread.join()", "self.thread.wait()"),
    ],
    ids=["a part", "another one", "it keeps its class", "no thread"],
)
def test_copy_of_something_else_stays(part: str, other: str) -> None:
    where = source(COPIED.replace(part, other))
    made = list(candidates(EndWait(frame(where, "self.thread")), where))
    assert not made
