"""From an aim and a source to the lines that are printed, and to the text that pasting them makes."""

from __future__ import annotations

import ast
import textwrap

import pytest

from envdoctor.frameworks import DEFAULT, profile_of_api
from envdoctor.model.environment_aims import (
    CallInClose,
    Clear,
    CopyReturned,
    Forget,
    GoOn,
    Import,
    Member,
    OwnRandom,
    Release,
    ReleaseOld,
    SeedAll,
    Skip,
    TakeLater,
)
from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.remedy import FIRST, INSTEAD, LAST, MEMBER, TOP, Aim, Change, Edit
from envdoctor.remedies.acquisition import read_acquisition
from envdoctor.remedies.applying import NoPlaceError, changed, changes, check
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.forgetting import forgetting
from envdoctor.remedies.printing import listing
from envdoctor.remedies.source import File, Source, last_name

FILE = "/arm.py"


def source(text: str, name: str = "Arm", api: str = "gymnasium") -> Source:
    return Source(
        {FILE: File(FILE, textwrap.dedent(text))}, name, FILE, profile_of_api(api) or DEFAULT
    )


def frame(where: Source, part: str) -> Frame:
    """The first line that holds a text."""
    lines = where.files[FILE].lines
    return Frame(FILE, next(at for at, line in enumerate(lines, 1) if part in line))


def applied(aim: Aim, where: Source, number: int = 0) -> str:
    """The text with the candidate of that number."""
    edits = list(candidates(aim, where))[number]
    text = changed(where.files[FILE], changes(edits, where))
    check(where.files[FILE], text, ["__file__", *dir(__builtins__), "open", "getattr", "super"])
    return text


RESETS = """\
    class Base(gymnasium.Env):
        {base}

    class Arm(Base):
        def reset(self, *, seed=None, options=None):
            {first}
            {rest}
"""


@pytest.mark.parametrize(
    ("base", "first", "rest", "after"),
    [
        ("pass", "super().reset(seed=seed)", "self.steps = 0", True),
        ("pass", "super(Arm, self).reset(seed=seed)", "return 0, {}", True),
        ("pass", "super().reset(seed=seed)", "# that is all", True),
        ("pass", "observation, info = super().reset(seed=seed)", "return observation, info", False),
        ("pass", "self.env.reset(seed=seed)", "return 0, {}", False),
        ("def reset(self, **options): self.build()", "super().reset()", "return 0, {}", False),
    ],
)
def test_first_lines_of_reset_follow_that_which_seeds(
    base: str, first: str, rest: str, after: bool
) -> None:
    where = source(RESETS.format(base=base, first=first, rest=rest))
    edits = [
        Edit(FILE, FIRST, ("self.steps = 7",), "Arm", "reset"),
    ]
    text = changed(where.files[FILE], changes(edits, where))
    lines = (first, "self.steps = 7") if after else ("self.steps = 7", first)
    assert f"        {lines[0]}\n        {lines[1]}\n" in text


def test_line_that_seeds_comes_before_other_first_lines() -> None:
    where = source(RESETS.format(base="pass", first="self.build()", rest="return 0, {}"))
    lines = ("self.steps = 7", "super().reset(seed=seed)")
    edits = [Edit(FILE, FIRST, (line,), "Arm", "reset") for line in lines]
    text = changed(where.files[FILE], changes(edits, where))
    assert f"        {lines[1]}\n        {lines[0]}\n        self.build()\n" in text


def test_lines_of_close_go_to_the_class_that_has_it_of_two_with_one_name() -> None:
    """Case: `class Shell(env.Shell)`, whose close() hides that of its base."""
    texts = {
        "/own/env.py": "class Shell:\n    def reset(self):\n        self.log = open('log')\n",
        "/own/agent.py": "import env\nclass Shell(env.Shell):\n    def close(self):\n        end()\n",
    }
    files = {path: File(path, text) for path, text in texts.items()}
    where = Source(files, "Shell", "/own/agent.py")
    (change,) = changes(
        (Edit("/own/env.py", FIRST, ("self.log.close()",), "Shell", "close"),), where
    )
    assert (change.file, change.line) == ("/own/agent.py", 4)


def test_class_with_the_name_of_its_base_is_followed_by_that() -> None:
    """Case: `class Shell(env.Shell)`."""
    base = "class Shell:\n    def reset(self):\n        self.log = open('log')\n"
    texts = {
        "/own/env.py": base,
        "/own/agent.py": "import env\nfrom other import Shell\nclass Shell(env.Shell):\n    x = 0\n",
        "/own/other.py": "class Shell:\n    pass\n",
    }
    files = {path: File(path, text) for path, text in texts.items()}
    where = Source(files, "Shell", "/own/agent.py")
    assert [owner.file.path for owner in where.chain] == ["/own/agent.py", "/own/env.py"]
    edits = next(candidates(Release("descriptor", (Frame("/own/env.py", 3),)), where))
    places = {(change.file, change.place) for change in changes(edits, where)}
    assert places == {("/own/agent.py", "class Shell"), ("/own/env.py", "Shell.reset()")}


def acquisition(what: str, line: str, before: str = "", helper: str = "") -> str:
    """Return the edited source of an environment that acquires something in reset()."""
    where = source(
        f"""
import os, shutil, socket, sqlite3, subprocess, tempfile, threading, queue
from pathlib import Path
import gymnasium
{helper}
class Arm(gymnasium.Env):
    def reset(self, *, seed=None, options=None):
        {before or "pass"}
        {line}
        return 0, {{}}

    def close(self):
        self.closed = True
"""
    )
    return applied(Release(what, (frame(where, line),)), where)


@pytest.mark.parametrize(
    ("what", "line", "call"),
    [
        ("descriptor", "self._log = open('log')", "self._log.close()"),
        ("descriptor", "self._log = os.open('log', os.O_RDONLY)", "os.close(self._log)"),
        ("descriptor", "self._in, self._out = os.pipe()", "os.close(self._out)"),
        ("descriptor", "self._base = sqlite3.connect('log.db')", "self._base.close()"),
        ("port", "self._port = socket.create_server(('', 0))", "self._port.close()"),
        ("process", "self._sim = subprocess.Popen(['sim'])", "self._sim.terminate()"),
        ("process", "self._sim = subprocess.Popen(['sim'])", "self._sim.wait(timeout=5.0)"),
        ("process", "self._sims = [subprocess.Popen(['a']) for _ in '12']", "each.terminate()"),
        ("zombie", "self._sim = subprocess.Popen(['sim'])", "self._sim.wait(timeout=5.0)"),
        ("file", "self._at = Path(tempfile.mkdtemp())", "shutil.rmtree(self._at, ignore_errors"),
        ("file", "self._at = tempfile.TemporaryDirectory()", "self._at.cleanup()"),
        ("file", "Path(self._at, 'x').write_text('.')", "os.unlink(Path(self._at, 'x'))"),
        ("file", "os.makedirs(self._at)", "shutil.rmtree(self._at, ignore_errors=True)"),
        ("file", "self._at.mkdir(parents=True)", "shutil.rmtree(self._at, ignore_errors=True)"),
        ("segment", "self._map = SharedMemory(create=True, size=9)", "self._map.unlink()"),
        ("descriptor", "self._map = SharedMemory(create=True, size=9)", "self._map.close()"),
    ],
)
def test_close_gets_the_call_that_releases_the_resource(what: str, line: str, call: str) -> None:
    text = acquisition(what, line)
    assert call in text.partition("def close")[2]


@pytest.mark.parametrize("pool", ["multiprocessing.pool.ThreadPool", "ThreadPool"])
def test_pool_of_threads_is_ended(pool: str) -> None:
    text = acquisition("thread", f"self._pool = {pool}(4)")
    lines = "            self._pool.terminate()\n            self._pool.join()\n"
    assert lines in text.partition("def close")[2]


@pytest.mark.parametrize(
    ("made", "forgotten"), [("os.open('log', os.O_RDONLY)", True), ("open('log')", False)]
)
def test_descriptor_of_the_constructor_is_not_closed_twice(made: str, forgotten: bool) -> None:
    """A second close() would close another one's, which has the same number by then."""
    where = source(f"""
        import os

        class Arm(Env):
            def __init__(self):
                self._log = {made}

            def close(self):
                super().close()
        """)
    text = applied(Release("descriptor", (frame(where, "self._log"),)), where)
    assert ("self._log = None" in text.partition("def close")[2]) is forgotten


THREAD = "self._thread = threading.Thread(target={target}, args=({arguments}))"


@pytest.mark.parametrize(
    ("target", "arguments", "helper", "told"),
    [
        (
            "run",
            "self._stop,",
            "def run(stop):\n    while not stop.wait(1): pass",
            "self._stop.set()",
        ),
        (
            "run",
            "self._go,",
            "def run(go):\n    while go.is_set(): pass",
            "self._go.clear()",
        ),
        (
            "run",
            "self._items,",
            (
                "def run(items):\n    while True:\n        item = items.get()\n"
                "        if item is None: break"
            ),
            "self._items.put(None)",
        ),
        (
            "run",
            "self._items,",
            "def run(items):\n    for item in iter(items.get, None): pass",
            "self._items.put(None)",
        ),
        ("self._server.serve_forever", "", "", "self._server.shutdown()"),
        ("self._ending.wait", "", "", "self._ending.set()"),
    ],
)
def test_thread_is_signalled_before_it_is_joined(
    target: str, arguments: str, helper: str, told: str
) -> None:
    before = THREAD.format(target=target, arguments=arguments)
    lines = acquisition("thread", "self._thread.start()", before, helper).partition("def close")[2]
    assert lines.index(told) < lines.index("self._thread.join(timeout=5.0)")


def test_a_thread_looks_at_a_flag_of_its_environment() -> None:
    where = source(
        """
        import threading
        class Arm:
            def __init__(self):
                self.running = True
                self.thread = threading.Thread(target=self.loop)
                self.thread.start()
            def loop(self):
                while self.running:
                    pass
        """
    )
    aim = Release("thread", (frame(where, "thread.start"),))
    edits = next(candidates(aim, where))
    assert listing(changes(edits, where)) == (
        "# after line 10 of arm.py, in class Arm",
        "",
        "    def close(self):",
        "        if self.thread is not None:",
        "            self.running = False",
        "            self.thread.join(timeout=5.0)",
    )


def test_a_thread_that_a_failing_reset_did_not_start_is_not_waited_for() -> None:
    where = source(
        """
        import threading
        class Arm:
            running = True
            def reset(self):
                self.thread = threading.Thread(target=self.loop)
                self.thread.start()
            def loop(self):
                while self.running:
                    pass
        """
    )
    aim = Release("thread", (frame(where, "thread.start"),))
    edits = next(candidates(aim, where))
    lines = [line.strip() for line in listing(changes(edits, where))]
    assert lines[lines.index("if self.thread.is_alive():") + 1] == "self.thread.join(timeout=5.0)"


def test_nothing_signals_such_a_thread_to_end() -> None:
    where = source(
        """
        import threading
        class Arm:
            def reset(self):
                self.thread = threading.Thread(target=self.loop)
                self.thread.start()
            def loop(self):
                while True:
                    pass
        """
    )
    assert not list(candidates(Release("thread", (frame(where, "thread.start"),)), where))


def test_stop_method_of_a_thread_class_is_used() -> None:
    where = source(
        """
        import threading
        class Heartbeat(threading.Thread):
            def run(self): pass
            def stop(self): pass
        class Arm:
            def reset(self):
                self.beat = Heartbeat()
                self.beat.start()
            def close(self):
                pass
        """
    )
    text = applied(Release("thread", (frame(where, "beat.start"),)), where)
    before, _, closing = text.partition("def close")
    assert "self.beat.stop()" in before, "before another one is started"
    assert "self.beat.stop()" in closing
    assert "pass" not in closing


def test_resource_of_another_class_is_released_through_that_class() -> None:
    where = source(
        """
        class Client:
            def connect(self):
                self.log = open("log")
        class Arm:
            def __init__(self):
                self.client = Client()
            def close(self):
                self.closed = True
        """
    )
    text = applied(Release("descriptor", (frame(where, "open("),)), where)
    client, _, arm = text.partition("class Arm")
    assert "def close(self):\n        self.log.close()" in client
    assert "self.client.close()" in arm


def raised(
    where: Source, part: str, message: str = "no", kind: str = "builtins.ValueError"
) -> ErrorValue:
    return ErrorValue(kind, message, (frame(where, part),))


CLOSING = """
import gymnasium
class Arm(gymnasium.Env):
    def reset(self):
        return 0
    def close(self):
        self.floor.free()
        del self.floor
"""


def test_close_skips_what_is_gone() -> None:
    where = source(CLOSING)
    missing = raised(where, "free()", "'Arm' object has no attribute 'floor'")
    first, second, third = (applied(Skip(missing), where, number) for number in range(3))
    assert "is not None:\n            self.floor.free()\n            self.floor = None" in first
    assert 'if getattr(self, "floor", None) is None:\n            return\n' in second
    assert third.index("self._closed = False") < third.index("self._closed = True")


def test_close_of_di_engine_looks_at_its_flag() -> None:
    where = source(CLOSING.replace("return 0", "self._init_flag = True"), api="ding")
    text = applied(Skip(raised(where, "free()"), unopened=True), where)
    assert 'if not getattr(self, "_init_flag", False):\n            return' in text


def test_a_form_feed_begins_no_line() -> None:
    file = File(FILE, "a = 1\n\x0c\nb = '\u2028'\nc = 3\n")
    assert len(file.lines) == 4
    assert file.lines[file.tree.body[-1].lineno - 1] == "c = 3"


def test_close_that_was_never_reset_is_only_skipped() -> None:
    where = source(CLOSING)
    missing = raised(where, "free()", "'Arm' object has no attribute 'floor'")
    text = applied(Skip(missing, unopened=True), where)
    assert "is not None:\n            self.floor.free()\n" in text
    assert "self.floor = None" not in text.partition("self.floor.free()")[2]


def test_a_process_that_is_replaced_is_waited_for() -> None:
    where = source(
        """
        class Arm:
            def reset(self):
                self.sim = subprocess.Popen(["sim"])
        """
    )
    text = applied(ReleaseOld("sim", ("terminate",)), where)
    assert "self.sim.terminate()\n            self.sim.wait(timeout=5.0)\n" in text
    assert text.index("wait(") < text.index("Popen")


def test_close_goes_on() -> None:
    where = source(CLOSING)
    text = applied(GoOn(raised(where, "free()")), where)
    assert (
        "        try:\n            self.floor.free()\n        except ValueError as error:" in text
    )
    assert text.index("import warnings") < text.index("class Arm")


RANDOM = """
import numpy as np
import random
class Arm{base}:
    def __init__(self):
        self.place = 0
    def reset(self, seed=None):
        {seeding}
        return np.random.uniform(-1, 1, 2)
    def step(self, action):
        if np.random.rand() < 0.1:
            return np.random.randint(3) + random.randint(1, 6)
        return random.choice(self.names)
"""


def test_draws_from_the_generator_that_gymnasium_seeds() -> None:
    where = source(RANDOM.format(base="(Env)", seeding="pass"))
    text = applied(OwnRandom("numpy.random"), where)
    assert "super().reset(seed=seed)" in text
    assert "self.np_random.uniform(-1, 1, 2)" in text
    assert "if self.np_random.random() < 0.1:" in text
    drawn = "int(self.np_random.integers(3)) + int(self.np_random.integers(1, 6, endpoint=True))"
    assert f"return {drawn}\n" in text  # one line draws from both
    assert text == applied(OwnRandom("random"), where)
    assert "return self.names[int(self.np_random.integers(len(self.names)))]" in text


def test_draws_on_one_line_are_all_from_the_own_generator() -> None:
    where = source(
        """
        import random
        class Arm(Env):
            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                self.goal = [random.uniform(-3, 3), random.uniform(0, random.random())]
        """
    )
    text = applied(OwnRandom("random"), where)
    drawn = "self.np_random.uniform(-3, 3), self.np_random.uniform(0, self.np_random.random())"
    assert f"self.goal = [{drawn}]\n" in text


def test_no_gymnasium_in_what_di_engine_seeds() -> None:
    where = source(
        RANDOM.format(base="(BaseEnv)", seeding="pass")
        + "    def seed(self, seed, dynamic_seed=True):\n        np.random.seed(seed)\n",
        api="ding",
    )
    text = applied(OwnRandom("numpy.random"), where)
    assert "np_random" not in text
    assert "super()" not in text
    assert "self._rng = np.random.default_rng()" in text.partition("def reset")[0]
    assert "self._rng = np.random.default_rng(seed)" in text.partition("def seed")[2]


def test_draw_without_a_generator_method_gets_no_edit() -> None:
    where = source(RANDOM.format(base="", seeding="np.random.zipf(2.0)"))
    assert not list(candidates(OwnRandom("numpy.random"), where))


def test_an_unseeded_generator_of_its_own() -> None:
    text = "class Arm(Env):\n    def __init__(self):\n        self.rng = Random()\n"
    where = source(text + "    def reset(self, seed=None):\n        return 0\n")
    assert "if seed is not None:\n            self.rng = Random(seed)" in "\n".join(
        listing(changes(next(candidates(OwnRandom("self.rng"), where)), where))
    )


def test_several_generators_of_its_own_are_seeded_together() -> None:
    text = (
        "class Arm(Env):\n    def __init__(self):\n        self.rng = Random()\n"
        "        self.wind = np.random.default_rng()\n"
        "    def reset(self, seed=None):\n        return 0\n"
    )
    edited = applied(SeedAll(("self.rng", "self.wind")), source(text))
    assert edited.count("if seed is not None:") == 2
    assert "self.rng = Random(seed)" in edited
    assert "self.wind = np.random.default_rng(seed)" in edited
    assert not list(candidates(SeedAll(("self.rng", "self.unknown")), source(text)))


@pytest.mark.parametrize(
    ("aim", "line"),
    [
        (Forget("arm.FLEET[3]"), "FLEET[:] = [each for each in FLEET if each is not self]"),
        (Forget("arm.NAMES['x']"), "del NAMES[key]"),
        (Forget("arm.Arm.all[0]"), "Arm.all[:] = [each for each in Arm.all if each is not self]"),
        (Clear("self.seen"), "self.seen.clear()"),
        (Import(FILE, "import shutil"), "import shutil"),
        (Member("Arm", ("name = None",)), "    name = None"),
        (ReleaseOld("sim", ("stop",)), "self.sim.stop()"),
        (CopyReturned("observation"), "return self.seen.copy(), {}"),
        (CopyReturned("info", array=False), "return self.seen, copy.deepcopy({})"),
    ],
)
def test_other_aims(aim: Aim, line: str) -> None:
    where = source(
        """
        \"\"\"An arm.\"\"\"

        FLEET = []
        NAMES = {}

        class Arm:
            all = []

            def reset(self):
                self.sim = Simulator()
                return self.seen, {}

            def close(self):
                self.closed = True
        """
    )
    if isinstance(aim, CopyReturned) and not aim.array:
        assert not list(candidates(aim, where)), "what is made anew needs no copy"
        return
    edits = next(candidates(aim, where))
    assert line in "\n".join(listing(changes(edits, where)))


def test_taking_later() -> None:
    where = source(
        """
        class Arm:
            def __init__(self, port):
                self.server = connect(80)
                self.other = connect(port)
            def reset(self):
                return 0
        """
    )
    text = applied(TakeLater((frame(where, "(80)"),)), source(CONNECTING))
    assert "        self.server = None\n" in text
    assert "        if self.server is None:\n            self.server = connect(80)\n" in text
    assert not list(candidates(TakeLater((frame(where, "(port)"),)), where)), "port is gone then"


def test_close_asks_whether_what_reset_takes_was_taken() -> None:
    close = "    def close(self):\n        self.server.stop()\n        end(self.server)\n"
    where = source(CONNECTING.replace("def connect", f"{close}def connect"))
    text = applied(TakeLater((frame(where, "(80)"),)), where)
    guard = "        if self.server is not None:\n            "
    first, last = "self.server.stop()\n", "end(self.server)\n            self.server = None\n"
    assert f"{guard}{first}{guard}{last}" in text


def test_attribute_that_the_next_line_forgets_is_forgotten_once() -> None:
    close = "    def close(self):\n        self.server.stop()\n        self.server = None\n"
    where = source(CONNECTING.replace("def connect", f"{close}def connect"))
    text = applied(TakeLater((frame(where, "(80)"),)), where)
    assert "            self.server.stop()\n        self.server = None\n" in text


def test_close_forgets_what_reset_makes_where_there_is_none() -> None:
    where = source(CONNECTING)
    later = next(candidates(TakeLater((frame(where, "(80)"),)), where))
    ending = next(candidates(CallInClose(("self.server.close()",)), where))
    text = changed(where.files[FILE], changes((*later, *ending), where))
    lines = "        if self.server is not None:\n            self.server.close()\n"
    assert f"{lines}            self.server = None\n" in text
    alone = changed(where.files[FILE], changes(ending, where))
    assert lines in alone, "a file may be closed again"
    assert "server = None" not in alone


def test_block_that_forgets_does_so_once() -> None:
    held = 'if getattr(self, "{0}", None) is not None:'
    block = (held.format("log"), "    self.log.close()", "    self.log = None")
    other = (held.format("pad"), "    self.pad.close()", "self.pads.clear()")
    made = tuple(
        Edit(FILE, FIRST, (f"if self.{n} is None:",), "A", "reset") for n in ("log", "pad")
    )
    closing = Edit(FILE, FIRST, (*block, *other), "A", "close")
    forgets = (*block, *other[:2], "    self.pad = None", other[2])
    where = source(CONNECTING)
    assert forgetting((*made, closing), where)[2].lines == forgets
    assert forgetting([closing], where) == [closing]


KILLING = """
class Arm:
    def reset(self):
        self.shell = start()
        {calls}

    def close(self):
        self.shell.kill()
"""


@pytest.mark.parametrize("calls", ["self.left = 3", "self.shell.kill()"])
def test_close_does_not_ask_for_what_it_has_forgotten(calls: str) -> None:
    where = source(KILLING.format(calls=calls))
    held = 'if getattr(self, "shell", None) is not None:'
    line = where.files[FILE].text.splitlines().index("        self.shell.kill()") + 1
    guarded = Edit(FILE, INSTEAD, (held, "    self.shell.kill()"), line=line)
    ends = Edit(
        FILE, FIRST, (held, "    self.shell.end()", "    self.shell = None"), "Arm", "close"
    )
    text = changed(where.files[FILE], changes((guarded, ends), where))
    ended = "        {0}\n            self.shell.end()\n            self.shell = None\n".format(
        held
    )
    if "kill" in calls:  # the first one is that of reset()
        assert text.count("if getattr") == 2
    else:
        assert text.endswith(f"    def close(self):\n{ended}")


CONNECTING = """
class Arm:
    def __init__(self, port):
        self.server = connect(80)
        self.other = connect(port)
    def reset(self):
        return 0
def connect(port):
    return port
"""


def test_edit_that_does_not_compile_or_uses_undefined_names_is_rejected() -> None:
    where = source(CLOSING)
    file = where.files[FILE]
    with pytest.raises(NoPlaceError, match="does not compile"):
        check(file, file.text + "    oops(\n", [])
    with pytest.raises(NoPlaceError, match="shutil is not defined there"):
        check(file, file.text + "        shutil.rmtree(self.floor)\n", [])


def test_a_base_class_is_not_given_what_only_others_set() -> None:
    where = source(
        """
        class Base(Env):
            def __init__(self):
                self.seen = []
            def reset(self, *, seed=None, options=None):
                return 0, {}

        class Arm(Base):
            def __init__(self):
                super().__init__()
                self.trail = []
        """
    )
    assert [
        change.place
        for change in changes(next(candidates(Clear("self.seen", "reset"), where)), where)
    ] == ["Base.reset()"]
    (change,) = changes(next(candidates(Clear("self.trail", "reset"), where)), where)
    assert change.place == "class Arm"
    assert "return super().reset(seed=seed, options=options)" in "".join(change.lines)


@pytest.mark.parametrize(
    ("own", "lines"),
    [
        ("def close(self): pass", ["def close(self):", "    self.seen.clear()"]),
        (
            "def close(self): self.closed = True; self.é = 1  # done",
            [
                *("def close(self):  # done", "    self.seen.clear()"),
                *("    self.closed = True", "    self.é = 1"),
            ],
        ),
        (
            "def close(self): 'End.'; return self.seen",
            ["def close(self):", "    'End.'", "    self.seen.clear()", "    return self.seen"],
        ),
        (
            "def close(\n        self): self.closed = True",
            ["def close(", "    self):", "    self.seen.clear()", "    self.closed = True"],
        ),
    ],
)
def test_method_on_one_line_gets_lines(own: str, lines: list[str]) -> None:
    init = "class Arm:\n    def __init__(self):\n        self.seen = []\n\n"
    text = applied(Clear("self.seen"), source(f"{init}    {own}\n"))
    close = text.removeprefix(init)
    assert [line.strip() for line in close.splitlines()] == [line.strip() for line in lines]
    assert all(line.startswith(" " * 8) for line in close.splitlines()[-1:])
    compile(text, "arm.py", "exec")


def test_no_place() -> None:
    where = source("class Arm:\n    def close(self): self.seen = list(\n        ())\n")
    with pytest.raises(NoPlaceError, match="begins and ends on lines of others"):
        changes(next(candidates(Clear("self.seen"), where)), where)
    assert not list(candidates(Release("descriptor", (Frame("/lib/x.py", 1),)), where))


def test_window_is_closed_with_the_modules_that_the_file_lacks() -> None:
    where = source(
        """
        import pygame

        class Arm:
            def close(self):
                self.closed = True
        """
    )
    aim = CallInClose(("plt.close('all')", "pygame.display.quit()", "self.viewer.close()"))
    last, first = (applied(aim, where, number) for number in (0, 1))
    added = [
        "import matplotlib.pyplot as plt",
        "plt.close('all')",
        "pygame.display.quit()",
        'if getattr(self, "viewer", None) is not None:',
        "self.viewer.close()",
    ]
    body = [line.strip() for line in last.partition("def close(self):")[2].splitlines()]
    assert [line for line in body if line] == ["self.closed = True", *added]
    body = [line.strip() for line in first.partition("def close(self):")[2].splitlines()]
    assert [line for line in body if line] == [*added, "self.closed = True"]


def test_window_is_closed_only_in_a_class_of_the_user_and_by_statements() -> None:
    where = source("class Arm:\n    def close(self):\n        pass\n")
    assert list(candidates(CallInClose(()), where)) == []
    assert list(candidates(CallInClose(("pygame.quit()",)), source("x = 1"))) == []


@pytest.mark.parametrize(
    ("what", "line", "before", "statements"),
    [
        (
            "descriptor",
            "self._log, self._path = tempfile.mkstemp()",
            "",
            ["os.close(self._log)", "self._log = None", "self._path = None"],
        ),
        (
            "file",
            "self._log, self._path = tempfile.mkstemp()",
            "",
            [
                "os.close(self._log)",
                "os.unlink(self._path)",
                "self._log = None",
                "self._path = None",
            ],
        ),
        (
            "process",
            "self._sims.append(subprocess.Popen(['sim']))",
            "",
            [
                'for each in getattr(self, "_sims", ()):',
                "each.terminate()",
                "each.wait(timeout=5.0)",
                "self._sims = []",
            ],
        ),
        (
            "process",
            "worker = subprocess.Popen(['sim'])",
            "self._sims.append(worker)",
            [
                'for each in getattr(self, "_sims", ()):',
                "each.terminate()",
                "each.wait(timeout=5.0)",
                "self._sims = []",
            ],
        ),
        (
            "process",
            "worker = subprocess.Popen(['sim'])",
            "self._sim = worker",
            ["self._sim.terminate()", "self._sim.wait(timeout=5.0)", "self._sim = None"],
        ),
    ],
)
def test_close_gives_back_each_resource_that_was_acquired(
    what: str, line: str, before: str, statements: list[str]
) -> None:
    closing = acquisition(what, line, before).partition("def close")[2]
    lines = [each.strip() for each in closing.splitlines()]
    assert [each for each in lines if each in statements] == statements


def test_call_that_appends_nothing_is_one_thing_and_no_list() -> None:
    where = source("class Arm:\n    def reset(self):\n        self.sim.append()\n")
    text = applied(Release("process", (frame(where, "append"),)), where)
    assert "self.sim.terminate()" in text
    assert "for each in" not in text


def test_thread_of_a_class_is_ended_by_its_method_and_waited_for() -> None:
    where = source(
        """
        import threading
        class Beat(threading.Thread):
            def __init__(self):
                super().__init__()
                self.start()
            def run(self): pass
            def stop(self): pass
        class Arm:
            def __init__(self):
                self.beat = Beat()
            def close(self):
                self.closed = True
        """
    )
    text = applied(Release("thread", (frame(where, "self.start"),)), where)
    closing = [line.strip() for line in text.partition("def close")[2].splitlines()]
    assert closing.index("self.beat.stop()") < closing.index("self.beat.join(timeout=5.0)")


def test_object_of_an_own_class_is_ended_by_the_method_of_that_class() -> None:
    where = source(
        """
        class Simulator:
            def shutdown(self): pass
        class Arm:
            def reset(self):
                self.sim = Simulator()
            def close(self):
                self.closed = True
        """
    )
    text = applied(Release("process", (frame(where, "Simulator()"),)), where)
    assert "self.sim.shutdown()" in text.partition("def close")[2]


def test_thread_that_runs_a_method_of_what_the_environment_holds_is_ended_there() -> None:
    where = source(
        """
        import threading
        class Simulator:
            def loop(self): pass
            def quit(self): pass
        class Arm:
            def __init__(self):
                self.sim = Simulator()
                self.thread = threading.Thread(target=self.sim.loop)
                self.thread.start()
            def close(self):
                self.closed = True
        """
    )
    text = applied(Release("thread", (frame(where, "thread.start"),)), where)
    closing = text.partition("def close")[2]
    assert closing.index("self.sim.quit()") < closing.index("self.thread.join(timeout=5.0)")


def test_thread_whose_arguments_are_not_known_is_not_signalled_to_end() -> None:
    where = source(
        """
        import threading
        def run(stop):
            while not stop.is_set(): pass
        class Arm:
            def reset(self):
                self.thread = threading.Thread(target=run, args=self.given)
                self.thread.start()
        """
    )
    assert not list(candidates(Release("thread", (frame(where, "thread.start"),)), where))


def test_old_thread_is_ended_where_nothing_says_how_the_object_is_released() -> None:
    where = source(
        """
        import threading
        class Arm:
            running = True
            def reset(self):
                self.thread = threading.Thread(target=self.loop)
                self.thread.start()
            def loop(self):
                while self.running:
                    pass
        """
    )
    texts = [
        "\n".join(listing(changes(edits, where)))
        for edits in candidates(ReleaseOld("thread", ()), where)
    ]
    assert any("self.running = False" in text for text in texts)


def test_container_of_another_module_is_imported() -> None:
    where = source(
        """
        class Arm:
            def close(self):
                self.closed = True
        """
    )
    fleet = File("/lab/fleet.py", "FLEET = []\n")
    both = Source({**where.files, fleet.path: fleet}, "Arm", FILE, DEFAULT)
    edits = next(candidates(Forget("lab.fleet.FLEET[3]"), both))
    text = changed(both.files[FILE], changes(edits, both))
    assert text.lstrip().startswith("import lab.fleet\n")
    assert "lab.fleet.FLEET[:] = [each for each in lab.fleet.FLEET if each is not self]" in text


def test_chain_that_leads_to_no_container_is_not_forgotten() -> None:
    where = source("FLEET = []\nclass Arm:\n    def close(self):\n        pass\n")
    for chain in ("<frame of main()>.fleet[1]", "arm.NONE[1]", "other.FLEET[1]"):
        assert list(candidates(Forget(chain), where)) == []
    assert list(candidates(Forget("arm.FLEET[1]"), source("FLEET = []\n"))) == []


def test_returned_part_is_copied_in_the_method_that_makes_it() -> None:
    where = source(
        """
        class Arm:
            def reset(self):
                return self.look(), {}
            def step(self, action):
                return self.look(), 0.0, False, False, {}
            def look(self):
                return self.seen
        """
    )
    first, second = (applied(CopyReturned("observation"), where, number) for number in (0, 1))
    assert "return self.seen.copy()" in first
    assert "return self.look(), {}" in first
    assert "return self.look().copy(), {}" in second
    assert "return self.look().copy(), 0.0, False, False, {}" in second


def test_draw_of_several_lines_is_not_rewritten() -> None:
    text = RANDOM.format(base="(Env)", seeding="a = np.random.uniform(\n            0, 1)")
    assert not list(candidates(OwnRandom("numpy.random"), source(text)))


def test_reset_that_passes_the_seed_on_is_left_as_it_is() -> None:
    seeding = "super().reset(seed=seed)"
    where = source(RANDOM.format(base="(Env)", seeding=seeding))
    assert applied(OwnRandom("numpy.random"), where).count(seeding) == 1
    other = source(RANDOM.format(base="(Env)", seeding="self.sim.reset(seed=seed)"))
    assert applied(OwnRandom("numpy.random"), other).count(seeding) == 1


def test_seed_of_the_shared_generator_is_removed_from_each_block() -> None:
    seeding = "if seed is not None:\n            np.random.seed(seed)"
    text = applied(OwnRandom("numpy.random"), source(RANDOM.format(base="(Env)", seeding=seeding)))
    assert "np.random.seed" not in text


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (Change("/lab/arm.py", 1, 0, ("import os",)), "# first in arm.py"),
        (
            Change("/lab/arm.py", 7, 0, ("x",), "Arm.close()"),
            "# after line 6 of arm.py, in Arm.close()",
        ),
        (Change("/lab/arm.py", 7, 1, ("x",)), "# instead of line 7 of arm.py"),
        (Change("/lab/arm.py", 7, 3, ("x",)), "# instead of lines 7 to 9 of arm.py"),
        (Change("/lab/arm.py", 7, 3, ()), "# remove lines 7 to 9 of arm.py"),
    ],
)
def test_place_of_a_change_in_words(change: Change, where: str) -> None:
    assert listing([change]) == (where, *change.lines)


def test_member_of_a_set_is_discarded() -> None:
    where = source("FLEET = set()\nclass Arm:\n    def close(self):\n        pass\n")
    text = applied(Forget("arm.FLEET.<member>"), where)
    assert "FLEET.discard(self)" in text.partition("def close")[2]


@pytest.mark.parametrize(
    ("container", "line", "chain", "cure"),
    [
        ("[]", "FLEET.append(self.hear)", "arm.FLEET[3]", "FLEET.remove(self.hear)"),
        ("set()", "FLEET.add(self.hear)", "arm.FLEET.<member>", "FLEET.remove(self.hear)"),
        ("{}", "FLEET['a'] = self.hear", "arm.FLEET['a']", "is self]:"),
        ("[]", "FLEET.extend([self.hear])", "arm.FLEET[3]", "is not self]"),
        ("[]", "FLEET.append(other.hear)", "arm.FLEET[3]", "is not self]"),
    ],
)
def test_method_of_the_instance_leaves_the_container(
    container: str, line: str, chain: str, cure: str
) -> None:
    where = source(
        f"FLEET = {container}\nclass Arm:\n    def __init__(self):\n        {line}\n"
        "    def hear(self):\n        pass\n    def close(self):\n        pass\n"
    )
    text = applied(Forget(f"{chain}.__self__"), where).partition("def close")[2]
    assert cure in text


def test_method_that_no_class_has_is_no_place() -> None:
    where = source("class Arm:\n    def close(self):\n        pass\n")
    edit = Edit(FILE, FIRST, ("self.seen.clear()",), "Arm", "step")
    with pytest.raises(NoPlaceError, match=r"Arm has no step\(\) of its own"):
        changes((edit,), where)


def test_class_of_the_environments_own_file_goes_before_another_of_its_name() -> None:
    other = File("/a_first.py", "class Arm:\n    other = True\n")
    where = source("class Arm:\n    own = True\n")
    both = Source({other.path: other, **where.files}, "Arm", FILE, DEFAULT)
    found = both.owner("Arm")
    assert found is not None
    assert found.file.path == FILE


def test_name_of_an_expression_is_its_last_one() -> None:
    names = {
        text: last_name(ast.parse(text, mode="eval").body) for text in ("a", "a.b", "a()", "1")
    }
    assert names == {"a": "a", "a.b": "b", "a()": "", "1": ""}


HEART = """
        import threading
        import gymnasium
        class Arm(gymnasium.Env):
            def reset(self):
                {first}
                self.heart = threading.Thread(target=self.beat)
                self.heart.start()
            def beat(self):
                while {condition}:
                    pass
            def close(self):
                pass
        """


def placed(text: str, aim_at: str = "open(", what: str = "descriptor") -> str:
    """The text with the first candidate that gives back what a line takes."""
    where = source(text)
    return applied(Release(what, (frame(where, aim_at),)), where)


BASE = """
class Base(Env):
    def reset(self):
        self.log = open("log")
    def close(self):
        {base}
class Arm(Base):
    def close(self):
        {arm}
"""
CLOSES_LOG = 'if getattr(self, "log", None) is not None:\n            self.log.close()'


@pytest.mark.parametrize(
    ("arm", "class_name"),
    [("self.score = 0", "Arm"), ("super().close()", "Base"), ("Base.close(self)", "Base")],
)
def test_lines_go_into_the_close_that_runs(arm: str, class_name: str) -> None:
    text = placed(BASE.format(base="self.floor = 0", arm=arm))
    body = text.partition(f"class {class_name}")[2].partition("\nclass ")[0]
    assert CLOSES_LOG in body
    assert text.count("self.log.close()") == 2  # in reset(), and in that close()


@pytest.mark.parametrize("own", ["    def close(self):\n        super().close()", "    size = 1"])
def test_mixin_gets_no_close_that_would_hide_the_next_one(own: str) -> None:
    text = placed(
        f"class Logs:\n    def start(self):\n        self.log = open('log')\n"
        f"class Arm(Logs, Env):\n{own}\n"
    )
    mixin, _, arm = text.partition("class Arm")
    assert "close" not in mixin
    assert CLOSES_LOG in arm
    assert "super().close()" in arm


def test_two_edits_of_a_method_that_is_missing_make_one() -> None:
    where = source("class Arm(Env):\n    def reset(self):\n        self.a = self.b = None\n")
    edits = [
        Edit(FILE, position, (line,), "Arm", "close")
        for position, line in (
            (LAST, "self.b.close()"),
            (FIRST, "self.a.close()"),
            (FIRST, "self.a.close()"),
        )
    ]
    text = changed(where.files[FILE], changes(edits, where))
    assert text.endswith(
        "    def close(self):\n"
        "        self.a.close()\n        super().close()\n        self.b.close()\n"
    )


def test_wrapper_closes_what_it_took() -> None:
    text = placed(
        "class Logged(Wrapper):\n    def reset(self):\n        self.log = open('log')\n"
        "class Arm(Env):\n    def step(self, action):\n        return 0\n"
    )
    logged, _, arm = text.partition("class Arm")
    assert CLOSES_LOG in logged
    assert "close" not in arm


HELPER = """
import subprocess
def start(path):
    {made}
class Arm(Env):
    def reset(self):
        self.sim = start("sim")
    def close(self):
        self.floor = 0
"""


@pytest.mark.parametrize(
    "made",
    ["return subprocess.Popen([path])", "sim = subprocess.Popen([path])\n    return sim"],
)
def test_resource_of_a_function_is_given_back_as_its_kind_is(made: str) -> None:
    text = placed(HELPER.format(made=made), "Popen", "process")
    assert "self.sim.terminate()\n            self.sim.wait(timeout=5.0)" in text


def test_function_that_returns_something_else_has_no_code() -> None:
    where = source(HELPER.format(made="sim = subprocess.Popen([path])\n    return Handle(sim)"))
    assert not list(candidates(Release("process", (frame(where, "Popen"),)), where))


def test_resource_of_a_base_of_the_held_class_is_given_back_through_it() -> None:
    text = placed(
        """
class Link:
    def __init__(self):
        self.log = open("log")
class Closing(Link):
    def shutdown(self):
        self.log.close()
class Arm(Env):
    def reset(self):
        self.link = Closing()
"""
    )
    assert "self.link.shutdown()" in text.partition("class Arm")[2]


def test_held_class_without_an_ending_ends_its_own_thread() -> None:
    text = placed(
        """
import threading
class Pump:
    def __init__(self):
        self.stop_event = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
    def run(self):
        while not self.stop_event.wait(1):
            pass
class Arm(Env):
    def reset(self):
        self.pump = Pump()
""",
        "start()",
        "thread",
    )
    pump, _, arm = text.partition("class Arm")
    assert "self.stop_event.set()\n        self.thread.join(timeout=5.0)" in pump
    assert "self.pump.close()" in arm


CONTAINER = """
class Arm(Env):
    def __init__(self):
        {first}
    def reset(self):
        {setting}
"""


@pytest.mark.parametrize(
    ("first", "setting", "loop", "empty"),
    [
        ("self.logs = {}", "self.logs['a'] = open('a')", "self.logs.values()", "self.logs = {}"),
        (
            "pass",
            "self.logs = {name: open(name) for name in 'ab'}",
            'getattr(self, "logs", {}).values()',
            "self.logs = {}",
        ),
        (
            "pass",
            "self.logs = [open(name) for name in 'ab']",
            'getattr(self, "logs", ())',
            "self.logs = []",
        ),
        ("self.logs = [0]", "self.logs[0] = open('a')", "self.logs", "self.logs = []"),
    ],
)
def test_each_of_a_container_is_closed(first: str, setting: str, loop: str, empty: str) -> None:
    text = placed(CONTAINER.format(first=first, setting=setting))
    assert f"        for each in {loop}:\n            each.close()\n        {empty}\n" in text


def test_attribute_of_what_the_constructor_made_is_closed_there() -> None:
    setting = "self.handles.log = open('log')"
    text = placed(CONTAINER.format(first="self.handles = Handles()", setting=setting))
    closing = text.partition("def close")[2]
    assert 'if getattr(self.handles, "log", None) is not None:' in closing
    assert "self.handles.log.close()" in closing
    assert "self.handles.log = None" in closing
    where = source(CONTAINER.format(first="pass", setting=setting))
    assert not list(candidates(Release("descriptor", (frame(where, "open("),)), where))


def test_attribute_that_the_destructor_uses_is_not_forgotten() -> None:
    where = source(
        "class Arm(Env):\n    def reset(self):\n        self.log = open('log')\n"
        "    def __del__(self):\n        self.log.close()\n"
    )
    every = list(candidates(Release("descriptor", (frame(where, "open("),)), where))
    assert every
    assert not any("self.log = None" in str(edit.lines) for edits in every for edit in edits)


def test_container_that_instances_share_is_not_emptied() -> None:
    where = source("LOG = []\nclass Arm(Env):\n    seen = []\n    def reset(self):\n        pass\n")
    for chain in ("arm.LOG", "arm.Arm.seen", "Arm.seen", "self.seen"):
        assert not list(candidates(Clear(chain, "reset"), where)), chain


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        ("[]", ("self.seen.clear()",)),
        ("[SYSTEM, first()]", ("del self.seen[2:]",)),
        ("deque(maxlen=9)", ("self.seen.clear()",)),
        ("{}", ("self.seen.clear()",)),
        ("[*SYSTEM]", None),
        ("{'system': 1}", None),
        ("{SYSTEM}", None),
    ],
)
def test_first_items_of_a_container_stay(made: str, lines: tuple[str, ...] | None) -> None:
    where = source(f"class Arm(Env):\n    def __init__(self):\n        self.seen = {made}\n")
    edits = next(candidates(Clear("self.seen", "reset"), where), None)
    assert (edits[0].lines if edits else None) == lines


UNSET = """
class Arm(Env):
    def __init__(self):
        self.floor = 0
    def record(self):
        self.log = {value}
    def close(self):
        {closing}
"""


def _hidden(value: str, closing: str, part: str = "self.log.") -> tuple[Source, ErrorValue]:
    where = source(UNSET.format(value=value, closing=closing))
    message = "'Arm' object has no attribute 'log'"
    return where, ErrorValue("builtins.AttributeError", message, (frame(where, part),))


@pytest.mark.parametrize(
    ("value", "closing", "set_up", "after"),
    [
        ("[]", "self.size = len(self.log.a)", "self.log = []", "self.size = len(self.log.a)"),
        (
            "Log()",
            "self.log.save()",
            "self.log = None",
            "if self.log is not None:\n            self",
        ),
    ],
)
def test_attribute_that_is_set_later_is_set_by_the_constructor(
    value: str, closing: str, set_up: str, after: str
) -> None:
    where, error = _hidden(value, closing)
    (edits,) = candidates(GoOn(error), where)
    text = changed(where.files[FILE], changes(edits, where))
    assert f"def __init__(self):\n        {set_up}\n        self.floor = 0" in text
    assert after in text.partition("def close")[2]


@pytest.mark.parametrize("closing", ["self.size = len(self.log.a)", "self.log.save()"])
def test_mistake_in_the_code_is_never_caught(closing: str) -> None:
    where, error = _hidden("0", closing)
    unknown = ErrorValue(error.type, "'Arm' object has no attribute 'logs'", error.frames)
    assert not list(candidates(GoOn(unknown), where))
    name = ErrorValue("builtins.NameError", "name 'log' is not defined", error.frames)
    assert not list(candidates(GoOn(name), where))


@pytest.mark.parametrize(
    ("first", "condition", "ending"),
    [
        ("self.running = True", "self.running", "self.running = False"),
        ("self.ends = threading.Event()", "not self.ends.wait(1)", "self.ends.set()"),
    ],
)
@pytest.mark.parametrize("taken", [False, True])
def test_old_thread_is_ended_before_the_flag_is_set_for_the_next_one(
    first: str, condition: str, ending: str, taken: bool
) -> None:
    where = source(HEART.format(first=first, condition=condition))
    place = frame(where, "self.heart.start()")
    aim = Release("thread", (place,)) if taken else ReleaseOld("heart", ())
    resetting = applied(aim, where).partition("def beat")[0]
    assert resetting.index(ending) < resetting.index("self.heart.join(") < resetting.index(first)


def test_thread_that_is_replaced_gets_no_call_that_threads_lack() -> None:
    where = source(HEART.format(first="self.running = True", condition="self.running"))
    every = list(candidates(ReleaseOld("heart", ()), where))
    assert every
    assert not any("heart.close()" in line for edits in every for e in edits for line in e.lines)


IMPORTS = """
from __future__ import annotations
import os
import tempfile
from pathlib import Path
import numpy
import own
"""


@pytest.mark.parametrize(
    ("name", "before"),
    [("shutil", "tempfile"), ("abc", "os"), ("wave", "pathlib"), ("arms", "")],
)
def test_import_of_the_standard_library_keeps_the_order(name: str, before: str) -> None:
    where = source(IMPORTS + "class Arm:\n    pass\n")
    made = changes([Edit(FILE, TOP, (f"import {name}",))], where)
    words = [line.split() for line in changed(where.files[FILE], made).splitlines() if line]
    names = [each[1] for each in words if each[0] in ("from", "import")]
    assert [*names, ""][names.index(name) + 1] == before


def test_timer_that_is_replaced_is_cancelled() -> None:
    where = source(
        """
        class Arm:
            timer = None
            def reset(self):
                self.timer = threading.Timer(60.0, print)
                self.timer.start()
        """
    )
    assert "self.timer.cancel()" in applied(ReleaseOld("timer", ()), where)
    every = list(candidates(ReleaseOld("timer", ()), where))
    assert not any("timer.close()" in line for edits in every for e in edits for line in e.lines)


NOTHING_YET = """
        import gymnasium
        class Arm(gymnasium.Env):
            def close(self):
                self.plotter.close()
                self.server.close()
        """
BOTH = """\
        if getattr(self, "plotter", None) is not None:
            self.plotter.close()
        if getattr(self, "server", None) is not None:
            self.server.close()
"""


def test_close_that_opened_nothing_guards_each_statement() -> None:
    where = source(NOTHING_YET)
    error = raised(where, "plotter", "'NoneType' object has no attribute 'close'")
    assert applied(Skip(error, unopened=True), where, 1).endswith(BOTH)


def test_attribute_that_is_none_is_skipped_and_not_reported() -> None:
    where = source(NOTHING_YET)
    error = raised(where, "plotter", "'NoneType' object has no attribute 'close'")
    text = applied(GoOn(error), where)
    assert BOTH.splitlines()[0] in text
    assert "warnings" not in text


def test_temporary_file_is_deleted_before_close_forgets_it() -> None:
    where = source(
        """
        import tempfile
        import gymnasium
        class Arm(gymnasium.Env):
            def reset(self):
                self.scratch = tempfile.NamedTemporaryFile(delete=False)
            def close(self):
                self.scratch.close()
                self.scratch = None
        """
    )
    text = applied(Release("file", (frame(where, "tempfile.Named"),)), where, 1)
    assert text.count("os.unlink(self.scratch.name)") == 2
    closing = text.partition("def close")[2]
    assert closing.index("os.unlink") < closing.index(
        "        self.scratch.close()\n        self.s"
    )


def test_resource_of_a_with_statement_is_held_by_no_attribute() -> None:
    where = source(
        """
        class Arm:
            def step(self):
                with open("log") as log:
                    log.write("x")
        """
    )
    owner, method = where.around(frame(where, "with open"))
    read = read_acquisition(where, owner, method, where.statement_at(frame(where, "with open")))
    assert (read.attributes, read.call) == ((), "open")


def test_class_without_reset_gets_none_where_its_base_has_only_an_abstract_one() -> None:
    where = source("class Arm(BaseEnv):\n    def close(self):\n        pass\n", api="ding")
    edit = Edit(FILE, FIRST, ("self.log.clear()",), "Arm", "reset")
    with pytest.raises(NoPlaceError, match=r"Arm has no reset\(\) of its own"):
        changes([edit], where)


REPLACED = """\
    import threading

    class Sampler:
        def __init__(self):
            self.ended = threading.Event()
            self.thread = threading.Thread(target=self.ended.wait)
            self.thread.start()

        def stop(self):
            self.ended.set()
            self.thread.join()

    class Arm(Env):
        def __init__(self):
            self.sampler = None

        def reset(self):
            self.sampler = Sampler()
            return 0, {{}}

        def step(self, action):
            return 0, 0.0, False, False, {{}}

        def close(self):
            {close}
"""


GUARD = "        if self.sampler is not None:\n            self.sampler.stop()\n"


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("def __init__(self): self.log = None", "self.log"),
        ("log = None", "self.log"),
        ("def __init__(self): log = self.handles.log = open('x')", 'getattr(self, "log", None)'),
        ("def reset(self): self.log = open('x')", 'getattr(self, "log", None)'),
        (
            "def __init__(self): self.log = None\n    def close(self): del self.log",
            'getattr(self, "log", None)',
        ),
    ],
)
def test_attribute_is_asked_for_by_name_only_where_it_may_be_missing(body: str, held: str) -> None:
    assert source(f"class Arm(Env):\n    {body}\n").held("log") == held


def test_object_that_reset_replaces_is_ended_before_the_next() -> None:
    where = source(REPLACED.format(close="if self.sampler: self.sampler.stop()"))
    aim = Release("thread", (frame(where, "self.thread.start"),))
    before, after = applied(aim, where).split("        self.sampler = Sampler()\n")
    assert before.endswith(GUARD)
    assert GUARD not in after


def test_object_that_nothing_ends_is_ended_in_close_and_before_the_next() -> None:
    where = source(REPLACED.format(close="self.closed = True"))
    aim = Release("thread", (frame(where, "self.thread.start"),))
    for number, ended in ((0, 0), (1, 1)):
        before, after = applied(aim, where, number).split("        self.sampler = Sampler()\n")
        assert before.count(GUARD) == ended
        assert after.count(GUARD) == 1


@pytest.mark.parametrize(
    ("close", "unlinks"),
    [
        ("self.ended = True", "            self.map.unlink()\n            self.map = None\n"),
        (
            "self.map.close()",
            (
                "            with contextlib.suppress(FileNotFoundError):\n"
                "                self.map.unlink()\n"
            ),
        ),
    ],
)
def test_shared_memory_is_unlinked_once(close: str, unlinks: str) -> None:
    """A close() that uses what it closed may run twice: it cannot forget the segment."""
    where = source(f"""\
        class Arm(Env):
            def __init__(self):
                self.map = SharedMemory(create=True, size=9)

            def close(self):
                {close}
    """)
    text = applied(Release("segment", (frame(where, "SharedMemory("),)), where)
    assert text.endswith(unlinks)
    assert text.startswith("import contextlib\n") == ("contextlib" in unlinks)


def test_object_that_the_constructor_makes_is_ended_in_close_alone() -> None:
    """Four places for the lines, each once: more are not tried."""
    where = source(
        REPLACED.format(close="self.closed = True").replace("reset(self)", "__init__(self)")
    )
    edits = list(candidates(Release("thread", (frame(where, "self.thread.start"),)), where))
    assert [len(each) for each in edits] == [1, 1, 1, 1]


@pytest.mark.parametrize("body", ["pass", "...", '"""Nothing is to do."""\n        pass'])
def test_lines_of_several_findings_go_into_a_method_that_does_nothing(body: str) -> None:
    where = source(f"class Arm:\n    def close(self):\n        {body}\n")
    edits = [
        Edit(FILE, LAST, ("last()",), "Arm", "close"),
        Edit(FILE, FIRST, ("first()",), "Arm", "close"),
        Edit(FILE, FIRST, ("first()",), "Arm", "close"),
    ]
    text = changed(where.files[FILE], changes(edits, where))
    kept = body.rpartition("\n")[0]
    lines = f"{kept}\n        first()" if kept else "first()"
    assert text == f"class Arm:\n    def close(self):\n        {lines}\n        last()\n"


FOLDER = """
import os
import tempfile
from pathlib import Path


class Arm:
    def reset(self):
        {lines}

    def close(self):
        pass
"""


@pytest.mark.parametrize(
    ("lines", "folder"),
    [
        ('self.log = os.path.join(tempfile.mkdtemp(), "log.txt")', "os.path.dirname(self.log)"),
        ('self.log = os.path.join(tempfile.mkdtemp(), f"{1}.txt")', "os.path.dirname(self.log)"),
        ('self.log = Path(tempfile.mkdtemp()) / "log.txt"', "self.log.parent"),
        (
            'folder = tempfile.mkdtemp()\n        self.log = os.path.join(folder, "log.txt")',
            "os.path.dirname(self.log)",
        ),
        (
            'folder = Path(tempfile.mkdtemp())\n        self.log = folder / "log.txt"',
            "self.log.parent",
        ),
    ],
)
def test_folder_that_is_kept_inside_of_a_path_is_removed(lines: str, folder: str) -> None:
    where = source(FOLDER.format(lines=lines))
    text = applied(Release("file", (frame(where, "mkdtemp"),)), where)
    assert text.count(f"shutil.rmtree({folder}, ignore_errors=True)") == 2  # before the next, too
    assert "import os\nimport shutil\nimport tempfile\n" in text


@pytest.mark.parametrize(
    "lines",
    [
        'self.log = os.path.join(tempfile.mkdtemp(), "logs", "log.txt")',
        'self.log = os.path.join(tempfile.mkdtemp(), "logs/log.txt")',
        "self.log = os.path.join(tempfile.mkdtemp(), name)",
        'self.log = os.path.join(ROOT, "log.txt"); tempfile.mkdtemp()',
    ],
    ids=["two parts", "a slash", "a name", "another folder"],
)
def test_folder_that_a_path_does_not_say_is_left(lines: str) -> None:
    where = source(FOLDER.format(lines=lines))
    found = candidates(Release("file", (frame(where, "mkdtemp"),)), where)
    texts = [line for edits in found for edit in edits for line in edit.lines]
    assert not any("dirname" in line or "parent" in line for line in texts)


def test_file_whose_path_changes_is_removed_by_the_name_that_it_was_opened_with() -> None:
    lines = 'self.count += 1; self.log = open(os.path.join(self.folder, f"{self.count}.txt"), "w")'
    where = source(FOLDER.format(lines=lines))
    text = applied(Release("file", (frame(where, "open("),)), where)
    assert "if os.path.exists(self.log.name):" in text
    assert "os.unlink(self.log.name)" in text


INFO = """
class Arm:
    def reset(self):
        self.events, self.speed = [], 0.0
        return self.state.copy(), {"events": self.events, "speed": self.speed}

    def step(self, action):
        self.events.append(action)
        return self.state.copy(), 0.0, False, False, {
            "events": self.events,
        }
"""


def test_list_of_the_instance_is_copied_into_its_info() -> None:
    text = applied(CopyReturned("info", array=False), source(INFO))
    assert '{"events": self.events.copy(), "speed": self.speed}' in text
    assert '            "events": self.events.copy(),\n' in text
    assert text.count("copy()") == 4


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("low = 1\n\n    def go(self):\n        return", "low = 1\n    _left = 0\n\n    def go"),
        ("def go(self):\n        return", "_left = 0\n\n    def go"),
        ("@cached\n    def go(self):\n        return", "_left = 0\n\n    @cached\n"),
        ("low = 1", "low = 1\n\n    _left = 0\n"),
    ],
)
def test_attribute_of_a_class_is_above_its_methods(body: str, after: str) -> None:
    where = source(f"class Arm:\n    {body}\n")
    edits = [Edit(FILE, MEMBER, ("_left = 0",), "Arm")]
    assert changed(where.files[FILE], changes(edits, where)).startswith(f"class Arm:\n    {after}")


TIMERS = """\
import threading
{imported}

class Arm:
    def __init__(self):
        self.clock = {made}
        self.clock.start()

    def close(self):
        pass
"""
BUS = """
class Timer:
    def shutdown(self):
        self.stopped.set()
"""


@pytest.mark.parametrize(
    ("imported", "made", "ends"),
    [
        ("from bus import Timer", "Timer(0.1, act)", "self.clock.shutdown()"),
        ("import bus", "bus.Timer(0.1, act)", "self.clock.shutdown()"),
        ("from bus import Timer", "threading.Timer(600, act)", "self.clock.cancel()"),
        ("from threading import Timer", "Timer(600, act)", "self.clock.cancel()"),
    ],
)
def test_class_of_another_module_is_not_that_of_its_name(
    imported: str, made: str, ends: str
) -> None:
    text = TIMERS.format(imported=imported, made=made)
    files = {FILE: File(FILE, text), "/bus.py": File("/bus.py", BUS)}
    where = Source(files, "Arm", FILE)
    line = Frame(FILE, text.splitlines().index("        self.clock.start()") + 1)
    changed_to = changed(
        files[FILE], changes(next(candidates(Release("thread", (line,)), where)), where)
    )
    assert ends in changed_to
    other = {"self.clock.shutdown()", "self.clock.cancel()"} - {ends}
    assert other.pop() not in changed_to
