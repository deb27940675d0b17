"""The folder through which the hook comes into each Python of a training: at the head of
PYTHONPATH, with a `sitecustomize` of ours.
"""

from __future__ import annotations

import ast
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from envdoctor.run.supervise.bundle import bytecode, compiled, renamed, sources
from envdoctor.starting import BOOT, JOURNAL, PATH

CODE = "code"
PAGES = "*.page"

#: What the hook is made of. The packages around it are empty, so that it imports no more.
PARTS = (
    "envdoctor/model/environment_names.py",
    "envdoctor/model/page.py",
    "envdoctor/model/visiting.py",
    "envdoctor/probe/journal.py",
    "envdoctor/probe/generators.py",
    "envdoctor/probe/loaded.py",
    "envdoctor/probe/ownership.py",
    "envdoctor/probe/system/blocks.py",
    "envdoctor/probe/system/heap.py",
    "envdoctor/probe/system/room.py",
    "envdoctor/model/kept_chains.py",
    "envdoctor/probe/growth/chains.py",
    "envdoctor/probe/growth/containers.py",
    "envdoctor/probe/growth/holders.py",
    "envdoctor/probe/growth/interpreter_roots.py",
    "envdoctor/probe/heartbeat.py",
    "envdoctor/probe/frameworks/names.py",
    "envdoctor/probe/subject/guards.py",
    "envdoctor/probe/subject/registrations.py",
    "envdoctor/probe/subject/registries.py",
)
LIVE, HOOKS = "envdoctor/probe/live/", "/watch_hooks.py"
#: Modules of the standard library, and those of ours that know them.
PROCESSES = {
    "multiprocessing.util": "envdoctor.probe.live.raised",
    "multiprocessing.popen_fork": "envdoctor.probe.live.terminations",
    "multiprocessing.popen_forkserver": "envdoctor.probe.live.terminations",
    "multiprocessing.connection": "envdoctor.probe.live.messages",
    "multiprocessing.queues": "envdoctor.probe.live.messages",
    "multiprocessing.pool": "envdoctor.probe.live.given_up_jobs",
    "multiprocessing.shared_memory": "envdoctor.probe.live.segments",
    "asyncio.base_events": "envdoctor.probe.live.loops",
    "numpy.random": "envdoctor.probe.live.seeded_generators",
    "random": "envdoctor.probe.live.seeded_random",
    "tempfile": "envdoctor.probe.live.temporary_files",
}
TABLES = ("VECTORIZERS", "PROGRESS_METHODS", "LAUNCHES")  # in all hooks, by module
OWN_TABLES = ("NATIVE", "MAKES", "NORMALIZERS", "POLICIES", "SPACES")  # in some hooks

#: In the syntax of any Python: one that is too old goes on as it would have.
START = """\
import sys

try:
    sys.path.insert(0, {code!r})
    try:
        from envdoctor.probe.live.boot import begin
    finally:
        sys.path.remove({code!r})
        for _name in [_name for _name in sys.modules if _name.split(".")[0] == "envdoctor"]:
            del sys.modules[_name]
    begin({folder!r}, {code!r}, {hook_modules!r}, {own_classes!r})
except Exception:
    pass
sys.path[:] = [_entry for _entry in sys.path if _entry != {boot!r}]
for _entry in ({boot!r}, {code!r}):
    sys.path_importer_cache.pop(_entry, None)
_ours = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError as _error:
    if getattr(_error, "name", "sitecustomize") != "sitecustomize":
        raise
finally:
    sys.modules.setdefault("sitecustomize", _ours)
"""


def write_code(folder: Path) -> dict[str, str]:
    """Write what the hook is made of into the run's directory: {module of a framework: the module
    of ours that knows it}.
    """
    hook_modules: dict[str, str] = {}
    for name, file in sources().items():
        if name in PARTS or name.startswith(LIVE) or name.endswith(HOOKS):
            _put(folder / CODE, name, file)
        if name.endswith(HOOKS):
            hook_module = name.removesuffix(".py").replace("/", ".")
            tables = (*TABLES, *OWN_TABLES)
            modules = {module for table in tables for module in _said(file, table)}
            followed = sorted({_said(file, "MODULE"), *modules} - {""})
            hook_modules |= dict.fromkeys(followed, hook_module)
    (folder / JOURNAL).touch(0o600)
    return hook_modules


def write_boot(folder: Path, own_classes: bool = False) -> dict[str, str]:
    """Write the hook into the run's directory. Return {module of a framework: the module of ours
    that knows it}. With `own_classes`, it notices environments that have no framework's base class.
    """
    hook_modules = {**PROCESSES, **write_code(folder)}
    boot = folder / BOOT
    boot.mkdir()
    paths = {"folder": str(folder), "code": str(folder / CODE), "boot": str(boot)}
    text = START.format(**paths, hook_modules=hook_modules, own_classes=own_classes)
    start = boot / "sitecustomize.py"
    start.write_text(text, encoding="utf-8")
    _keep(start, compile(text, str(start), "exec", dont_inherit=True))
    return hook_modules


def environment(folder: Path, theirs: Mapping[str, str]) -> dict[str, str]:
    """The variables of the user's command."""
    known = [theirs[PATH]] if theirs.get(PATH) else []  # an empty entry would be the directory
    return {**theirs, PATH: os.pathsep.join([str(folder / BOOT), *known])}


def _put(code: Path, name: str, file: Path) -> None:
    place = code / name
    place.parent.mkdir(parents=True, exist_ok=True)
    for package in place.relative_to(code).parents:
        if package.name:
            (code / package / "__init__.py").touch()
    if file.name != "__init__.py":
        place.write_bytes(file.read_bytes())
        _keep(place, renamed(compiled(file), str(place)))


def _keep(place: Path, code: CodeType) -> None:
    """Write the code of a file where Pythons of this version look: to compile it takes each
    process longer than all the rest.
    """
    cache = Path(importlib.util.cache_from_source(str(place)))
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(bytecode(place.read_bytes(), code))


def _said(hooks: Path, name: str) -> Any:
    """A constant of a framework's hooks, such as its module: the doctor does not import them."""
    for node in ast.parse(hooks.read_text(encoding="utf-8")).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=found)], value=value)
                | ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value)
            ) if found == name:
                return ast.literal_eval(value)
    if name in OWN_TABLES:
        return {}
    raise ValueError(f"{hooks} does not name its {name}")
