"""A visit: what a process is asked that was not started by us, by `sys.remote_exec` of Python 3.14.
It runs in the main thread, between two instructions, and answers in the journal. Nothing is
changed: no method is counted, and the last visit takes what the first one loaded.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Dict, List, Set

from envdoctor.model import page
from envdoctor.model.visiting import CONTAINERS, END, INSTANCES, PLACE
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.looking import look
from envdoctor.probe.live.meters import RUNS, held, leave_malloc_out

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook


class Visitor:
    """Knowledge of visits about this process. A look at the containers asks it for instances."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.name = "%d.visit" % os.getpid()
        self.page = self.sites = _NoPage()
        self.vectorizers: Dict[str, object] = {}
        self.trainers: Dict[str, bool] = {}
        self._wrappers: Set[str] = set()
        self._bases: Dict[str, object] = {}
        self._kinds: Dict[object, bool] = {}
        if "ctypes" not in sys.modules:
            leave_malloc_out()

    def answer(self, number: int, what: str) -> None:
        """Answer one question. It never raises."""
        try:
            self._answer(number, what)
        except Exception as error:
            self.tell("visit", number=number, why=type(error).__name__)
        if what == END:
            sys.modules.pop(PLACE, None)

    def _answer(self, number: int, what: str) -> None:
        blocks, malloc, tracked = held()
        full, alive = gc.get_stats()[-1][RUNS], None
        if what in (INSTANCES, CONTAINERS, END):
            self._learn()
            alive = self._alive()
        if what == CONTAINERS or (what == END and os.path.exists(self._look)):
            look(self)
        memory = {"blocks": blocks, "malloc": malloc, "tracked": tracked, "full": full}
        self.tell("visit", number=number, alive=alive, **memory)

    @property
    def _look(self) -> str:
        """The file that a first look leaves for the second."""
        return os.path.join(self.hook.folder, self.name + ".look")

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""
        self.hook.write(encoded("watched", dict(keys, what=what)))

    def _learn(self) -> None:
        """See which frameworks are imported by now."""
        for module, name in self.hook.hook_modules.items():
            if module not in sys.modules:
                continue
            hooks = self.hook.load(name)
            self.vectorizers.update(hooks.VECTORIZERS)
            self.trainers.update(dict.fromkeys(hooks.TRAINERS, True))
            self._wrappers.update(hooks.WRAPPERS)
            if module == hooks.MODULE:
                for base in hooks.BASES:
                    self._bases["%s.%s" % (module, base)] = vars(sys.modules[module]).get(base)

    def _alive(self) -> Dict[str, int]:
        """Return how many instances of each class of environments there are, without wrappers."""
        counts: Dict[str, int] = {}
        bases: List[object] = [base for base in self._bases.values() if base is not None]
        kinds: Dict[object, bool] = {}
        for obj in gc.get_objects():
            kind = type(obj)
            is_one = kinds.get(kind)
            if is_one is None:
                mro = type.mro(kind)
                is_one = kinds[kind] = any(base in mro for base in bases) and not self.wraps(kind)
            if is_one:
                name = type_name(kind)
                counts[name] = counts.get(name, 0) + 1
        self._kinds = {kind: True for kind, is_one in kinds.items() if is_one}
        return counts

    def follows(self, obj: object) -> bool:
        """Return whether an object is an instance of an environment."""
        return type(obj) in self._kinds

    def wraps(self, kind: type) -> bool:
        """Return whether a class is one that wraps environments."""
        return any(type_name(each) in self._wrappers for each in type.mro(kind))

    def is_kind(self, obj: object) -> bool:
        """Return whether an object is the class of such an instance."""
        return any(kind is obj for kind in self._kinds)

    def modules(self) -> Set[str]:
        """The modules of those classes."""
        return {str(kind.__module__) for kind in self._kinds}


class _NoPage:
    """Numbers in the place of a page: no call was counted."""

    def __init__(self) -> None:
        self.numbers = [0] * (page.FIRST * page.WIDTH)
