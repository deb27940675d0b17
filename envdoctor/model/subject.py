"""The environment under examination, as named on the command line."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

#: The forms a SPEC can take.
ID = "id"  # CartPole-v1, package:Id-v0
ATTRIBUTE = "attribute"  # package.module:callable_or_class
FILE = "file"  # path/to/file.py, path/to/file.py:name
EITHER = "either"  # package:Name, where Name may be an attribute or a registered id; only the target can tell


@dataclass(frozen=True)
class Subject:
    """One environment to examine.

    `text` is the SPEC as typed. `module` is imported before `name` is looked up (forms id, attribute, either);
    `path` is the absolute path of a file. `kwargs` go to the constructor. `imports` are the modules that the user's
    script would import first: the parent role imports them, workers do not. `directory` is where the user typed the
    command; it goes first on the probe's module search path. `script` is the absolute path of the training script that the
    environment is used in: its top level runs first, in the parent and in every worker that is not forked.
    """

    text: str
    form: str
    name: Optional[str] = None
    module: Optional[str] = None
    path: Optional[str] = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    imports: Tuple[str, ...] = ()
    directory: str = ""
    script: str = ""

    def as_dict(self) -> Dict[str, Any]:
        """A JSON-able dict that `from_dict` turns back into an equal value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Subject:
        """The inverse of `as_dict`."""
        return cls(**{**data, "imports": tuple(data["imports"])})
