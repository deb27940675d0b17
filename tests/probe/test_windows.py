"""Open windows, as reported by toolkits; by stand-ins for toolkits that need a screen."""

from __future__ import annotations

import os
import sys
import types
import warnings

import pytest

from envdoctor.probe.sensors import Context, windows
from envdoctor.probe.system import screens

HERE = Context("/nowhere")


def module(name: str, **contents: object) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(contents)
    return made


def egl(*, answers):
    """A current context: one that lives, or one that was destroyed."""

    def query(display, context, attribute, value):
        assert (display, context, attribute) == (3, 7, 0x3097)
        if not answers:
            raise RuntimeError("EGL_BAD_CONTEXT")
        return 1

    return {
        "eglGetCurrentContext": lambda: 7,
        "eglGetCurrentDisplay": lambda: 3,
        "eglQueryContext": query,
        "EGL_CONTEXT_CLIENT_TYPE": 0x3097,
        "EGLint": int,
    }


@pytest.fixture
def load(monkeypatch):
    for name, _ in windows._TOOLKITS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return lambda name, **contents: monkeypatch.setitem(sys.modules, name, module(name, **contents))


def test_nothing_is_loaded_and_nothing_is_open(load):
    loaded = set(sys.modules)
    assert windows.read(HERE) == {}
    assert set(sys.modules) == loaded


def test_pygame(monkeypatch):
    display = pytest.importorskip("pygame").display
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    assert windows.read(HERE) == {}
    display.init()
    assert windows.read(HERE) == {}  # initialised, and no window
    display.set_mode((64, 48))
    display.set_caption("Maze" * 100)
    assert windows.read(HERE) == {"pygame window": f"pygame window '{('Maze' * 15)}', 64x48"}
    display.quit()
    assert windows.read(HERE) == {}


def warn_and_tell(value):
    def ask():
        warnings.warn("the library is not initialised", stacklevel=1)
        return value

    return ask


@pytest.mark.parametrize(
    ("name", "contents", "texts"),
    [
        (
            "pyglet.app",
            {"windows": [types.SimpleNamespace(caption="Maze")]},
            ["pyglet window 'Maze'"],
        ),
        ("glfw", {"get_current_context": warn_and_tell(7)}, ["glfw window or context"]),
        ("glfw", {"get_current_context": warn_and_tell(None)}, []),
        (
            "matplotlib._pylab_helpers",
            {"Gcf": types.SimpleNamespace(figs={1: None, 3: None})},
            ["matplotlib figure 1", "matplotlib figure 3"],
        ),
        ("tkinter", {"_default_root": object()}, ["tkinter root window"]),
        ("tkinter", {"_default_root": None}, []),
        ("OpenGL.EGL", egl(answers=True), ["EGL context"]),
        ("OpenGL.EGL", egl(answers=False), []),
        ("OpenGL.EGL", {"eglGetCurrentContext": lambda: 0}, []),
        ("OpenGL.osmesa", {"OSMesaGetCurrentContext": lambda: 0}, []),
        ("pyglet.app", {}, []),  # half loaded
    ],
)
def test_other_toolkits(load, name, contents, texts):
    load(name, **contents)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(windows.read(HERE).values()) == texts


def test_a_context_is_of_the_one_library_that_has_a_module_for_it(load):
    load("OpenGL.EGL", **egl(answers=True))
    load("maze3d.egl")
    assert list(windows.read(HERE).values()) == ["EGL context of maze3d"]
    load("maze4d.platforms.egl")
    assert list(windows.read(HERE).values()) == ["EGL context"]


def test_without_a_screen_and_back(monkeypatch, load):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for name in screens.SEEING:
        monkeypatch.delitem(sys.modules, name, raising=False)
    come_back = screens.leave("human")
    assert "DISPLAY" not in os.environ
    assert os.environ["SDL_VIDEODRIVER"] == "dummy"
    with pytest.raises(ImportError):
        __import__("glfw")
    come_back()
    assert (os.environ["DISPLAY"], os.environ["SDL_VIDEODRIVER"]) == (":0", "x11")
    assert "MPLBACKEND" not in os.environ
    assert "glfw" not in sys.modules


def _drivers(monkeypatch, mode, **variables):
    """Return what SDL is asked for in a process with these variables."""
    for name in (*screens.SCREENS, *screens.OF_SDL):
        monkeypatch.setenv(name, "")  # so that what the function sets is taken back
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    screens.do_without({"render_mode": mode})
    return [os.environ.get(name) for name in screens.OF_SDL]


@pytest.mark.parametrize(
    ("mode", "variables", "drivers"),
    [
        ("human", {}, ["dummy", "dummy"]),
        ("human", {"DISPLAY": ""}, ["dummy", "dummy"]),
        ("human", {"DISPLAY": ":0"}, [None, None]),
        ("human", {"WAYLAND_DISPLAY": "wayland-0"}, [None, None]),
        ("human", {"SDL_VIDEODRIVER": "offscreen"}, ["offscreen", "dummy"]),
        ("rgb_array", {}, [None, None]),
        (None, {}, [None, None]),
    ],
)
def test_windows_that_are_asked_for_need_no_screen(monkeypatch, mode, variables, drivers):
    monkeypatch.setattr(sys, "platform", "linux")
    assert _drivers(monkeypatch, mode, **variables) == drivers


def test_another_system_has_a_screen_without_a_variable(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert _drivers(monkeypatch, "human") == [None, None]


def test_offscreen_windows_of_glfw_are_for_pictures(monkeypatch):
    monkeypatch.delitem(sys.modules, "glfw", raising=False)
    come_back = screens.leave("rgb_array")
    assert "glfw" not in sys.modules
    come_back()


def test_nobody_waits_for_frames():
    class Slow:
        metadata = {"render_modes": ["human"], "render_fps": 4}

    slow = Slow()
    screens.hurry(slow)
    assert slow.metadata == {"render_modes": ["human"], "render_fps": screens.HURRIED}
    assert Slow.metadata["render_fps"] == 4
