"""Windows, figures and drawing contexts: what the toolkits that are loaded say is open. No toolkit
is imported or initialised here.

That a library is initialised is not a window: most are once, for the whole process.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Callable, Dict

from envdoctor.probe.sensors import Context

if TYPE_CHECKING:
    from types import ModuleType

NAME = "windows"

MAX_TITLE = 60  # characters


def missing() -> str:
    """The toolkits tell everywhere, as far as they do."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{what and which: description}."""
    windows: Dict[str, str] = {}
    for module, ask in _TOOLKITS:
        loaded = sys.modules.get(module)
        if loaded is not None:
            windows.update(_answer(ask, loaded))
    return windows


def _answer(ask: Callable[[ModuleType], Dict[str, str]], module: ModuleType) -> Dict[str, str]:
    """Answer of one toolkit; nothing where it is half loaded, or not what it was when this was
    written.
    """
    try:
        answer: Dict[str, str] = ask(module)
    except Exception:
        return {}
    return answer


def _pygame(display: ModuleType) -> Dict[str, str]:
    surface = display.get_surface() if display.get_init() else None
    if surface is None:
        return {}
    return {
        "pygame window": (
            "pygame window '%s', %dx%d"
            % (display.get_caption()[0][:MAX_TITLE], *surface.get_size())
        )
    }


def _pyglet(app: ModuleType) -> Dict[str, str]:
    return {
        "pyglet window %d" % id(window): "pyglet window '%s'" % str(window.caption)[:MAX_TITLE]
        for window in list(app.windows)
    }


def _glfw(glfw: ModuleType) -> Dict[str, str]:
    """Glfw lists no windows: it tells the one that this thread draws to, and warns where it is
    not initialised.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        window = glfw.get_current_context()
    return {"glfw window": "glfw window or context"} if window else {}


def _matplotlib(helpers: ModuleType) -> Dict[str, str]:
    return {
        "matplotlib figure %s" % number: "matplotlib figure %s" % number
        for number in helpers.Gcf.figs
    }


def _tkinter(tkinter: ModuleType) -> Dict[str, str]:
    root = tkinter._default_root
    return {} if root is None else {"tkinter root": "tkinter root window"}


def _egl(egl: ModuleType) -> Dict[str, str]:
    """One that was destroyed, or whose display is terminated, stays current until the thread draws
    with another one: EGL refuses to answer for it.
    """
    context = egl.eglGetCurrentContext()
    if not context:
        return {}
    egl.eglQueryContext(
        egl.eglGetCurrentDisplay(), context, egl.EGL_CONTEXT_CLIENT_TYPE, egl.EGLint()
    )
    return {"EGL context": "EGL context" + _owner("egl")}


def _osmesa(osmesa: ModuleType) -> Dict[str, str]:
    current = osmesa.OSMesaGetCurrentContext()
    return {"OSMesa context": "OSMesa context" + _owner("osmesa")} if current else {}


def _owner(kind: str) -> str:
    """` of mujoco`: the one library that has a module for such contexts; nothing where several
    have.
    """
    names = [name.split(".") for name in list(sys.modules) if kind in name]
    owners = {parts[0] for parts in names if kind in parts[-1].split("_")} - {"OpenGL"}
    return " of %s" % owners.pop() if len(owners) == 1 else ""


_TOOLKITS = (
    ("pygame.display", _pygame),
    ("pyglet.app", _pyglet),
    ("glfw", _glfw),
    ("matplotlib._pylab_helpers", _matplotlib),
    ("tkinter", _tkinter),
    ("OpenGL.EGL", _egl),
    ("OpenGL.osmesa", _osmesa),
)
