"""From what the files of a project say to what can be examined, and by which command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from envdoctor.discovery.files import SourceFile
from envdoctor.discovery.modules import ClassSeen, ModuleSeen, Registration, read
from envdoctor.discovery.registering import FoldedProject
from envdoctor.frameworks import MANAGERS, PROFILES, REGISTRIES, UNHOSTED
from envdoctor.model.environment_names import names_around, names_environment
from envdoctor.model.fast_dataclass import dataclass

CLASS, ID, FACTORY, NOTEBOOK = "class", "id", "factory", "notebook"

VECTORIZERS = {
    (profile.package, each.class_name) for profile in PROFILES for each in profile.vectorizers
}
#: The classes that leave these to others.
ABSTRACT = {name for profile in (*PROFILES, *UNHOSTED) for name in profile.base_classes}
PLAIN = {"object", "abc.ABC", "typing.Generic"}  # bases that have no methods
STEPS = ({"reset", "step"}, {"_reset", "_step"})
MADE_BY = re.compile(r"(^|_)(make|create|build|get)_\w*env\w*$|^env$|_env$")


@dataclass(frozen=True)
class Environment:
    """One environment of a project: the SPEC that names it, from where its module is imported,
    and the arguments that have to be given.
    """

    kind: str
    spec: str
    root: str
    file: str
    line: int
    framework: str = ""
    needs: tuple[str, ...] = ()
    entry: str = ""


@dataclass(frozen=True)
class TrainingScript:
    """A script that trains: the line at which each of our managers' vectorizers is used, and the
    titles of the frameworks that train in it.
    """

    file: str
    line: int
    managers: tuple[str, ...]
    trainers: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """The environments and trainings of a project of which so many `files` were read; the
    `unfinished` ones register more ids than are listed.
    """

    files: int = 0
    environments: tuple[Environment, ...] = ()
    trainings: tuple[TrainingScript, ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def examined(self) -> tuple[Environment, ...]:
        """The environments that `check` examines: ids, and classes that no id makes."""
        made = {each.entry for each in self.environments if each.kind == ID}
        return tuple(
            each
            for each in self.environments
            if each.kind == ID or (each.kind == CLASS and each.entry not in made)
        )


def latest_first(contents: Contents, ranks: Mapping[str, int]) -> Contents:
    """Sort environments and trainings by their files, {path: rank}; those without a rank come last.
    An id goes with the class that it makes.
    """
    classes = {each.entry: each.file for each in contents.environments if each.kind == CLASS}

    def rank(each: Environment) -> int:
        return ranks.get(classes.get(each.entry, each.file), len(ranks))

    return replace(
        contents,
        environments=tuple(sorted(contents.environments, key=rank)),
        trainings=tuple(
            sorted(contents.trainings, key=lambda each: ranks.get(each.file, len(ranks)))
        ),
    )


def contents_of(files: Iterable[SourceFile]) -> Contents:
    """Put together what these files hold, in their order."""
    modules = [read(file, REGISTRIES) for file in files]
    folded = FoldedProject([each.file for each in modules], REGISTRIES)
    project = _Project(modules, _registrations(modules, folded))
    environments = [each for module in modules for each in project.environments(module)]
    if not environments:  # beside others, such a class may be a simulator of one
        environments = [each for module in modules for each in project.shaped(module)]
    return Contents(
        len(modules),
        tuple(environments),
        tuple(each for module in modules for each in _trainings(module)),
        tuple(folded.unfinished),
    )


class _Project:
    """The classes of a project, by their full names, and what its names stand for."""

    def __init__(
        self, modules: Iterable[ModuleSeen], registrations: Mapping[str, list[Registration]]
    ) -> None:
        self._registrations = registrations
        self._stars: dict[str, list[str]] = {}
        self._classes: dict[str, ClassSeen] = {}
        self._names: dict[str, str] = {}
        self._frameworks: dict[str, str | None] = {}
        for module in modules:
            prefix = f"{module.file.module or module.file.path}."
            self._names |= {prefix + name: stands for name, stands in module.names.items()}
            self._classes |= {prefix + each.name: each for each in module.classes}
            stars = [each[:-1] for each in module.imports if each.endswith(".*")]
            self._stars |= {prefix[:-1]: sorted(stars)} if stars else {}

    def environments(self, module: ModuleSeen) -> Iterator[Environment]:
        """Those of one file."""
        file = module.file
        prefix = file.module or file.path
        for each in module.classes:
            name = f"{prefix}.{each.name}"
            framework = self._framework(name)
            if framework is not None and self._is_complete(name) and not each.name.startswith("_"):
                yield self._environment(module, each, framework)
        for registration in self._registrations[file.path]:
            entry = self._resolved(registration.entry)
            yield Environment(
                NOTEBOOK if file.is_notebook else ID,
                f"{file.module or file.path}:{registration.identifier}",
                file.root,
                file.path,
                registration.line,
                self._framework(entry) or "",
                tuple(each for each in self._needs(entry) if each not in registration.kwargs),
                entry,
            )
        for function in module.functions:
            makes = [each for each in function.returns if self._makes(each, prefix)]
            if makes and MADE_BY.search(function.name) and not file.is_notebook:
                yield Environment(
                    FACTORY,
                    _spec(file, function.name),
                    file.root,
                    file.path,
                    function.line,
                    next(filter(None, (self._framework(each) for each in makes)), ""),
                    function.needs,
                )

    def shaped(self, module: ModuleSeen) -> Iterator[Environment]:
        """Those of one file that only their methods show: they are called something else, and have
        no base class.
        """
        for each in module.classes:
            is_alone = PLAIN.issuperset(each.bases) and not each.name.startswith("_")
            has_shape = each.returns_transition and each.methods >= STEPS[0]
            if is_alone and has_shape and not names_around(each.name):
                yield self._environment(module, each, "")

    def _environment(self, module: ModuleSeen, known: ClassSeen, framework: str) -> Environment:
        """A class of one file, as what can be examined."""
        file, name = module.file, f"{module.file.module or module.file.path}.{known.name}"
        kind = NOTEBOOK if file.is_notebook else CLASS
        spec, needs = _spec(file, known.name), self._needs(name)
        return Environment(kind, spec, file.root, file.path, known.line, framework, needs, name)

    def _makes(self, name: str, prefix: str) -> bool:
        """Return whether a call of this name makes an environment."""
        if name in {f"{each}.make" for each in REGISTRIES}:
            return True
        return any(self._framework(each) is not None for each in (name, f"{prefix}.{name}"))

    def _resolved(self, name: str) -> str:
        """The class that a name stands for, through the imports of the project."""
        for _ in range(10):
            if name in self._classes or name not in self._names:
                break
            name = self._names[name]
        return name

    def _bases(self, name: str) -> list[str]:
        """The full names of a class's bases: those of its own file have no module."""
        prefix = name.rpartition(".")[0]
        return [self._base(base, prefix) for base in self._classes[name].bases]

    def _base(self, base: str, prefix: str) -> str:
        """The full name of a base class: it is of the file itself, or of what that imports, also
        with a star.
        """
        starred = self._stars.get(prefix, ()) if "." not in base else ()
        for each in (f"{prefix}.{base}", *(self._resolved(star + base) for star in starred)):
            if each in self._classes:
                return each
        return self._resolved(base)

    def _framework(self, name: str) -> str | None:
        """The title of the framework of an environment's class, "" where that is not known, None
        where it is not one.
        """
        name = self._resolved(name)
        if name not in self._classes:
            return None
        if name not in self._frameworks:
            self._frameworks[name] = None  # bases that go in a circle end here
            self._frameworks[name] = self._framework_of(name)
        return self._frameworks[name]

    def _framework_of(self, name: str) -> str | None:
        bases = self._bases(name)
        if any(names_around(each) or _ends(each) in VECTORIZERS for each in (name, *bases)):
            return None
        for base in bases:
            known = self._framework(base) if base in self._classes else _outside(base)
            if known is not None:
                return known
        steps = self._methods(name)
        return "" if names_environment(name) and any(each <= steps for each in STEPS) else None

    def _lineage(self, name: str) -> Iterator[str]:
        """A class and what it is derived from, in the project and outside."""
        visited, waiting = set(), [self._resolved(name)]
        while waiting:
            each = waiting.pop(0)
            if each not in visited:
                visited.add(each)
                yield each
                waiting += self._bases(each) if each in self._classes else []

    def _methods(self, name: str) -> set[str]:
        lineage = [self._classes[each] for each in self._lineage(name) if each in self._classes]
        return {method for each in lineage for method in each.methods}

    def _is_complete(self, name: str) -> bool:
        """Return whether it has the methods of an environment; from a class of another package that
        is not abstract, it inherits them.
        """
        if self._leaves_methods(name):
            return False
        outside = [each for each in self._lineage(name) if each not in self._classes]
        inherits = any(
            names_environment(each) and _ends(each)[1] not in ABSTRACT for each in outside
        )
        return inherits or any(each <= self._methods(name) for each in STEPS)

    def _leaves_methods(self, name: str) -> bool:
        """Return whether a method of it is abstract, and no class before that one has it."""
        there: set[str] = set()
        for each in self._lineage(name):
            if each in self._classes:
                if self._classes[each].abstract - there:
                    return True
                there |= self._classes[each].methods
        return False

    def _needs(self, name: str) -> tuple[str, ...]:
        """The arguments that its constructor, or the one that it inherits, has to be given."""
        for each in self._lineage(name):
            needs = self._classes[each].needs if each in self._classes else None
            if needs is not None:
                return needs
        return ()


def _registrations(
    modules: Sequence[ModuleSeen], folded: FoldedProject
) -> dict[str, list[Registration]]:
    """The ids that each file registers, by its path. One that the import of a file registers is not
    listed once more for the file whose function that calls. One that only the main block of a file
    registers, or what that calls, has no import that makes it known.
    """
    registering = {each.file.module for each in modules if each.registers}
    every: dict[str, list[Registration]] = {}
    for module in modules:
        is_concerned = module.registers or any(
            name in registering or name.rpartition(".")[0] in registering for name in module.imports
        )
        computed = folded.registered(module.file) if is_concerned else ()
        known = {each.identifier for each in computed}
        written = (each for each in module.registrations if each.identifier not in known)
        every[module.file.path] = sorted((*computed, *written), key=lambda each: each.line)
    by_import = {each.identifier for ids in every.values() for each in ids if each.by_import}
    guarded = {each.file.path for each in modules if each.is_guarded}
    return {
        path: [
            each
            for each in ids
            if each.by_import or not (path in guarded or each.identifier in by_import)
        ]
        for path, ids in every.items()
    }


def _ends(name: str) -> tuple[str, str]:
    """The package and the last part of a full name."""
    return name.partition(".")[0], name.rpartition(".")[2]


def _outside(base: str) -> str | None:
    """The title of the framework that a base class is from; "" from any other package."""
    if not names_environment(base):
        return None
    package = base.partition(".")[0]
    profiles = [each for each in (*PROFILES, *UNHOSTED) if each.package == package]
    # Ray's actors and RLlib are in one package, and only RLlib has a base class.
    return min(profiles, key=lambda each: not each.base_classes).title if profiles else ""


def _spec(file: SourceFile, name: str) -> str:
    """The SPEC to type: a module that is in a package by its name, a file by its path."""
    if "." in file.module or file.path.endswith("__init__.py"):
        return f"{file.module}:{name}"
    return f"{file.path}:{name}"


def _trainings(module: ModuleSeen) -> Iterator[TrainingScript]:
    """A script that uses a vectorizer, or trains with a framework."""
    if not module.is_script:
        return
    lines: dict[str, int] = {}
    trainers: dict[str, int] = {}
    for name, line in module.used.items():
        package, kind = _ends(name)
        for profile in PROFILES:
            if profile.package != package:
                continue
            lines |= {
                each.name: line
                for each in profile.vectorizers
                if each.class_name == kind and each.name in MANAGERS
            }
            if profile.trains:
                trainers[profile.title] = min(line, trainers.get(profile.title, line))
    if lines or trainers:
        yield TrainingScript(
            module.file.path,
            min([*lines.values(), *trainers.values()]),
            tuple(sorted(lines, key=lambda each: (lines[each], each))),
            tuple(sorted(trainers)),
        )
