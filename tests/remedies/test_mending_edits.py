"""A line that raised is mended where the error and the line leave one cure; a copy has all that
its original has; a variable is set where it is missing.
"""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    CopyWhole,
    DefineAtTop,
    EndByMethod,
    LookUp,
    Mend,
    SetIfMissing,
)
from envdoctor.model.errors import ErrorValue
from envdoctor.model.failure_aims import ShareOut, TakeSpaces
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, frame, source


def error_at(where: Source, part: str, kind: str = "RuntimeError") -> Mend:
    return Mend(ErrorValue(f"builtins.{kind}", frames=(frame(where, part),), user=0))


KILL = """\
    import os, signal

    class Arm(Env):
        def stop(self):
            {line}
            self.process.wait()
"""


@pytest.mark.parametrize(
    "line", ["os.killpg(self.process.pid, signal.SIGTERM)", "os.kill(self.pid, signal.SIGKILL)"]
)
def test_signal_to_a_process_that_has_ended_is_no_error(line: str) -> None:
    where = source(KILL.format(line=line))
    text = applied(error_at(where, line, "ProcessLookupError"), where)
    assert "with contextlib.suppress(ProcessLookupError):" in text
    assert f"            {line}\n        self.process.wait()" in text
    assert "import contextlib" in text


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("os.killpg(self.process.pid, signal.SIGTERM)", "PermissionError"),
        ("self.process.end()", "ProcessLookupError"),
        ("number = os.getpgid(self.pid)", "ProcessLookupError"),
    ],
)
def test_other_errors_are_raised(line: str, kind: str) -> None:
    where = source(KILL.format(line=line))
    assert list(candidates(error_at(where, line, kind), where)) == []


LIVES = """\
    class Arm(Env):
        def step(self, action):
            raise RuntimeError("needs reset")

    class Lives(gym.Wrapper):
        def {name}(self):
            {parts} = {call}
            {after}
            return observation, info

        def reset(self, **arguments):
            return self.go_on()
"""
FIVE = "observation, _, _, _, info"


def test_reset_that_steps_looks_whether_the_episode_has_ended() -> None:
    where = source(
        LIVES.format(name="go_on", parts=FIVE, call="self.env.step(0)", after="pass"),
    )
    text = applied(error_at(where, "raise"), where)
    assert (
        "        observation, _, terminated, truncated, info = self.env.step(0)\n"
        "        if terminated or truncated:\n"
        "            observation, info = self.env.reset()\n"
    ) in text


@pytest.mark.parametrize(
    ("name", "parts", "call", "after"),
    [
        ("look", FIVE, "self.env.step(0)", "pass"),  # reset() does not call it
        ("go_on", "observation, _, terminated, truncated, info", "self.env.step(0)", "pass"),
        ("go_on", "observation, _, over, info", "self.env.step(0)", "pass"),
        ("go_on", FIVE, "self.step_ahead(0)", "pass"),
        ("go_on", FIVE, "self.env.step(0)", "terminated = False"),
    ],
)
def test_other_steps_are_left(name: str, parts: str, call: str, after: str) -> None:
    where = source(LIVES.format(name=name, parts=parts, call=call, after=after))
    assert list(candidates(error_at(where, "raise"), where)) == []


PICKLED = """\
    class Arm(Env, {base}):
        def __init__(self):
            {base}.__init__(self)

        {method}
"""


def test_copy_of_an_ezpickle_has_all_of_its_original() -> None:
    where = source(PICKLED.format(base="utils.EzPickle", method="pass"))
    text = applied(CopyWhole(), where)
    assert "    def __getstate__(self):\n        return self.__dict__.copy()\n" in text
    assert "    def __setstate__(self, state):\n        self.__dict__.update(state)\n" in text


@pytest.mark.parametrize(
    ("base", "method"),
    [
        ("utils.Recorder", "pass"),
        ("EzPickle", "def __deepcopy__(self, memo): return self"),
        ("EzPickle", "def __getstate__(self): return {}"),
    ],
)
def test_copy_that_is_defined_stays_as_it_is(base: str, method: str) -> None:
    where = source(PICKLED.format(base=base, method=method))
    assert list(candidates(CopyWhole(), where)) == []


REGISTERED = """\
    def sparse(steps):
        return float(steps == 10)

    REWARDS = {{"sparse": sparse, "none": 0.0}}

    class Arm(Env):
        def __init__(self, reward="sparse"):
            self.reward = {looks}

    register("Arm-v0", entry_point="arm:Arm", kwargs={{"reward": {given}}})
"""


@pytest.mark.parametrize("looks", ["REWARDS[reward]", "REWARDS.get(reward, reward)"])
def test_id_is_registered_with_the_name_of_a_function(looks: str) -> None:
    where = source(REGISTERED.format(looks=looks, given="sparse"))
    assert 'kwargs={"reward": "sparse"})' in applied(LookUp("reward"), where)


@pytest.mark.parametrize(
    ("looks", "given"),
    [
        ("reward", "sparse"),
        ("REWARDS[goal]", "sparse"),
        ("OTHERS.get(reward)", "sparse"),
        ("REWARDS[reward]", "dense"),
        ("REWARDS[reward]", "'sparse'"),
    ],
)
def test_function_that_is_not_looked_up_stays(looks: str, given: str) -> None:
    where = source(REGISTERED.format(looks=looks, given=given))
    assert list(candidates(LookUp("reward"), where)) == []


VIEWER = """\
    class Viewer:
        def clear(self, scene):
            self.scene = scene

        def {ending}(self):
            self.scene = None

    class Arm(Env):
        def reset(self, *, seed=None):
            self.viewer = Viewer()

        def close(self):
            if self.viewer is not None:
                {line}
                {more}
"""


def test_viewer_is_ended_by_the_method_that_it_has_for_that() -> None:
    where = source(VIEWER.format(ending="close", line="self.viewer.clear(None)", more="pass"))
    assert "            self.viewer.close()\n            pass" in applied(EndByMethod(), where)


@pytest.mark.parametrize(
    ("ending", "line", "more"),
    [
        ("draw", "self.viewer.clear(None)", "pass"),
        ("close", "self.viewer.clear(None)", "self.viewer.close()"),
        ("close", "self.other.clear(None)", "pass"),
        ("close", "result = self.viewer.clear(None)", "pass"),
    ],
)
def test_other_calls_of_close_stay(ending: str, line: str, more: str) -> None:
    where = source(VIEWER.format(ending=ending, line=line, more=more))
    assert list(candidates(EndByMethod(), where)) == []


SPACES = """\
    class Arm(Env):
        def __init__(self, env):
            self.action_space = {action}
            self.observation_space = env.unwrapped.observation_space
"""


def test_spaces_are_those_of_the_wrappers() -> None:
    text = applied(TakeSpaces(), source(SPACES.format(action="make().unwrapped.action_space")))
    assert "self.action_space = make().action_space\n" in text
    assert "self.observation_space = env.observation_space\n" in text


@pytest.mark.parametrize(
    "action", ["env.action_space", "env.unwrapped.space", "env.inner.action_space"]
)
def test_other_spaces_stay(action: str) -> None:
    text = SPACES.format(action=action).replace("env.unwrapped.obs", "env.obs")
    assert list(candidates(TakeSpaces(), source(text))) == []


SHARED = """\
    MAPS = {maps}

    class Arm(Env):
        def reset(self):
            self.map = {taken}
"""


@pytest.mark.parametrize("index", ["rank()", "self.rank", "number"])
def test_list_with_fewer_elements_than_workers_is_shared_out(index: str) -> None:
    where = source(SHARED.format(maps='["town"]', taken=f"MAPS[{index}]"))
    aim = ShareOut(error_at(where, "self.map", "IndexError").error)
    assert f"self.map = MAPS[{index} % len(MAPS)]\n" in applied(aim, where)


@pytest.mark.parametrize(
    ("maps", "taken", "kind"),
    [
        ('["town"]', "MAPS[rank()]", "KeyError"),
        ('["town"]', "MAPS[0]", "IndexError"),
        ('["town"]', "MAPS[rank() - 1]", "IndexError"),
        ('["town"]', "self.maps[rank()]", "IndexError"),
        ('["town"]', "MAPS[rank()] or MAPS[rank()]", "IndexError"),
        ("[]", "MAPS[rank()]", "IndexError"),
        ("load()", "MAPS[rank()]", "IndexError"),
    ],
    ids=["another error", "a number", "a sum", "its own", "two", "nothing in it", "not known"],
)
def test_other_lists_are_not_shared_out(maps: str, taken: str, kind: str) -> None:
    where = source(SHARED.format(maps=maps, taken=taken))
    assert not list(candidates(ShareOut(error_at(where, "self.map", kind).error), where))


ENDS = """\
    import os

    class App:
        def close(self):
            self.scene = None
            {line}

    class Arm(Env):
        def close(self):
            self.app.close()
"""


def test_close_does_not_end_the_process() -> None:
    where = source(ENDS.format(line="os._exit(0)"))
    aim = EndByMethod(frame(where, "_exit"))
    assert applied(aim, where).endswith(
        "self.scene = None\n\nclass Arm(Env):\n    def close(self):\n        self.app.close()\n"
    )
    assert list(candidates(EndByMethod(), where)) == []


@pytest.mark.parametrize("line", ["sys.exit(0)", "code = os._exit(0)", "self._exit(0)"])
def test_other_lines_in_which_a_process_ends_stay(line: str) -> None:
    where = source(ENDS.format(line=line))
    assert list(candidates(EndByMethod(frame(where, "exit(")), where)) == []


SETS = """\
    import os
    import tempfile

    class Arm(Env):
        def __init__(self):
            self.folder = tempfile.mkdtemp()
            folder = self.folder
            {line}
"""
EACH_EPISODE = """\
    import os

    class Arm(Env):
        def __init__(self, device):
            self.device = device
            self.log = None

        def reset(self, *, seed=None, options=None):
            self.log = self.named(seed)
            os.environ["DEVICE"] = {value}
"""


@pytest.mark.parametrize(
    ("line", "filled"),
    [
        ('os.environ["TOKEN"] = self.token', 'os.environ.setdefault("TOKEN", self.token)'),
        ('os.environ["MUJOCO_GL"] = "egl"', 'os.environ.setdefault("MUJOCO_GL", "egl")'),
    ],
)
def test_variable_is_set_where_it_is_missing(line: str, filled: str) -> None:
    where = source(SETS.format(line=line))
    assert f"        {filled}\n" in applied(SetIfMissing((frame(where, "environ["),)), where)


@pytest.mark.parametrize(
    "line",
    [
        'os.environ.update(DISPLAY=":7")',
        'os.putenv("A", "1")',
        'self.environ["A"] = "1"',
        'os.environ["TOKEN"] = "secret"',
        'os.environ["TOKEN"] = f"{self.user}:secret"',
        'os.environ["LOGS"] = self.folder',
        'os.environ["LOGS"] = folder',
    ],
)
def test_variable_that_is_set_otherwise_or_to_a_written_value_is_left(line: str) -> None:
    where = source(SETS.format(line=line))
    assert list(candidates(SetIfMissing((frame(where, line),)), where)) == []


@pytest.mark.parametrize("value", ["self.log", "str(seed)", "self.named(seed)"])
def test_variable_that_each_episode_sets_anew_is_left(value: str) -> None:
    where = source(EACH_EPISODE.format(value=value))
    assert list(candidates(SetIfMissing((frame(where, "environ["),)), where)) == []
    where = source(EACH_EPISODE.format(value="self.device"))
    filled = 'os.environ.setdefault("DEVICE", self.device)'
    assert filled in applied(SetIfMissing((frame(where, "environ["),)), where)


PROGRAM = """\
    import os
    import subprocess

    class Arm(Env):
        def reset(self, *, seed=None, options=None):
            self.folder = self.new_folder()
            self.engine = {starts}
            os.environ["FOLDER"] = self.folder
            {after}
"""


def test_variable_of_each_episode_is_handed_to_the_program_that_is_started() -> None:
    where = source(PROGRAM.format(starts='subprocess.Popen(["sim"], stdin=3)', after="self.n = 0"))
    text = applied(SetIfMissing((frame(where, "environ["),)), where)
    started = 'subprocess.Popen(["sim"], stdin=3, env={**os.environ, "FOLDER": self.folder})'
    assert f"        self.engine = {started}\n        self.n = 0\n" in text


@pytest.mark.parametrize(
    ("starts", "after"),
    [
        ('subprocess.Popen(["sim"], env=self.variables)', "pass"),
        ("start_program()", "pass"),
        ('subprocess.Popen(["sim"])', 'subprocess.Popen(["other"])'),
        ('subprocess.Popen(["sim"])', 'print(os.environ["FOLDER"])'),
    ],
)
def test_variable_that_something_else_may_read_is_left(starts: str, after: str) -> None:
    where = source(PROGRAM.format(starts=starts, after=after))
    assert list(candidates(SetIfMissing((frame(where, "environ["),)), where)) == []


BEGINS = """\
    class Arm(Env):
        def __init__(self):
            self.solver = Solver()
            self.solver.connect()
            self.view.open()

        def reset(self, *, seed=None):
            self.solver.end()
            self.solver.begin()
"""


def test_part_that_each_episode_ends_is_begun_in_each_reset() -> None:
    where = source(BEGINS)
    assert applied(error_at(where, "begin()"), where).endswith(
        "        self.solver = Solver()\n        self.view.open()\n\n"
        "    def reset(self, *, seed=None):\n"
        "        self.solver.end()\n        self.solver.connect()\n        self.solver.begin()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.solver.connect()", "self.solver.connect(7)"),
        ("self.solver.connect()", "self.other.connect()"),
        ("self.solver.end()", "self.solver.connect()"),
        ("def reset(", "def step("),
        ("self.solver.begin()", "state = self.solver.begin(3)"),
    ],
    ids=["with an argument", "another part", "begun there already", "no reset()", "a value"],
)
def test_part_that_is_begun_otherwise_stays(old: str, new: str) -> None:
    where = source(BEGINS.replace(old, new))
    assert list(candidates(error_at(where, "begin("), where)) == []


BRICKS = """\
    class Arm(Env):
        def step(self, action):
            {line}
"""


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("self.bricks.pop(int(action) % 6)", "self.bricks.pop(int(action) % len(self.bricks))"),
        ("brick = self.bricks[action % 6]", "brick = self.bricks[action % len(self.bricks)]"),
    ],
)
def test_index_is_wrapped_around_by_the_length_of_its_list(line: str, after: str) -> None:
    where = source(BRICKS.format(line=line))
    assert after in applied(error_at(where, line, "IndexError"), where)


def test_index_error_of_a_library_is_known_by_its_name() -> None:
    where = source(BRICKS.format(line="brick = self.bricks[action % 6]"))
    error = ErrorValue("sim.errors.IndexError", frames=(frame(where, "% 6"),), user=0)
    assert "self.bricks[action % len(self.bricks)]" in applied(Mend(error), where)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("brick = self.bricks[action % 6]", "KeyError"),
        ("brick = self.bricks[action]", "IndexError"),
        ("brick = self.bricks[action % self.size]", "IndexError"),
        ("brick = self.bricks[action % 6 + 1]", "IndexError"),
        ("brick = self.bricks[action % 6][action % 2]", "IndexError"),
        ("brick = pop(action % 6)", "IndexError"),
    ],
    ids=["a key", "as it is", "a variable", "more than that", "two", "no list"],
)
def test_other_indices_stay(line: str, kind: str) -> None:
    where = source(BRICKS.format(line=line))
    assert list(candidates(error_at(where, line, kind), where)) == []


FACTORY = """\
    import threading

    def factory_with({arguments}):
        def make(render_mode=None):
            return Arm(lock, render_mode)

        {more}return make

    build = factory_with({values})

    class Arm(Env):
        pass
"""
TAKEN = {"arguments": "lock", "values": "threading.Lock()", "more": ""}


def test_factory_is_defined_at_the_top_of_its_module() -> None:
    where = source(FACTORY.format(**TAKEN))
    assert applied(DefineAtTop("build"), where) == (
        "import threading\n\n_lock = threading.Lock()\n\n\ndef build(render_mode=None):\n"
        "    return Arm(_lock, render_mode)\n\nclass Arm(Env):\n    pass\n"
    )
    used = source(f"{FACTORY.format(**TAKEN)}\n    other = factory_with(3)\n")
    text = applied(DefineAtTop("build"), used)
    assert "def factory_with(lock):" in text
    assert "_lock = threading.Lock()\n\n\ndef build(render_mode=None):\n" in text


@pytest.mark.parametrize(
    "other",
    [
        {"arguments": "lock, size", "values": "threading.Lock()"},
        {"values": "lock=threading.Lock()"},
        {"more": "lock.count = 0\n        "},
        {"more": "# as before\n        "},
        {"arguments": "render_mode", "values": "3"},
    ],
    ids=["a default", "by name", "it does more", "a comment", "one name for two"],
)
def test_factory_that_is_made_otherwise_stays(other: dict[str, str]) -> None:
    where = source(FACTORY.format(**TAKEN | other))
    assert not list(candidates(DefineAtTop("build"), where))
    assert not list(candidates(DefineAtTop("other"), source(FACTORY.format(**TAKEN))))
