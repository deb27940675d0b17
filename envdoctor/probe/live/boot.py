"""Arm a process of the user's: run as a part of `sitecustomize`, before any code of theirs.

It costs each Python of a training's tree, so it imports nothing that is not there already; what
counts is loaded when a framework is imported.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    import types
    from importlib.machinery import ModuleSpec
    from typing import Any, Callable, Dict, List, Optional

OWN = "envdoctor"
ENDS = OWN + ".probe.live.raised"
OWN_CLASSES = OWN + ".probe.live.own_classes"


class Hook:
    """The hook of this process. `folder` is the run's, `code` where the hook's modules lie,
    `hook_modules` {module of a framework: module of ours with the hooks for it}.
    """

    def __init__(self, folder: str, code: str, hook_modules: Dict[str, str]) -> None:
        self.folder, self.code, self.hook_modules = folder, code, hook_modules
        self.journal = os.path.join(folder, "watch.jsonl")
        self.started = "exec"
        self.ended = False  # by an exception: what is freed from now on goes with the process
        self.exiting = False
        self.after_fork: List[Callable[[], None]] = []
        self.at_end: List[Callable[[], None]] = []  # called after all handlers of atexit
        self.waiting: Optional[Callable[[], None]] = None  # called before a message is waited for
        self._complained = False
        self._own: Dict[str, types.ModuleType] = {}

    def load(self, name: str) -> types.ModuleType:
        """Import a module of ours, which the user's code does not find: it may have an envdoctor of
        its own.
        """
        theirs = _pop_modules()
        sys.modules.update(self._own)
        sys.path.insert(0, self.code)
        try:
            __import__(name)
            return sys.modules[name]
        finally:
            sys.path.remove(self.code)
            self._own = _pop_modules()
            sys.modules.update(theirs)

    def announce(self) -> None:
        """Journal that this process reports."""
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read(4096).split(b"\0")[:-1]
        text = '{"event":"watched","what":"process","t":%.6f,"pid":%d,"parent_pid":%d'
        text += ',"started":"%s"'
        line = text % (time.monotonic(), os.getpid(), os.getppid(), self.started)
        words_text = ",".join(_quoted(word.decode("utf-8", "replace")) for word in words)
        python = "%d.%d.%d" % sys.version_info[:3]
        line = '%s,"python":"%s","command":[%s]}\n' % (line, python, words_text)
        self.write(line.encode("utf-8", "replace"))

    def write(self, line: bytes) -> None:
        """Append a line to the journal with one write."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self.journal, flags)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def complain(self, why: str) -> None:
        """Journal, once, that not everything is followed here. It never raises, and keeps nothing
        of what was raised: that would keep the user's objects.
        """
        if self._complained:
            return
        self._complained = True
        text = '{"event":"watched","what":"failed","t":%.6f,"pid":%d,"why":%s}\n'
        try:
            line = text % (time.monotonic(), os.getpid(), _quoted(why))
            self.write(line.encode("utf-8", "replace"))
        except Exception:
            return

    def exits(self) -> None:
        """Journal that this process begins to exit, once, and the exception that ends the script,
        where one does: the interpreter keeps it for debuggers. Nothing of ours reaches the user.
        """
        if self.exiting:
            return
        error = getattr(sys, "last_value", None)
        self.ended = self.ended or error is not None
        try:
            self.tell_exit()
            if error is not None:
                self.load(ENDS).ends_script(self, error)
        except KeyboardInterrupt:  # Ctrl-C is pressed where a training does not end
            return
        except Exception as ours:
            self.complain(type(ours).__name__)

    def let_go(self) -> None:
        """Hold nothing of the user's any more: the interpreter frees it now."""
        for each in self.at_end:
            each()

    def tell_exit(self) -> None:
        """Journal that this process begins to exit, once."""
        if self.exiting:
            return
        self.exiting = True
        text = '{"event":"watched","what":"exits","t":%.6f,"pid":%d}\n'
        self.write((text % (time.monotonic(), os.getpid())).encode())

    def forked(self) -> None:
        """Begin anew in a child. Nothing of ours reaches the user."""
        try:
            self.started, self.exiting = "fork", False
            for each in self.after_fork:
                each()
            self.announce()
        except Exception:
            return

    def move(self, folder: str, code: str, lines: List[bytes]) -> None:
        """Go on in the directory of another run: this process begins anew in it, as a forked child
        does. `lines` of the journal are from earlier runs.
        """
        self.folder, self.code = folder, code
        self.journal = os.path.join(folder, "watch.jsonl")
        self._complained = False
        for line in lines:
            self.write(line)
        for each in self.after_fork:
            each()
        self.announce()


class Finder:
    """The first of `sys.meta_path`: it finds nothing, and sees a framework being imported."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._looking = False

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> Optional[ModuleSpec]:
        """The specification of a framework's module that arms when it is executed; else None."""
        hook_module = self._hook.hook_modules.get(name)
        if hook_module is None or self._looking:
            return None
        try:
            return self._armed(name, hook_module, path, target)
        except Exception:
            return None
        finally:
            self._looking = False

    def _armed(
        self, name: str, hook_module: str, path: object, target: object
    ) -> Optional[ModuleSpec]:
        self._looking = True
        spec = _spec_of_others(name, path, target)
        loader = getattr(spec, "loader", None)
        if loader is None or not hasattr(loader, "__dict__"):
            return spec
        execute, hook = loader.exec_module, self._hook

        def execute_and_arm(module: object) -> None:
            if getattr(module, "__name__", "") != name:
                execute(module)
                return
            vars(loader).pop("exec_module", None)
            execute(module)
            arm(hook, hook_module, module)

        # On the loader itself, so that its type stays what it is.
        loader.exec_module = execute_and_arm
        return spec


def arm(hook: Hook, hook_module: str, module: object) -> None:
    """Install our hooks in a framework's module. Nothing of ours reaches the user."""
    try:
        hooks = hook.load(hook_module)
        if hasattr(hooks, "take"):
            hooks.take(hook, module)
        else:
            hook.load(OWN + ".probe.live.instances").take(hook, hooks, module)
    except Exception as error:
        hook.complain("%s: %s: %s" % (hook_module, type(error).__name__, error))


def begin(folder: str, code: str, hook_modules: Dict[str, str], own_classes: bool = False) -> Hook:
    """Arm this process. The project may define `own_classes` of environments that have no base
    class of a framework.
    """
    hook = Hook(folder, code, hook_modules)
    hook.announce()
    atexit.register(hook.let_go)
    atexit.register(hook.exits)
    os.register_at_fork(after_in_child=hook.forked)
    sys.meta_path.insert(0, Finder(hook))
    if own_classes:
        hook.load(OWN_CLASSES).follow(hook)
    return hook


def _spec_of_others(name: str, path: object, target: object) -> Optional[Any]:
    """Return the specification that the other finders give."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find(name, path, target) if find and not isinstance(finder, Finder) else None
        if spec is not None:
            return spec
    return None


def _pop_modules() -> Dict[str, types.ModuleType]:
    """Remove the modules of the name envdoctor from sys.modules, and return them."""
    names = [name for name in sys.modules if name == OWN or name.startswith(OWN + ".")]
    return {name: sys.modules.pop(name) for name in names}


def _quoted(text: str) -> str:
    """A text as JSON, without importing what writes it."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"%s"' % "".join(
        letter if letter >= " " else "\\u%04x" % ord(letter) for letter in text[:1000]
    )
