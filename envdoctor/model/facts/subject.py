"""Facts on the subject: what its script does, what it prints, what its attributes hold."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Optional, Tuple

from envdoctor.model.errors import AS_WRITTEN, Wire
from envdoctor.model.facts.decoding import Fact, ListedFact, key
from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class FollowedHandle:
    """An attribute that holds something to be given back, followed across `resets`. `releases` are
    the methods that give it back; `rebuilt` is how many resets put a new object there. Of the
    `replaced` ones so many are `unreleased`, and `left` is what those still held; `collectable`:
    only the garbage collector released it; `kept` replaced ones live, and hold nothing.
    """

    name: str
    type: str
    releases: Tuple[str, ...]
    resets: int
    rebuilt: int
    replaced: int
    unreleased: int
    left: Tuple[str, ...]
    collectable: bool
    kept: int


@dataclass(frozen=True)
class Handles(ListedFact):
    """The attributes of an instance that hold something to be given back."""

    KEY: ClassVar[str] = "handles"

    handles: Tuple[FollowedHandle, ...] = ()


@dataclass(frozen=True)
class Census(Fact):
    """The number of living objects of the innermost class beyond those that the factory built."""

    KEY: ClassVar[str] = "census"

    life: int
    count: int
    class_name: str = field(default="", metadata=key("class"))
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class Printed(Fact):
    """Standard output since the reading before the `point` of a life: how many bytes and lines, the
    first line with text, and where in the output it begins.
    """

    KEY: ClassVar[str] = "printed"

    bytes: int
    lines: int
    first: str
    at: int
    life: int
    point: str


@dataclass(frozen=True)
class ScriptLine:
    """A line of the script's top level; `name` is what it builds."""

    line: int
    text: str
    name: str = ""


@dataclass(frozen=True)
class Script(Fact):
    """A training script before it runs: whether it is `guarded` by `if __name__ == "__main__":`,
    and the top-level call that begins its work, if there is one.
    """

    KEY: ClassVar[str] = "script"

    path: str
    guarded: bool
    calls: Optional[ScriptLine] = None


@dataclass(frozen=True)
class ScriptRan(Fact):
    """A script that ran: its duration, and the environments and models that its top level built."""

    KEY: ClassVar[str] = "script-ran"

    seconds: float
    built: Tuple[ScriptLine, ...] = ()
