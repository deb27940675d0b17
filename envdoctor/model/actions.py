"""What is played in place of drawn actions, and what the report says of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Dict, Mapping, Optional

from envdoctor.model.fast_dataclass import dataclass

#: The fact that says what was played.
PLAYED = "actions"

#: Where actions come from: one value of the user's at each step, a function of the user's, the
#: fields of the class that step() takes, or methods that are tools.
VALUE, FUNCTION, FIELDS, TOOLS = "value", "function", "fields", "tools"


@dataclass(frozen=True)
class ActionSource:
    """What the user wants to be played: one `value` at each step, or what a function gives. That is
    the attribute `name` of `module`, or of the file with the absolute `path`. `directory` is where
    the user wrote it, `text` how.
    """

    text: str
    value: Any = None
    name: str = ""
    module: str = ""
    path: str = ""
    directory: str = ""

    @property
    def is_function(self) -> bool:
        """Whether a function is asked at each step."""
        return bool(self.name)

    @property
    def option(self) -> str:
        """The option as the user wrote it: `--action '{message = "hi"}'`."""
        return "--actions %s" % self.text if self.is_function else "--action %s" % self.text

    def as_dict(self) -> Dict[str, Any]:
        """A JSON-able dict that `source_of` turns back into an equal value."""
        return asdict(self)


def source_of(data: Optional[Mapping[str, Any]]) -> Optional[ActionSource]:
    """The inverse of `ActionSource.as_dict`; what another version knows besides is left out."""
    if not data:
        return None
    known = {name: data[name] for name in ActionSource.__dataclass_fields__ if name in data}
    return ActionSource(**known)


@dataclass(frozen=True)
class PlayedActions:
    """What was played. `kind` is value, function, fields or tools; `text` the option's value as the
    user wrote it; `type` the class that actions are objects of, where they are; `example` the first
    action as text.
    """

    kind: str
    text: str = ""
    type: str = ""
    example: str = ""

    def as_dict(self) -> Dict[str, str]:
        """For the journal and for the report."""
        return asdict(self)


def played_of(value: Any) -> Optional[PlayedActions]:
    """What the fact `actions` says; None where it is not there, or says nothing."""
    if not isinstance(value, Mapping) or not value.get("kind"):
        return None
    names = PlayedActions.__dataclass_fields__
    return PlayedActions(**{name: str(value.get(name) or "") for name in names})
