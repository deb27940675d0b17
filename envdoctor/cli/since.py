"""The environments of a project whose sources have changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.discovery.contents import ID, Environment, contents_of
from envdoctor.discovery.files import LARGEST, source_files
from envdoctor.discovery.git import changes_since
from envdoctor.discovery.sources import SourceGraph, is_changed

if TYPE_CHECKING:
    from envdoctor.model.subject import Subject


class Since:
    """The changes since a ref, and which environments they touch. Raises UsageError where git
    cannot say what changed.
    """

    def __init__(self, ref: str, here: Path) -> None:
        self.ref = ref
        self._here = here
        self._changes = changes_since(ref, here)
        self._sources = SourceGraph(self._changes.python_files, self._text_of)

    def touches(self, environment: Environment) -> bool:
        """Return whether an environment of the project has changed."""
        return self._is_changed(self._sources_of(environment))

    def concerns(self, subject: Subject) -> bool:
        """Return whether a named environment has changed, or is not made of the project's files, so
        that nothing says that it has not.
        """
        own = self._own(subject)
        scripts = [self._inside(subject.script)] if subject.script else []
        imports = (self._sources.named(each) for each in subject.imports)
        beside = self._sources.reached(scripts).union(*imports)
        return not own or self._is_changed(own | beside)

    def _own(self, subject: Subject) -> frozenset[str]:
        """The files that a named environment is made of: those of each id of the project that it
        may be, of its file, or of its module; empty where none is the project's.
        """
        ids = (each for each in self._ids if each.spec.rpartition(":")[2] == subject.name)
        registered = frozenset[str]().union(*map(self._sources_of, ids))
        if subject.path:
            return self._sources.reached([self._inside(subject.path)])
        if registered or not subject.module:
            return registered
        return self._sources.named(f"{subject.module}.{subject.name}")

    def _sources_of(self, environment: Environment) -> frozenset[str]:
        entry = environment.entry if environment.kind == ID else ""
        return self._sources.of(self._inside(environment.file), entry)

    def _inside(self, path: str) -> str:
        return self._changes.inside(path, self._here)

    @cached_property
    def _ids(self) -> Sequence[Environment]:
        files = source_files(self._here, self._here)
        return [each for each in contents_of(files).environments if each.kind == ID]

    def _is_changed(self, own: frozenset[str]) -> bool:
        return is_changed(own, self._changes.paths, self._sources)

    def _text_of(self, path: str) -> str:
        """The text of a file; nothing of one that is gone, or that holds data."""
        try:
            place = Path(self._changes.root, path)
            return "" if place.stat().st_size > LARGEST else place.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""
