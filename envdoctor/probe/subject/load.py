"""From a subject to something that builds it, in any process."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
from dataclasses import field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.subject import EITHER, FILE, ID, Subject
from envdoctor.probe.frameworks import shapes
from envdoctor.probe.frameworks.names import LAZY_ARGUMENT, LAZY_BASE
from envdoctor.probe.subject import copies, registries, scripts

if TYPE_CHECKING:
    from types import ModuleType


class Unresolved(Exception):
    """The subject names nothing that can be built. `why` is one of the words in the survey
    fact; `cause` is what was raised.
    """

    def __init__(
        self, why: str, message: str, cause: Optional[BaseException] = None, **details: object
    ) -> None:
        super().__init__(message)
        self.why = why
        self.cause = cause
        self.details = details


@dataclass(frozen=True)
class ResolvedSubject:
    """A subject that was found. `build` makes one instance; `target` is the class or
    callable, None for an id.
    """

    build: Callable[[], object]
    id: Optional[str] = None
    target: Any = None
    registered_by: Optional[str] = None
    module: str = ""
    details: Dict[str, object] = field(default_factory=dict)


def prepare_path(subject: Subject) -> None:
    """Put the user's directory, and that of the file, first on the module search path, as
    `python file.py` would; and the copies of its files in the place of these.
    """
    copies.install(subject.copies)
    files = [path for path in (subject.path, subject.script) if path]
    places = [*(os.path.dirname(path) for path in files), subject.directory]
    for place in reversed(places):
        if place and place not in sys.path:
            sys.path.insert(0, place)
    sys.path.extend(place for place in subject.search_path if place not in sys.path)


def import_for_parent(subject: Subject) -> Dict[str, str]:
    """Run the top level of the user's script, and import the modules that it imports first. Returns
    {id: module that registered it}.

    Raises Unresolved when one cannot be imported. Workers never call this: they see what a worker
    sees.
    """
    origin = run_script(subject)
    for module in subject.imports:
        origin.update(registries.registered_during(functools.partial(_import, module), module))
    return origin


def run_script(subject: Subject) -> Dict[str, str]:
    """Run the top level of the user's script, where there is one, once a process. Returns {id:
    "__main__"} for what it registers, the first time. Raises Unresolved when it fails.
    """
    return (
        registries.registered_during(functools.partial(_run, subject), "__main__")
        if subject.script
        else {}
    )


def _run(subject: Subject) -> None:
    name = os.path.basename(subject.script)
    try:
        scripts.run(subject.script, subject.script_arguments)
    except SystemExit as error:
        raise Unresolved(
            "script-exited",
            "running the top level of %s ended the process" % name,
            error,
            module=name,
        ) from error
    except BaseException as error:
        raise Unresolved(
            "script-raised", "running the top level of %s failed" % name, error, module=name
        ) from error


def enter(subject: Subject) -> None:
    """Import everything that the parent's process will need, so that no life is charged for an
    import. What fails here fails again, and is reported, where the subject is built.
    """
    try:
        prepare_path(subject)
        import_for_parent(subject)
        find(subject)
    except Unresolved:
        pass


def named(subject: Subject, module: str, path: str, name: str, directory: str) -> object:
    """Return what is called `name` in a module or in the file `path`; modules are found as the
    subject's are, and in `directory`. Raises Unresolved.
    """
    prepare_path(subject)
    if directory and directory not in sys.path:
        sys.path.append(directory)
    place = _load_file(path) if path else _import(module)
    try:
        return _attribute(place, name)
    except Exception as error:
        raise Unresolved("no-attribute", "%s has no %r" % (path or module, name), error) from error


def find(subject: Subject) -> ResolvedSubject:
    """Find what the subject names. Raises Unresolved."""
    prepare_path(subject)
    if subject.form == FILE:
        return _find_in_file(subject)
    if subject.form == ID:
        return _find_id(subject)
    module = _import(str(subject.module))
    if subject.form == EITHER:
        _refuse_two_meanings(subject, module)
        if not _has(module, str(subject.name)) and registries.knows(str(subject.name)):
            return _find_id(subject)
    return _find_attribute(subject, module, str(subject.name))


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise Unresolved(
                "no-module", "no module named %r" % name, error, module=name
            ) from error
        raise Unresolved(
            "import-raised", "importing %s failed" % name, error, module=name
        ) from error
    except SystemExit as error:
        raise Unresolved(
            "import-exited", "importing %s ended the process" % name, error, module=name
        ) from error
    except BaseException as error:
        raise Unresolved(
            "import-raised", "importing %s failed" % name, error, module=name
        ) from error


def _refuse_two_meanings(subject: Subject, module: ModuleType) -> None:
    name = str(subject.name)
    if _has(module, name) and registries.knows(name):
        candidates = [
            "%s:%s for the attribute of %s"
            % (_file_of(module, subject.directory), name, module.__name__),
            "%s --import %s for the registered id" % (name, module.__name__),
        ]
        raise Unresolved("several", "%s could be two things" % subject.text, candidates=candidates)


def _file_of(module: object, directory: str) -> str:
    """The file of a module, as it is written in a directory."""
    file = str(getattr(module, "__file__", None) or "its file")
    beside = os.path.relpath(file, directory)
    return file if beside.startswith(os.pardir) else beside


def _has(module: object, dotted: str) -> bool:
    try:
        _attribute(module, dotted)
    except AttributeError:
        return False
    except Exception:  # it is there, and fails
        return True
    return True


def _attribute(module: object, dotted: str) -> object:
    target = module
    for name in dotted.split("."):
        target = getattr(target, name)
    return target


def _find_attribute(subject: Subject, module: ModuleType, name: str) -> ResolvedSubject:
    try:
        target = _attribute(module, name)
    except AttributeError as error:
        names = [other for other in dir(module) if not other.startswith("_")]
        raise Unresolved(
            "no-attribute",
            "%s has no %r" % (module.__name__, name),
            error,
            module=module.__name__,
            candidates=names,
        ) from error
    except Exception as error:  # a module that imports its parts when they are asked for
        raise Unresolved(
            "import-raised",
            "looking up %s in %s failed" % (name, module.__name__),
            error,
            module=module.__name__,
        ) from error
    return _from_target(subject, target, module.__name__)


def _from_target(subject: Subject, target: Any, module: str) -> ResolvedSubject:
    target = _served(target)
    kwargs = _as_configured(target, dict(subject.kwargs))
    if type(target).__name__ == "EnvSpec":
        return ResolvedSubject(lambda: registries.make(target, kwargs), id=target.id, module=module)
    if not callable(target) or _is_instance(target):
        what = "an instance of %s" % type(target).__name__
        raise Unresolved(
            "not-callable",
            "%s is %s: name a class or a function that builds one" % (subject.text, what),
        )
    return ResolvedSubject(
        lambda: target(**kwargs),
        target=target,
        module=getattr(target, "__module__", None) or module,
    )


def _served(target: object) -> object:
    """Return what builds the environments of an application that was named instead of one; else
    the target itself.
    """
    named = inspect.isclass(target) or inspect.isroutine(target) or _is_instance(target)
    if named or not hasattr(target, "routes"):
        return target
    return shapes.factory_in(target) or target


def _is_instance(target: object) -> bool:
    """Return whether it is an environment. TorchRL's can be called, as every torch.nn.Module."""
    return not inspect.isclass(target) and all(
        callable(getattr(type(target), name, None)) for name in ("reset", "step")
    )


def _as_configured(target: object, kwargs: Dict[str, object]) -> Dict[str, object]:
    """The arguments of one of DI-engine's environments as the framework gives them: its cfg is an
    EasyDict, an empty one where nothing is to be said.
    """
    base = getattr(sys.modules.get(LAZY_BASE[0]), LAZY_BASE[1], None)
    if base is None or not (inspect.isclass(target) and issubclass(target, base)):
        return kwargs
    parameter = inspect.signature(target).parameters.get(LAZY_ARGUMENT)
    if parameter is None or (
        parameter.default is not parameter.empty and LAZY_ARGUMENT not in kwargs
    ):
        return kwargs
    from easydict import EasyDict

    return {**kwargs, LAZY_ARGUMENT: EasyDict(kwargs.get(LAZY_ARGUMENT, {}))}


def _find_id(subject: Subject) -> ResolvedSubject:
    module = subject.module
    origin = registries.registered_during(lambda: _import(module), module) if module else {}
    name = str(subject.name)
    if not registries.knows(name):
        raise Unresolved(
            "unknown",
            "no environment is registered as %s" % name,
            module=module or "",
            nearest=registries.nearest(name),
        )
    _import_entry_point(name)
    return ResolvedSubject(
        lambda: registries.make(subject.text, dict(subject.kwargs)),
        id=name,
        registered_by=origin.get(name, module),
    )


def _import_entry_point(name: str) -> None:
    """Import the module that the id points to, which make() would do; not the attribute, which
    make() reports better.
    """
    specification = registries.specification(name)
    vector = registries.only_in_rows(specification)
    entry_point = getattr(specification, "vector_entry_point" if vector else "entry_point", None)
    if isinstance(entry_point, str) and ":" in entry_point:
        _import(entry_point.split(":")[0])


def _find_in_file(subject: Subject) -> ResolvedSubject:
    module = _load_file(str(subject.path))
    if subject.name:
        return _find_attribute(subject, module, subject.name)
    candidates = environments_in(module)
    if not candidates:
        raise Unresolved(
            "no-environment",
            "%s holds no environment: no class of its own has reset() and step(); a function that"
            " builds one has to be named, as %s:make_env" % (subject.text, subject.text),
        )
    if len(candidates) > 1:
        raise Unresolved(
            "several",
            "%s holds %d environments" % (subject.text, len(candidates)),
            candidates=["%s:%s" % (subject.text, name) for name, _ in candidates],
        )
    return _from_target(subject, candidates[0][1], module.__name__)


def _load_file(path: str) -> ModuleType:
    """The module of a file, under the name that `import` would give it, so that its classes
    pickle by reference.
    """
    name = os.path.splitext(os.path.basename(path))[0]
    loaded = sys.modules.get(name)
    if loaded is not None and os.path.realpath(
        getattr(loaded, "__file__", None) or ""
    ) == os.path.realpath(path):
        return loaded
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise Unresolved("no-file", "%s is not a Python file" % path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)
        why = "import-exited" if isinstance(error, SystemExit) else "import-raised"
        raise Unresolved(why, "importing %s failed" % path, error, module=name) from error
    return module


def environments_in(module: Any) -> List[Tuple[str, object]]:
    """The environment classes that a module defines itself: reset() and step(), no wrapper, no
    private name, not abstract.
    """
    return [
        (name, value)
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and callable(getattr(value, "reset", None))
        and callable(getattr(value, "step", None))
        and not inspect.isabstract(value)
        and not any(base.__name__.endswith("Wrapper") for base in value.__mro__)
    ]
