"""Rendering without a screen: no window may appear on a person's screen, and no frame has to
wait for its time.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from typing import Any, Callable, Dict, Mapping, Optional

from envdoctor.model.scenario import HUMAN
from envdoctor.probe.wrappers import metadata

#: Toolkits that can draw without a screen, and the setting for it.
BLIND = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "MPLBACKEND": "Agg",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}

OF_SDL = ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER")

#: Where a screen is looked for.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")

#: Modules that open real windows or none.
SEEING = (
    "pyglet",
    "tkinter",
    "PyQt5",
    "PyQt6",
    "PySide2",
    "PySide6",
    "wx",
    "gi",
    "panda3d",
    "pybullet",
    "glfw",
)

HURRIED = 1000  # frames a second


def do_without(kwargs: Mapping[str, object]) -> None:
    """Have SDL draw nowhere and play no sound in this process where the user asks for windows, the
    machine has no screen, and the user's variables do not say what to do then. By itself SDL takes
    its driver `offscreen`, whose threads stay and which keeps 10 MiB for each window that was
    closed.
    """
    has_screen = sys.platform != "linux" or any(os.environ.get(name) for name in SCREENS)
    if ("render_mode", HUMAN) in kwargs.items() and not has_screen:
        for name in OF_SDL:
            os.environ.setdefault(name, BLIND[name])


def toolkits() -> Dict[str, object]:
    """Toolkits that would do the rendering: whether pygame is there, and which loaded modules open
    real windows.
    """
    seeing = [name for name in SEEING if sys.modules.get(name) is not None]
    return {"pygame": importlib.util.find_spec("pygame") is not None, "seeing": seeing}


def leave(mode: object) -> Callable[[], None]:
    """From here on, this process has no screen. In human mode, what is not loaded yet and would
    look for one cannot be imported: glfw, too, which elsewhere draws into windows that are never
    shown. Returns a function that gives the screen back.
    """
    earlier = {name: os.environ.get(name) for name in (*BLIND, *SCREENS)}
    barred = [
        name for name in SEEING if name not in sys.modules and (mode == HUMAN or name != "glfw")
    ]
    _set_variables({**dict.fromkeys(SCREENS), **BLIND})
    sys.modules.update(dict.fromkeys(barred))  # type: ignore[arg-type]

    def come_back() -> None:
        _set_variables(earlier)
        for name in barred:
            if sys.modules.get(name, earlier) is None:
                del sys.modules[name]

    return come_back


def _set_variables(values: Mapping[str, Optional[str]]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def hurry(base: Any) -> None:
    """Let an environment draw as fast as it can: Taxi-v3 would sleep for a quarter of a second
    at each frame.
    """
    if metadata(base, "render_fps"):
        with contextlib.suppress(Exception):
            base.metadata = dict(base.metadata, render_fps=HURRIED)
