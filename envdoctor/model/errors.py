"""Errors and places in code as values: what the journal holds of an exception, without it."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass

Wire = Mapping[str, Any]  # a value as it is written in the journal and in evidence
#: The metadata of the field that holds the whole value, as it was written.
AS_WRITTEN = {"as written": True}
#: What multiprocessing says to a worker that would start workers while it imports the script.
BOOTSTRAPPING = "finished its bootstrapping phase"


@dataclass(frozen=True)
class Frame:
    """One frame of a stack, or the line of the user's that did something. `text` is the line
    itself, `first` the first line of the function, `caller` where the user's code was entered.
    `count` and `seconds` are those of what was called there again and again.
    """

    file: str
    line: int
    function: str = ""
    text: str = ""
    first: Optional[int] = None
    caller: Optional[Frame] = None
    count: int = 0
    seconds: float = 0.0
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)

    @classmethod
    def decode(cls, value: Wire) -> Frame:
        """The inverse of `wire`. Raises KeyError for one without file and line."""
        caller, line = value.get("caller"), value["line"]
        return cls(
            str(value["file"]),
            line if isinstance(line, int) else 0,
            str(value.get("function") or ""),
            str(value.get("text") or ""),
            value.get("first"),
            cls.decode(caller) if caller else None,
            int(value.get("count") or 0),
            float(value.get("seconds") or 0.0),
            value,
        )


@dataclass(frozen=True)
class Acquisition:
    """A line of the user's that took something (`target` is its text), and the verb that was
    played.
    """

    target: str
    frame: Frame
    verb: str = ""

    @property
    def place(self) -> Tuple[str, int]:
        """File and line."""
        return (self.frame.file, self.frame.line)

    @property
    def wire(self) -> Wire:
        """Its JSON form in evidence."""
        return {"target": self.target, **self.frame.wire}


@dataclass(frozen=True)
class MissingRequirement:
    """The thing that is not there: a top-level `module`, with the `requirements` that bring it, as
    the package that imports it declares them; or a `variable` of the environment.
    """

    module: str = ""
    requirements: Tuple[str, ...] = ()
    variable: str = ""

    @classmethod
    def decode(cls, value: Wire) -> MissingRequirement:
        """The inverse of what the probe writes."""
        return cls(
            str(value.get("module") or ""),
            tuple(map(str, value.get("requirements") or ())),
            str(value.get("variable") or ""),
        )


@dataclass(frozen=True)
class ErrorValue:
    """A recorded exception: `type` is "module.Name", `frames` are outermost first, `user` is the
    index of the last one in the subject's own code. `cause` is type and message of what it was
    raised from. `last`: it came from the last line of each of its functions, so that it kept no
    line from running. If it would not arrive in another process, `relay` says what failed in
    "dumps", "loads" or "again", and `rebuilt` says why its class cannot be built of a text and then
    be pickled. `address_in_use`: it was raised because of that (EADDRINUSE), or while that was
    handled.
    """

    type: str
    message: str = ""
    frames: Tuple[Frame, ...] = ()
    user: Optional[int] = None
    cause: str = ""
    last: bool = False
    relay: Mapping[str, str] = field(default_factory=dict)
    rebuilt: str = ""
    address_in_use: bool = False
    missing: MissingRequirement = field(default=MissingRequirement(), repr=False)
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)

    def __post_init__(self) -> None:
        """Raise ValueError where no frame has the index."""
        if self.user is not None and not 0 <= self.user < len(self.frames):
            raise ValueError("user: expected the index of a frame, got %d" % self.user)

    @classmethod
    def decode(cls, value: Wire) -> ErrorValue:
        """The inverse of `wire`."""
        frames, user = value.get("frames") or (), value.get("user")
        return cls(
            str(value.get("type") or ""),
            str(value.get("message") or ""),
            tuple(Frame.decode(frame) for frame in frames),
            user if isinstance(user, int) and 0 <= user < len(frames) else None,
            str(value.get("cause") or ""),
            bool(value.get("last")),
            value.get("relay") or {},
            str(value.get("rebuilt") or ""),
            bool(value.get("address_in_use")),
            MissingRequirement.decode(value.get("missing") or {}),
            value,
        )

    @property
    def user_frame(self) -> Optional[Frame]:
        """The last frame that is the user's own code, or the last frame of all, or None."""
        if not self.frames:
            return None
        return self.frames[-1 if self.user is None else self.user]

    @property
    def name(self) -> str:
        """`ValueError`, without its module."""
        return self.type.rpartition(".")[2]


NO_ERROR = ErrorValue("")


def read_place(value: Any) -> Optional[Acquisition]:
    """The line of code in evidence, which any rule may have written, and what it took, where it
    took something; None where it is not one.
    """
    try:
        return Acquisition(str(value.get("target") or ""), Frame.decode(value))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def read_error(value: Any) -> Optional[ErrorValue]:
    """The error in evidence, which any rule may have written; None where it is not one."""
    try:
        return ErrorValue.decode(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def wire_of(error: Optional[ErrorValue]) -> Optional[Wire]:
    """Return the JSON form of an error in evidence."""
    return error.wire if error else None


def kind_of(error: Optional[ErrorValue]) -> str:
    """`builtins.ValueError`, or nothing."""
    return error.type if error else ""


def message_of(error: Optional[ErrorValue]) -> str:
    """Its text, or nothing."""
    return error.message if error else ""


def one_line(error: Optional[ErrorValue]) -> str:
    """`ValueError: message` on one line, for a sentence. What its library calls just `error`
    has the library's name: `pygame.error`.
    """
    if error is None:
        return "no error"
    message = " ".join(error.message.split())
    names = (error.type or "Exception").split(".")
    name = ".".join(names[-2:] if names[-1] == "error" else names[-1:])
    return "%s: %s" % (name, message) if message else name
