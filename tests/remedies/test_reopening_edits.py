"""Closing, reopening, coroutines and the exit: the text after the edits, and look-alikes without."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    AwaitCall,
    CloseAtExit,
    EndTask,
    ForgetFreed,
    GoOn,
    OpenAgain,
    StoreAtOnce,
)
from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import FILE, applied, frame, source


def error(where: Source, part: str, message: str, kind: str = "AttributeError") -> ErrorValue:
    return ErrorValue(f"builtins.{kind}", message, (frame(where, part),))


def simulator(made: str = "Simulator()", close: str = "self.simulator = None") -> Source:
    return source(f"""
        class Simulator:
            pass

        class Arm:
            def __init__(self, port=1):
                self.simulator = {made}

            def reset(self):
                state = self.simulator.restart()
                return state

            def close(self):
                {close}
        """)


NONE = "'NoneType' object has no attribute 'restart'"


def test_simulator_that_close_lets_go_of_is_made_again() -> None:
    where = simulator()
    text = applied(OpenAgain(error(where, "restart()", NONE)), where)
    assert (
        "    def reset(self):\n"
        "        if self.simulator is None:\n"
        "            self.simulator = Simulator()\n"
        "        state = self.simulator.restart()\n"
    ) in text


def test_reset_makes_what_only_step_misses() -> None:
    """A step() that opens would hide that nothing was reset."""
    for calls, first in (("pass", True), ("self._connect()", False)):
        where = source(f"""
            class Simulator: ...

            class Arm(Env):
                def __init__(self):
                    self.simulator = Simulator()

                def reset(self, *, seed=None):
                    super().reset(seed=seed)
                    {calls}

                def _connect(self):
                    self.simulator.restart()

                def step(self, action):
                    self._connect()

                def close(self):
                    self.simulator = None
            """)
        text = applied(OpenAgain(error(where, "restart()", NONE)), where)
        lines = "        if self.simulator is None:\n            self.simulator = Simulator()\n"
        place = "super().reset(seed=seed)\n" if first else "def _connect(self):\n"
        assert f"{place}{lines}" in text


@pytest.mark.parametrize(
    ("made", "close"),
    [
        ("Simulator(port)", "self.simulator = None"),  # reset() does not know the port
        ("None", "self.simulator = None"),
        ("Simulator()", "self.simulator.stop()"),
    ],
)
def test_simulator_that_reset_cannot_make_is_left(made: str, close: str) -> None:
    where = simulator(made, close)
    assert not list(candidates(OpenAgain(error(where, "restart()", NONE)), where))


def renderer(close: str, filled: str = "if mode not in self.viewers:") -> Source:
    return source(f"""
        class Renderer:
            def __init__(self):
                self.viewers = {{}}

            def viewer(self, mode):
                {filled}
                    self.viewers[mode] = object()
                return self.viewers[mode]

            def close(self):
                for viewer in self.viewers.values():
                    viewer.free()
                {close}

        class Arm:
            renderer_class = Renderer

            def __init__(self):
                self.renderer = self.renderer_class()

            def close(self):
                self.renderer.close()
        """)


def test_container_of_freed_objects_is_emptied() -> None:
    text = applied(ForgetFreed(), renderer("pass"))
    assert "            viewer.free()\n        self.viewers.clear()\n" in text


@pytest.mark.parametrize(
    ("close", "filled"),
    [
        ("self.viewers.clear()", "if mode not in self.viewers:"),
        ("self.viewers = {}", "if mode not in self.viewers:"),
        ("pass", "if mode:"),
    ],
)
def test_container_that_is_emptied_or_not_filled_again_is_left(close: str, filled: str) -> None:
    assert not list(candidates(ForgetFreed(), renderer(close, filled)))


def viewer(statement: str, method: str = "shut") -> Source:
    return source(f"""
        class Viewer:
            def {method}(self):
                pass

        class Arm:
            def __init__(self):
                self.viewer = Viewer()

            def close(self):
                {statement}
        """)


def test_viewer_is_closed_by_the_method_that_it_has() -> None:
    where = viewer("self.viewer.window.close()")
    missing = "'Viewer' object has no attribute 'window'"
    text = applied(GoOn(error(where, "window.close()", missing)), where)
    assert "    def close(self):\n        self.viewer.shut()\n" in text


@pytest.mark.parametrize(
    ("statement", "method"),
    [("self.viewer.window.close()", "draw"), ("self.viewer.window.draw()", "shut")],
)
def test_viewer_that_nothing_ends_is_left(statement: str, method: str) -> None:
    where = viewer(statement, method)
    missing = "'Viewer' object has no attribute 'window'"
    assert not list(candidates(GoOn(error(where, "self.viewer.window", missing)), where))


def scene(finalizer: str) -> Source:
    return source(f"""
        class Scene:
            def __init__(self):
                self.is_open = True

            def close(self):
                self.is_open = False

            def __del__(self):
                {finalizer}

        class Arm:
            pass
        """)


def test_object_is_closed_before_modules_go() -> None:
    where = scene("self.close()")
    text = applied(CloseAtExit((frame(where, "self.is_open = False"),)), where)
    assert (
        "        self.is_open = True\n"
        "        weakref.finalize(self, self._close_at_exit, weakref.WeakMethod(self.close))\n"
    ) in text
    assert "    @staticmethod\n    def _close_at_exit(reference):\n" in text
    assert "import weakref\n" in text


@pytest.mark.parametrize("finalizer", ["save(self.count)", "self.close(1)", "self.count = 0"])
def test_finalizer_that_does_something_else_is_called_once(finalizer: str) -> None:
    where = scene(finalizer)
    text = applied(CloseAtExit((frame(where, finalizer),)), where)
    assert (
        "    def __del__(self):\n"
        '        if getattr(self, "_is_finished", False):\n'
        "            return\n"
        "        self._is_finished = True\n"
        f"        {finalizer}\n"
    ) in text
    assert "self._finish_at_exit, weakref.WeakMethod(self.__del__))" in text


def test_method_of_a_class_without_finalizer_or_of_a_base_is_left() -> None:
    inherited = scene("self.stop()")
    without = source("""
        class Arm:
            def close(self):
                self.closed = True
        """)
    for where, part in ((inherited, "self.stop()"), (without, "self.closed")):
        assert not list(candidates(CloseAtExit((frame(where, part),)), where))


def opening(between: str, store: str = "self.process = process") -> Source:
    return source(f"""
        import subprocess

        class Arm:
            def reset(self):
                process = subprocess.Popen(["sim"])
                {between}
                self.log = open("log")
                {store}
                return 0

            def close(self):
                self.closed = True
        """)


FULL = "[Errno 24] Too many open files"


def test_process_is_stored_before_the_line_that_may_fail() -> None:
    where = opening("pass")
    text = applied(StoreAtOnce(error(where, 'open("log")', FULL, "OSError")), where)
    assert (
        '        process = subprocess.Popen(["sim"])\n'
        "        self.process = process\n"
        "        pass\n"
        "        try:\n"
        '            self.log = open("log")\n'
        "        except BaseException:\n"
        "            self.close()\n"
        "            raise\n"
        "        return 0\n"
    ) in text


@pytest.mark.parametrize(
    ("between", "store"),
    [
        ("self.process = None", "self.process = process"),
        ("process = wrapped", "self.process = process"),
        ("pass", "self.process = wrapped"),
        ("pass", "self.process = other"),
    ],
)
def test_store_that_cannot_move_is_left(between: str, store: str) -> None:
    where = opening(between, store)
    text = applied(StoreAtOnce(error(where, 'open("log")', FULL, "OSError")), where)
    assert f"            raise\n        {store}\n        return 0\n" in text


def test_environment_without_close_is_left() -> None:
    text = opening("pass").files[FILE].text.replace("def close", "def stop")
    where = source(text)
    assert not list(candidates(StoreAtOnce(error(where, 'open("log")', FULL, "OSError")), where))


def client(definition: str = "def close(self):", loop: str = "") -> Source:
    return source(f"""
        import asyncio

        class Arm:
            loop = None

            def reset(self):
                {loop or "pass"}
                self.task = self.loop.create_task(self.beat())
                self.other = asyncio.create_task(self.beat())

            {definition}
                self.client.stop()
                self.closed = self.client.end()
        """)


@pytest.mark.parametrize(
    ("where", "line"),
    [
        (client(), "        asyncio.run(self.client.stop())\n"),
        (client("async def close(self):"), "        await self.client.stop()\n"),
        (
            client(loop="self.loop = asyncio.new_event_loop()"),
            "        self.loop.run_until_complete(self.client.stop())\n",
        ),
    ],
)
def test_coroutine_runs_to_its_end(where: Source, line: str) -> None:
    assert line in applied(AwaitCall(frame(where, "client.stop()")), where)


def test_coroutine_whose_value_is_kept_is_left() -> None:
    where = client()
    assert not list(candidates(AwaitCall(frame(where, "client.end()")), where))


def test_task_is_cancelled_on_its_loop() -> None:
    where = client()
    text = applied(EndTask(frame(where, "self.task =")), where)
    assert (
        "    def close(self):\n"
        '        if getattr(self, "task", None) is not None:\n'
        "            self.task.cancel()\n"
        "            self.loop.run_until_complete(asyncio.wait([self.task]))\n"
        "            self.task = None\n"
    ) in text


def test_task_of_no_known_loop_is_left() -> None:
    where = client()
    assert not list(candidates(EndTask(frame(where, "self.other =")), where))
    assert not list(candidates(EndTask(Frame(FILE, 1)), where))
