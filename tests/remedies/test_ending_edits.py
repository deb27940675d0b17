"""What an environment holds, starts or asks for is ended: the text after the edits, and look-alikes
that get none.
"""

from __future__ import annotations

import textwrap

import pytest

from envdoctor.model.environment_aims import (
    CallInClose,
    Clear,
    EndHeld,
    Forget,
    Release,
    ReleaseOld,
    WaitForKilled,
)
from envdoctor.model.errors import Frame
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.finishing import finish
from envdoctor.remedies.holding import held_by
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import FILE, applied, frame, source

SANDBOX = """
    import socket

    class Pool:
        def connect(self):
            self.mine, theirs = socket.socketpair()
            return theirs

        def close(self):
            self.mine.close()

    class Client:
        def __init__(self):
            self.pool = Pool()

        def {ending}(self):
            self.pool.close()

    class Sandbox:
        def __init__(self):
            self.client = Client()

        def kill(self):
            pass

    class Arm:
        def __init__(self):
            self.sandbox = None

        def reset(self):
            self.sandbox = Sandbox()

        def close(self):
            if self.sandbox is not None:
                self.sandbox.kill()
                self.sandbox = None
    """


@pytest.mark.parametrize(
    ("ending", "call"),
    [("close", "self.sandbox.client.close()"), ("look", "self.sandbox.client.pool.close()")],
)
def test_client_of_a_held_object_is_ended_first(ending: str, call: str) -> None:
    where = source(SANDBOX.format(ending=ending))
    text = applied(Release("descriptor", (frame(where, "socketpair"),)), where)
    assert (
        "    def close(self):\n"
        "        if self.sandbox is not None:\n"
        f"            {call}\n"
        "        if self.sandbox is not None:\n"
    ) in text


def test_classes_that_make_each_other_are_held_once() -> None:
    where = source("""
        class Sim:
            def show(self):
                self.view = View(self)

        class View:
            def reset(self):
                self.next = Sim()

        class Arm:
            def __init__(self):
                self.sim = Sim()
        """)
    assert [each.path for each in held_by(where)] == ["sim", "sim.view"]


def memory(made: str) -> Source:
    return source(f"""
        import os

        class Memory:
            def __init__(self, path):
                self.file = os.open(path, os.O_RDWR)

            def unlink(self):
                pass

            def close(self):
                os.close(self.file)

        class Arm:
            def __init__(self):
                {made}

            def close(self):
                for each in self.buffers:
                    each.unlink()
        """)


@pytest.mark.parametrize("value", ["[Memory(path) for path in PATHS]", "[Memory('a')]"])
def test_each_of_a_list_is_ended(value: str) -> None:
    where = memory(f"self.buffers = {value}")
    text = applied(Release("descriptor", (frame(where, "os.open("),)), where)
    assert (
        "    def close(self):\n        for each in self.buffers:\n            each.close()\n"
        in text
    )


def test_list_that_is_not_written_down_is_left() -> None:
    where = memory("self.buffers = buffers_of(Memory)")
    assert not list(candidates(Release("descriptor", (frame(where, "os.open("),)), where))


def race(close: str, ending: str = "disconnect") -> Source:
    return source(f"""
        class Physics:
            def {ending}(self):
                pass

        class Arm:
            def __init__(self):
                self.physics = None

            def reset(self):
                self.physics = Physics()

            {close}
        """)


def test_held_object_is_ended_in_close() -> None:
    text = applied(EndHeld(), race("lowest = 0"))
    assert (
        "    def close(self):\n"
        "        if self.physics is not None:\n"
        "            self.physics.disconnect()\n"
        "            self.physics = None\n"
    ) in text


def test_each_object_of_a_list_is_freed_and_forgotten() -> None:
    where = source("""
        class Mesh:
            def free(self):
                pass

        class Arm:
            def __init__(self):
                self.meshes = []

            def reset(self):
                self.meshes = [Mesh() for _ in range(50)]

            def close(self):
                self.closed = True
        """)
    assert (
        "    def close(self):\n"
        "        for each in self.meshes:\n"
        "            each.free()\n"
        "        self.meshes = []\n"
    ) in applied(EndHeld(), where)


def viewer(entered: str) -> Source:
    return source(f"""
        from multiprocessing import shared_memory

        VIEWERS = []

        class Arm:
            frames = None

            def __init__(self):
                self.frames = shared_memory.SharedMemory(create=True, size=4096)
                {entered}

            def close(self):
                self.closed = True
        """)


def test_memory_leaves_the_list_of_the_module() -> None:
    where = viewer("VIEWERS.append(self.frames)")
    text = applied(Release("segment", (frame(where, "SharedMemory("),)), where)
    assert (
        "            VIEWERS.remove(self.frames)\n"
        "            self.frames.close()\n"
        "            self.frames.unlink()\n"
    ) in text


@pytest.mark.parametrize(
    "entered",
    [
        "VIEWERS.append(1)",
        "self.viewers.append(self.frames)",
        "if self.shows: VIEWERS.append(self.frames)",
    ],
)
def test_memory_in_no_list_of_the_module_is_only_released(entered: str) -> None:
    where = viewer(entered)
    assert ".remove(" not in applied(Release("segment", (frame(where, "SharedMemory("),)), where)


def test_held_object_is_ended_before_the_next() -> None:
    text = applied(EndHeld(), race("close = lambda self: self.physics.disconnect()"))
    assert (
        "        if self.physics is not None:\n"
        "            self.physics.disconnect()\n"
        "        self.physics = Physics()\n"
    ) in text


def test_held_object_without_an_ending_method_is_left() -> None:
    assert not list(candidates(EndHeld(), race("lowest = 0", ending="look")))


def server(close: str, made: str = "subprocess.Popen(COMMAND)") -> Source:
    return source(f"""
        import subprocess

        class Arm:
            def reset(self):
                self.server = {made}

            def close(self):
                {close}
                self.server = None
        """)


@pytest.mark.parametrize(
    ("close", "wait"),
    [
        ("self.server.kill()", "self.server.wait()"),
        ("self.server.terminate()", "self.server.wait(timeout=5.0)"),
    ],
)
def test_killed_process_is_waited_for(close: str, wait: str) -> None:
    assert f"        {close}\n        {wait}\n" in applied(WaitForKilled(), server(close))


LOCAL = """
import subprocess


class Arm:
    def step(self, action):
        helper = {made}
        helper.send(action)
        helper.kill()
        {after}
"""


def test_killed_process_of_a_variable_is_waited_for() -> None:
    where = source(LOCAL.format(made="subprocess.Popen(COMMAND)", after="return 1"))
    text = applied(WaitForKilled(), where)
    assert "        helper.kill()\n        helper.wait()\n        return 1\n" in text


@pytest.mark.parametrize(
    ("made", "after"),
    [("subprocess.Popen(COMMAND)", "return helper.wait()"), ("Server()", "return 1")],
)
def test_variable_that_is_waited_for_or_no_process_is_left(made: str, after: str) -> None:
    assert not list(candidates(WaitForKilled(), source(LOCAL.format(made=made, after=after))))


@pytest.mark.parametrize(
    ("close", "made"),
    [
        ("self.server.kill(); self.server.wait()", "subprocess.Popen(COMMAND)"),
        ("self.server.kill(); self.server.communicate()", "subprocess.Popen(COMMAND)"),
        ("self.server.stop()", "subprocess.Popen(COMMAND)"),
        ("self.server.kill()", "Server()"),
    ],
)
def test_process_that_is_waited_for_is_left(close: str, made: str) -> None:
    assert not list(candidates(WaitForKilled(), server(close, made)))


def shell(popen: str) -> Source:
    return source(f"""
        import subprocess

        class Arm:
            def start(self):
                return subprocess.Popen({popen})

            def reset(self):
                self.agent = self.start()

            def close(self):
                self.agent.terminate()
                self.agent.wait()
        """)


def test_group_of_a_shell_is_ended() -> None:
    where = shell("command, shell=True")
    text = applied(Release("process", (frame(where, "Popen("),)), where)
    assert "subprocess.Popen(command, shell=True, start_new_session=True)" in text
    assert (
        "        with contextlib.suppress(ProcessLookupError):\n"
        "            os.killpg(self.agent.pid, signal.SIGTERM)\n"
        "        self.agent.wait()\n"
    ) in text


@pytest.mark.parametrize(
    "popen", ["command", "command, shell=False", "command, shell=True, start_new_session=True"]
)
def test_process_without_a_shell_of_its_own_group_is_left(popen: str) -> None:
    where = shell(popen)
    edits = list(candidates(Release("process", (frame(where, "Popen("),)), where))
    assert "killpg" not in str(edits)


def container(run: str, held: str = "self.container = self.start()") -> Source:
    return source(f"""
        import subprocess

        def docker(*words):
            return subprocess.run(["docker", *words]).stdout.strip()

        class Arm:
            def __init__(self):
                self.container = None
                self.agents = []

            def start(self, port=0):
                {run}

            def reset(self):
                {held}

            def close(self):
                self.closed = True
        """)


REMOVES = """\
            command = ["docker", "rm", "--force", {}]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
"""


@pytest.mark.parametrize(
    ("run", "held", "place"),
    [
        ("return subprocess.check_output(RUN).strip()", "self.container = self.start()", "RUN"),
        ("started = subprocess.run(RUN); self.container = started.stdout", "self.start()", "RUN"),
        ("pass", 'self.container = docker("run", "-d", "swe")', '["docker", *words]'),
    ],
)
def test_container_is_removed(run: str, held: str, place: str) -> None:
    where = container(run, held)
    text = applied(Release("container", (frame(where, place),)), where)
    removes = REMOVES.format("self.container")
    assert f"        if self.container is not None:\n{removes}" in text


def test_each_container_is_removed() -> None:
    where = container("return run(RUN)", "self.agents = [self.start(port) for port in (1, 2)]")
    text = applied(Release("container", (frame(where, "RUN"),)), where)
    removes = REMOVES.format("each")
    assert f"        for each in self.agents:\n{removes}" in text


@pytest.mark.parametrize(
    ("held", "place"),
    [
        ('self.container = docker("ps")', '["docker", *words]'),
        ("name = self.start()", "RUN"),
    ],
)
def test_container_without_a_name_that_is_kept_is_left(held: str, place: str) -> None:
    where = container("return run(RUN)", held)
    assert not list(candidates(Release("container", (frame(where, place),)), where))


def test_container_is_removed_before_it_is_forgotten() -> None:
    where = container("self.container = run(RUN)", "self.container = None")
    text = applied(Release("container", (frame(where, "RUN"),)), where)
    removes = REMOVES.format("self.container")
    assert f"{removes}        self.container = None\n" in text


IN_BACKGROUND = """\
            command = f"(sleep 9; docker stop {self.container}) &"
            subprocess.Popen(command, shell=True)
            self.container = None
"""


def later(ends: str) -> Source:
    where = container("return run(RUN)")
    closed = "        if self.container is not None:\n" + ends
    file = where.files[FILE]
    text = file.text.replace("        self.closed = True\n", closed)
    return source(text)


def test_container_is_removed_and_not_left_to_a_command_in_the_background() -> None:
    where = later(IN_BACKGROUND)
    text = applied(Release("container", (frame(where, "RUN"),)), where)
    removes = REMOVES.format("self.container")
    assert text.endswith(
        f"    if self.container is not None:\n{removes}            self.container = None\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [(" &", ""), ("self.container = None", "self.closed = True"), ("{self.container}", "{NAME}")],
    ids=["it is waited for", "it is kept", "another container"],
)
def test_other_commands_of_close_stay(old: str, new: str) -> None:
    where = later(IN_BACKGROUND.replace(old, new))
    text = applied(Release("container", (frame(where, "RUN"),)), where)
    assert "subprocess.Popen(command, shell=True)" in text


def maze(opened: str = "self.window = pygame.display.set_mode((64, 64))") -> Source:
    return source(f"""
        import pygame

        class Arm:
            def __init__(self):
                self.window = None

            def render(self):
                if self.window is None:
                    pygame.display.init()
                    {opened}

            def close(self):
                self.window = None
        """)


QUIT = CallInClose(("pygame.display.quit()",))


def test_last_instance_closes_the_window() -> None:
    text = applied(QUIT, maze(), -1)
    assert "            Arm._windows += 1\n            self.window = pygame" in text
    assert (
        "        if self.window is not None:\n"
        "            self.window = None\n"
        "            Arm._windows -= 1\n"
        "            if Arm._windows == 0:\n"
        "                pygame.display.quit()\n"
    ) in text


def test_attribute_that_may_hold_another_surface_is_not_counted() -> None:
    where = maze("self.window = pygame.display.set_mode(S); self.window = pygame.Surface(S)")
    assert "_windows" not in str(list(candidates(QUIT, where)))


@pytest.mark.parametrize(
    ("chain", "line"),
    [
        (
            "arm.MADE[1].env",
            'MADE[:] = [each for each in MADE if getattr(each, "unwrapped", each) is not self]',
        ),
        ("arm.MADE[1]", "MADE[:] = [each for each in MADE if each is not self]"),
    ],
)
def test_instance_leaves_a_list_of_its_wrappers(chain: str, line: str) -> None:
    where = source("""
        MADE = []

        class Arm:
            def close(self):
                self.closed = True
        """)
    assert f"    def close(self):\n        {line}\n" in applied(Forget(chain), where)


def test_list_of_a_held_object_is_emptied() -> None:
    where = source("""
        class Arm:
            def __init__(self):
                self.manager = Manager()

            def reset(self):
                return 0
        """)
    text = applied(Clear("self.manager.storage", "reset"), where)
    assert "    def reset(self):\n        self.manager.storage.clear()\n" in text


def tool(made: str, use: str, end: str = "return 0") -> Source:
    return source(f"""
        import os
        import subprocess

        class Clip:
            def close(self):
                pass

        class Batch:
            def __init__(self):
                self.lists = []

            def add(self, count):
                self.lists.append([count])
                return self.lists[-1]

            def delete(self, one):
                self.lists[:] = [each for each in self.lists if each is not one]

        BATCH = Batch()

        class Arm:
            def step(self, action):
                {made}
                {use}
                {end}
        """)


def lines_of(where: Source, part: str) -> list[str]:
    return [line for edits in finish(frame(where, part), where) for line in edits[0].lines]


@pytest.mark.parametrize(
    ("made", "use", "ending"),
    [
        (
            "new = os.posix_spawn('sh', ['sh'], {})",
            "text = os.read(3, 100)",
            "os.waitpid(new, 0)",
        ),
        ("new = subprocess.Popen(['sh'])", "text = new.stdout.read()", "new.wait()"),
        ("new = Clip()", "new.write()", "new.close()"),
        ("new = BATCH.add(100)", "shade = int(new[0])", "BATCH.delete(new)"),
        ("new = BATCH.add(100)", "if self.ends: BATCH.delete(new)", "BATCH.delete(new)"),
    ],
)
def test_local_object_is_ended(made: str, use: str, ending: str) -> None:
    where = tool(made, use)
    assert lines_of(where, made) == [ending]
    assert lines_of(tool(made, use, "pass"), made) == ["pass", ending]


@pytest.mark.parametrize(
    ("made", "use", "end"),
    [
        ("new = Clip()", "self.clip = new", "return 0"),
        ("new = Clip()", "self.clips.append(new)", "return 0"),
        ("new = Clip()", "keep(new)", "return 0"),
        ("new = Clip()", "self.call = lambda: new", "return 0"),
        ("new = Clip()", "new = None", "return 0"),
        ("new = Clip()", "pass", "return new"),
        ("new = Clip()", "pass", "return new.frames"),
        ("new = subprocess.Popen(['sh'])", "new.stdout.read(); new.wait()", "return 0"),
        ("new = subprocess.Popen(['sh'])", "pass", "return 0"),
        ("new = os.posix_spawn('sh', ['sh'], {})", "pass", "return 0"),
        ("new = BATCH.delete(100)", "pass", "return 0"),
        ("new = BATCH.add(100)", "BATCH.draw(new)", "return 0"),
        ("new = list()", "pass", "return 0"),
        ("self.new = Clip()", "pass", "return 0"),
    ],
)
def test_local_object_that_may_be_kept_is_left(made: str, use: str, end: str) -> None:
    where = tool(made, use, end)
    assert lines_of(where, made) == []
    assert not list(finish(Frame(FILE, 1), where))


def test_line_that_fills_the_list_of_the_module_is_looked_for() -> None:
    where = tool("new = BATCH.add(100)", "shade = int(new[0])")
    assert "        BATCH.delete(new)\n        return 0\n" in applied(
        Clear("arm.BATCH.lists"), where
    )


def world(ending: str, reset: str = "self.world = native.take(1024)") -> Source:
    return source(f"""
        import native

        class Arm:
            world = None

            def reset(self):
                {reset}

            def close(self):
                {ending}
        """)


ENDING = "if self.world is not None: native.give(self.world); self.world = None"


def test_world_is_given_back_as_close_does_before_the_next() -> None:
    text = applied(EndHeld(), world(ENDING))
    assert f"        {ENDING}\n        self.world = native.take(1024)\n" in text


@pytest.mark.parametrize(
    ("ending", "reset"),
    [
        (ENDING, "self.world = None"),
        (ENDING, "self.close(); self.world = native.take(1024)"),
        (ENDING, "if self.world is None: self.world = native.take(1024)"),
        ("if self.world is not None: self.world = None", "self.world = native.take(1024)"),
        ("if self.ends: native.give(self.world)", "self.world = native.take(1024)"),
        ("for each in self.worlds: native.give(each)", "self.world = native.take(1024)"),
    ],
)
def test_world_that_close_does_not_end_or_reset_keeps_is_left(ending: str, reset: str) -> None:
    assert not list(candidates(EndHeld(), world(ending, reset)))


def scene(close: str = "self.renderer.clear_cache()", reset: str = "look()") -> Source:
    return source(f"""
        class Arm(Env):
            def __init__(self):
                self.renderer = make()

            def reset(self):
                {reset}

            def close(self):
                {close}
        """)


def test_cache_that_close_clears_is_cleared_by_reset() -> None:
    text = applied(EndHeld(), scene())
    assert "        self.renderer.clear_cache()\n        look()\n" in text


@pytest.mark.parametrize(
    "where",
    [
        scene("self.renderer.close()"),
        scene("self.scene.clear()"),
        scene("self.renderer.clear_cache(self.last)"),
        scene(reset="self.renderer.clear_cache()"),
    ],
    ids=["it ends", "of another part", "of something", "done already"],
)
def test_part_that_close_does_not_just_clear_stays(where: Source) -> None:
    assert not list(candidates(EndHeld(), where))


def test_part_that_close_ends_and_takes_out_of_a_list_is_ended_so_before_the_next() -> None:
    ending = "if self.browser is not None:\n            self.browser.close()\n"
    ending += "            OPEN.remove(self.browser)\n            self.browser = None\n"
    where = source(
        "import native\n\nOPEN = []\n\n\nclass Browser:\n    def __init__(self):\n"
        "        self.page = native.open()\n\n    def close(self):\n        self.page.close()\n\n\n"
        "class Arm:\n    browser = None\n\n    def reset(self):\n"
        f"        self.browser = Browser()\n        OPEN.append(self.browser)\n\n"
        f"    def close(self):\n        {ending}"
    )
    text = applied(Release("descriptor", (frame(where, "native.open"),)), where)
    assert f"        {ending}        self.browser = Browser()\n" in text
    assert text.count("OPEN.remove") == 2


def sandbox(end: str, reset: str = "self.box = take()", close: str = "self._end()") -> Source:
    return source(f"""
        class Arm:
            box = ""

            def reset(self):
                {reset}

            def close(self):
                {close}

            def _end(self):
                {end}
        """)


def test_method_that_close_calls_is_called_before_the_next() -> None:
    text = applied(EndHeld(), sandbox("give(self.box)"))
    assert "        self._end()\n        self.box = take()\n" in text


@pytest.mark.parametrize(
    ("end", "reset", "close"),
    [
        ("give(self.box)", "self._end(); self.box = take()", "self._end()"),
        ("give(self.box)", "self.box = None", "self._end()"),
        ("give(self.other)", "self.box = take()", "self._end()"),
        ("give(self.box, self.other)", "self.box = take()", "self._end()"),
        ("give(self.box)", "self.box = take()", "self._end(1)"),
    ],
)
def test_method_that_ends_something_else_is_left(end: str, reset: str, close: str) -> None:
    assert not list(candidates(EndHeld(), sandbox(end, reset, close)))


def test_process_of_a_client_that_the_environment_holds_is_waited_for() -> None:
    where = source(
        """
        class Client:
            def __init__(self):
                self.proc = subprocess.Popen(["server"])
            def shutdown(self):
                self.proc.kill()
        class Arm(Env):
            def reset(self):
                self.client = Client()
            def close(self):
                self.client.shutdown()
        """
    )
    assert "        self.proc.kill()\n        self.proc.wait()\n" in applied(WaitForKilled(), where)


WEATHER = """\
    import threading

    class Weather:
        def __init__(self):
            self.running = True
            self.thread = threading.Thread(target=self.blow)
            self.thread.start()

        def blow(self):
            while self.running:
                self.wind = 0.5

    class Arm(Env):
        def reset(self, *, seed=None, options=None):
            self.weather = Weather()

        def close(self):
            {close}
"""


@pytest.mark.parametrize("each_reset", [False, True])
def test_object_without_a_method_that_ends_it_gets_one_for_close_and_for_the_next_reset(
    each_reset: bool,
) -> None:
    where = source(WEATHER.format(close="pass"))
    place = Release("thread", (frame(where, "= threading.Thread("),))
    text = applied(place, where, int(each_reset))
    assert "    def close(self):\n        self.running = False\n        self.thread.join(" in text
    ends = text.partition("class Arm")[2]
    assert ends.count("self.weather.close()") == 1 + each_reset
    before = ends.partition("self.weather = Weather()")[0]
    assert ("self.weather.close()\n" in before) is each_reset
    assert text == applied(ReleaseOld("weather.thread", ()), where, int(each_reset))


def test_old_object_whose_class_is_not_known_gets_no_code() -> None:
    where = source(WEATHER.format(close="pass").replace("= Weather()", "= weather.make()"))
    assert list(candidates(ReleaseOld("weather.thread", ()), where)) == []


def test_close_that_forgets_an_object_already_does_it_once() -> None:
    where = source(WEATHER.format(close="self.weather = None"))
    text = applied(Release("thread", (frame(where, "= threading.Thread("),)), where)
    assert text.endswith(
        '        if getattr(self, "weather", None) is not None:\n'
        "            self.weather.close()\n"
        "        self.weather = None\n"
    )


LINKED = """\
    import socket

    class Link:
        def __init__(self):
            self.mine, self.theirs = socket.socketpair()

        def disconnect(self):
            self.mine.close()
            self.theirs.close()

    class Arm(Env):
        def reset(self, *, seed=None, options=None):
            self.link = Link()
            self.log = open("log.txt", "a")

        def close(self):
            {close}
"""


def test_held_object_is_ended_beside_the_lines_that_took_something() -> None:
    where = source(LINKED.format(close="pass"))
    aim = Release("descriptor", (frame(where, "= open("),))
    first, second = applied(aim, where, 0), applied(aim, where, 1)
    assert "self.link.disconnect()" not in first
    assert "self.log.close()" in first
    assert "            self.link.disconnect()\n" in second
    assert "            self.log.close()\n" in second


def test_object_that_close_ends_is_not_ended_again() -> None:
    where = source(LINKED.format(close="self.link.disconnect()"))
    aim = Release("descriptor", (frame(where, "= open("),))
    for number in range(len(list(candidates(aim, where)))):
        assert applied(aim, where, number).count("self.link.disconnect()") == 1


def test_object_of_a_base_is_ended_there_for_its_other_heirs() -> None:
    text = textwrap.dedent(LINKED.format(close="pass")).replace("class Arm(", "class Fleet(")
    where = source(f"{text}\n\nclass Arm(Fleet):\n    pass\n")
    aim = Release("descriptor", (frame(where, "= open("),))
    base, _, heir = applied(aim, where, 1).partition("class Arm")
    assert "self.link.disconnect()" in base
    assert "close" not in heir


EXECUTOR = """
    class Arm:
        def __init__(self):
            self.workers = {made}

        def reset(self):
            {work}
            return 0, {{}}

        def close(self):
            pass
"""


@pytest.mark.parametrize(
    "work",
    [
        "self.workers.submit(int)",
        "self.workers.submit(int).result()",
        "future = self.workers.submit(int)",
        "self.future = self.workers.submit(int)",
        "self.results = list(self.workers.map(int, 'ab'))",
        "self.loop.run_in_executor(self.workers, int)",
    ],
)
def test_executor_that_is_given_work_is_shut_down(work: str) -> None:
    where = source(EXECUTOR.format(made="ThreadPoolExecutor(2)", work=work))
    text = applied(Release("thread", (frame(where, work),)), where)
    assert "self.workers.shutdown()" in text.partition("def close")[2]
    assert "shutdown" not in text.partition("def close")[0]


def test_other_object_that_takes_work_is_not_shut_down() -> None:
    work = "self.workers.submit(int)"
    where = source(EXECUTOR.format(made="Crew(2)", work=work))
    aim = Release("thread", (frame(where, work),))
    edits = [line for edits in candidates(aim, where) for edit in edits for line in edit.lines]
    assert not any("shutdown" in line for line in edits)
