"""Actions that replace drawn ones, and how the report describes them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Dict, Mapping, Optional

from envdoctor.model.fast_dataclass import dataclass

#: The fact that describes the actions.
ACTIONS_FACT = "actions"

#: Where actions come from: one value of the user's at each step, a function of the user's, the
#: fields of the class that step() takes, or methods that are tools.
VALUE, FUNCTION, FIELDS, TOOLS = "value", "function", "fields", "tools"


@dataclass(frozen=True)
class ActionSource:
    """The user's choice of actions: one `value` for each step, or a function that returns them. The
    function is the attribute `name` of `module`, or of the file with the absolute `path`.
    `directory` is where the user wrote the option, `text` its wording.
    """

    text: str
    value: Any = None
    name: str = ""
    module: str = ""
    path: str = ""
    directory: str = ""

    @property
    def is_function(self) -> bool:
        """True if a function is called for each step."""
        return bool(self.name)

    @property
    def option(self) -> str:
        """The option as the user wrote it: `--action '{message = "hi"}'`."""
        return "--actions %s" % self.text if self.is_function else "--action %s" % self.text

    def as_dict(self) -> Dict[str, object]:
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
    """The actions that were played. `kind` is value, function, fields or tools; `text` the option's
    value as the user wrote it; `type` the class that actions are objects of, where they are;
    `example` the first action as text.
    """

    kind: str
    text: str = ""
    type: str = ""
    example: str = ""

    def as_dict(self) -> Dict[str, str]:
        """For the journal and for the report."""
        return asdict(self)


def played_of(value: object) -> Optional[PlayedActions]:
    """Decode the fact `actions`. None if it is missing or empty."""
    if not isinstance(value, Mapping) or not value.get("kind"):
        return None
    names = PlayedActions.__dataclass_fields__
    return PlayedActions(**{name: str(value.get(name) or "") for name in names})
