"""Calls are taken out, prints become logs, arguments get defaults, a registration moves up: the text
after the edits.
"""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    CallInClose,
    CutCycle,
    GiveDefaults,
    LeaveOut,
    LeaveToProcess,
    LogPrints,
    Remove,
    UnlinkMapped,
)
from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import GuardScript, MoveAboveGuard
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import FILE, applied, frame, source

ARM = source("""\
    import gc
    import os
    import gymnasium


    class Arm(Base):
        client = None

        def __init__(self):
            self.callbacks = [self.step]
            self.view = View(self)

        def reset(self, *, seed, options=None, mass: float):
            print(f"seed {seed}")
            print("at", seed)
            if seed:
                gc.disable()
            gc.collect()
            self.count = gc.collect()
            os.environ["OMP_NUM_THREADS"] = "1"
            self.client = Client()

        def close(self):
            self.client = None


    if __name__ == "__main__":
        gymnasium.register(
            "Arm-v0", entry_point="arm:Arm"
        )
        env = gymnasium.make("Arm-v0")
""")


def line_of(text: str) -> Frame:
    lines = ARM.files[FILE].text.splitlines()
    return Frame(FILE, next(at for at, line in enumerate(lines, 1) if text in line))


def test_call_is_removed() -> None:
    text = applied(Remove((line_of("        gc.collect()"),)), ARM)
    assert "        gc.collect()\n" not in text
    assert "self.count = gc.collect()" in text


def test_variable_of_the_environment_is_not_set() -> None:
    text = applied(Remove((line_of("os.environ"),)), ARM)
    assert "os.environ" not in text


def test_condition_that_has_nothing_else_goes_too() -> None:
    text = applied(Remove((line_of("gc.disable()"),)), ARM)
    assert "if seed:" not in text


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("if seed:\n        if more:", ""),
        ("if seed:\n        if ask():", "    if seed:\n        if ask():\n            pass\n"),
        ("for _ in seeds:\n        if more:", "    for _ in seeds:\n        pass\n"),
    ],
)
def test_block_that_calls_or_repeats_is_not_left_empty(condition: str, left: str) -> None:
    text = (
        f"import gc\n\ndef begin():\n    {condition}\n            gc.disable()\n    gc.enable()\n"
    )
    where = source(text)
    after = applied(Remove((frame(where, "gc.disable()"),)), where)
    assert after == f"import gc\n\ndef begin():\n{left}    gc.enable()\n"


@pytest.mark.parametrize("line", ["self.count = gc.collect()", "class Arm"])
def test_other_statements_are_not_removed(line: str) -> None:
    assert not list(candidates(Remove((line_of(line),)), ARM))


def test_prints_are_logged() -> None:
    text = applied(LogPrints((line_of("print(f"), line_of('print("at"'))), ARM)
    assert 'logging.getLogger(__name__).info(f"seed {seed}")' in text
    assert 'logging.getLogger(__name__).info("at %s", seed)' in text
    assert "import logging\n" in text


@pytest.mark.parametrize(
    ("printed", "logged"),
    [
        ("print('step', self.steps, self.place)", 'log.info("step %s %s", self.steps, self.place)'),
        ('print("reset", "done")', 'log.info("reset done")'),
        ('print("100 %", self.steps)', 'log.info("%s %s", "100 %", self.steps)'),
        ('print(3, "of", self.steps)', 'log.info("%s of %s", 3, self.steps)'),
    ],
)
def test_logger_of_the_module_is_used(printed: str, logged: str) -> None:
    where = source(f"""
        import logging

        log = logging.getLogger("arm")

        class Arm(Base):
            def step(self, action):
                {printed}
        """)
    assert f"        {logged}\n" in applied(LogPrints((frame(where, "print("),)), where)


def test_other_calls_are_not_logged() -> None:
    assert not list(candidates(LogPrints((line_of("gc.disable()"),)), ARM))


def test_arguments_get_defaults() -> None:
    text = applied(GiveDefaults("reset"), ARM)
    assert "def reset(self, *, seed=None, options=None, mass: float = None):" in text


def test_registration_moves_above_the_guard() -> None:
    text = applied(MoveAboveGuard(line_of("gymnasium.register(")), ARM)
    assert (
        'gymnasium.register(\n    "Arm-v0", entry_point="arm:Arm"\n)\n\n'
        'if __name__ == "__main__":\n    env = gymnasium.make' in text
    )


def test_registration_without_a_guard_stays() -> None:
    assert not list(candidates(MoveAboveGuard(line_of("gc.disable()")), ARM))


SCRIPT = """\
    import gymnasium

    gymnasium.register("Arm-v0")
    envs = launch(2)

    for _ in range(9):
        envs.step()
    {last}
"""


def test_work_of_a_script_goes_below_a_guard() -> None:
    where = source(SCRIPT.format(last="envs.close()"))
    text = applied(GuardScript(Frame(FILE, 4)), where)
    assert text.endswith(
        'if __name__ == "__main__":\n    envs = launch(2)\n\n    for _ in range(9):\n'
        "        envs.step()\n    envs.close()\n"
    )
    assert text.startswith('import gymnasium\n\ngymnasium.register("Arm-v0")\nif')


@pytest.mark.parametrize("last", ["def make(): ...", "print('''a\n    b''')"])
def test_script_that_defines_more_or_would_change_a_text_stays(last: str) -> None:
    where = source(SCRIPT.format(last=last))
    assert not list(candidates(GuardScript(Frame(FILE, 4)), where))


def test_client_is_closed_where_there_is_one() -> None:
    closing = CallInClose(("self.client.close()",))
    texts = [applied(closing, ARM, number) for number in range(2)]
    assert texts[1].index("self.client.close()") < texts[1].index("self.client = None\n\n")
    assert "        if self.client is not None:\n            self.client.close()\n" in texts[0]


@pytest.mark.parametrize(
    ("attribute", "line"),
    [("callbacks", "self.callbacks.clear()"), ("view", "self.view = None")],
)
def test_cycle_is_cut_in_close(attribute: str, line: str) -> None:
    text = applied(CutCycle(attribute), ARM)
    assert f"        self.client = None\n        {line}\n" in text


def test_container_that_reset_makes_is_emptied_where_there_is_one() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self, *, seed=None):
                self.callbacks = [self.step]
    """)
    text = applied(CutCycle("callbacks"), where)
    assert " is not None:\n            self.callbacks.clear()\n" in text


def test_entry_of_a_key_is_left_out() -> None:
    where = source("""\
        class Arm(Env):
            def step(self, action):
                info = {"sim": self.sim, "at": 3, **self.more}
                if action:
                    info["sim"] = self.sim
                info["at"] = 4
                return self.view, 0.0, False, False, info
    """)
    text = applied(LeaveOut("sim"), where)
    assert 'info = {"at": 3, **self.more}\n' in text
    assert "if action" not in text


SIMULATOR = """\
    from simulators import Simulator

    class Arm(Env):
        def close(self):
            {first}Simulator.clean()
"""


def test_process_keeps_what_is_initialized_once() -> None:
    text = applied(LeaveToProcess(), source(SIMULATOR.format(first="")))
    assert text.endswith("        pass  # the process keeps it: it is initialized only once\n")
    text = applied(
        LeaveToProcess(), source(SIMULATOR.format(first="self.view.close()\n            "))
    )
    assert text.endswith(
        "        self.view.close()\n        # the process keeps it: it is initialized only once\n"
    )


@pytest.mark.parametrize("last", ["self.simulator.clean()", "Simulator.end(self.handle)", "stop()"])
def test_end_of_the_instance_stays(last: str) -> None:
    text = SIMULATOR.format(first="").replace("Simulator.clean()", last)
    assert not list(candidates(LeaveToProcess(), source(text)))


MAPPED = """\
    import tempfile

    import numpy as np

    class Arm(Env):
        def reset(self):
            descriptor, path = tempfile.mkstemp()
            self.frames = np.memmap(path, "f4", "w+", shape=(9,))
            return self.frames
"""


def test_file_is_unlinked_once_it_is_mapped() -> None:
    text = applied(UnlinkMapped(), source(MAPPED))
    assert text.startswith("import os\nimport tempfile\n\nimport numpy as np\n")
    assert "shape=(9,))\n        os.unlink(path)\n        return" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return self.frames", "return path"),
        ("tempfile.mkstemp()", "(0, self.path)"),
        ("np.memmap(path", "np.memmap(self.path"),
    ],
    ids=["used later", "not temporary", "another file"],
)
def test_file_that_may_be_opened_again_stays(old: str, new: str) -> None:
    assert not list(candidates(UnlinkMapped(), source(MAPPED.replace(old, new))))
