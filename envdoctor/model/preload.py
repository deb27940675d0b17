"""The imports of a scenario, as its first probe writes them down for templates."""

from __future__ import annotations

import json
from typing import NamedTuple, Tuple


class Preload(NamedTuple):
    """The state after imports, when a scenario could begin. `modules` are the names of libraries'
    modules, in the order of their imports; `own` the files and folders of the subject; `path` where
    modules are looked for; `generators` digests of the states of all random generators.
    """

    modules: Tuple[str, ...]
    own: Tuple[str, ...]
    path: Tuple[str, ...]
    generators: Tuple[int, ...]

    @classmethod
    def read(cls, file: str) -> Preload:
        """The preload in a file. Raises OSError, or ValueError where it holds none."""
        with open(file, encoding="utf-8") as opened:
            values = json.load(opened)
        try:
            return cls(**{name: tuple(values[name]) for name in cls._fields})
        except (TypeError, LookupError) as error:
            raise ValueError("not a list of imports: %s" % file) from error

    def encoded(self) -> str:
        """The text of the file."""
        return json.dumps(self._asdict())
