"""The environment under examination, as named on the command line."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any, Dict, Mapping, Optional, Tuple

from envdoctor.model.actions import ActionSource, source_of
from envdoctor.model.fast_dataclass import dataclass

#: The forms a SPEC can take.
ID = "id"  # CartPole-v1, package:Id-v0
ATTRIBUTE = "attribute"  # package.module:callable_or_class
FILE = "file"  # path/to/file.py, path/to/file.py:name
# Package:Name, where Name may be an attribute or a registered id; only the target can tell.
EITHER = "either"

#: What a subject is: an environment; a function that is called again and again; one of the two,
#: which its first call tells.
ENVIRONMENT, FUNCTION, UNDECIDED = "environment", "function", "undecided"

#: What a rule is about that cannot do without the source of the subject.
SOURCE = "source"


@dataclass(frozen=True)
class Subject:
    """One environment to examine.

    `text` is the SPEC as typed. `module` is imported before `name` is looked up (forms id,
    attribute, either); `path` is the absolute path of a file. `kwargs` go to the constructor.
    `imports` are the modules that the user's script would import first: the parent role imports
    them, workers do not. `directory` is where the user typed the command; it goes first on the
    probe's module search path. `script` is the absolute path of the training script that the
    environment is used in: its top level runs first, in the parent and in every worker that is not
    forked; it finds `script_arguments` in sys.argv. `kind` is what it is: an environment, or a
    function that is called again and again. `search_path` are further places that modules are
    imported from, after all others. `copies` are files that are read in place of the user's:
    {path: path of the copy}. `action` is what is played in place of drawn actions.
    """

    text: str
    form: str
    name: Optional[str] = None
    module: Optional[str] = None
    path: Optional[str] = None
    kwargs: Mapping[str, object] = field(default_factory=dict)
    imports: Tuple[str, ...] = ()
    directory: str = ""
    script: str = ""
    script_arguments: Tuple[str, ...] = ()
    kind: str = ENVIRONMENT
    search_path: Tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    action: Optional[ActionSource] = None

    def as_dict(self) -> Dict[str, object]:
        """A JSON-able dict that `from_dict` turns back into an equal value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Subject:
        """The inverse of `as_dict`."""
        names = ("imports", "search_path", "script_arguments")
        lists = {name: tuple(data.get(name) or ()) for name in names}
        return cls(**{**data, **lists, "action": source_of(data.get("action"))})
