"""Aims of remedies for training scripts: what an edit of a script is to reach."""

from __future__ import annotations

from typing import Literal, Optional, Tuple

from envdoctor.model.errors import Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import Aim, AimAtLine

FailureKind = Literal[
    "arguments",
    "borrowed",
    "close",
    "exists",
    "fork",
    "guard",
    "handle",
    "id",
    "import",
    "index",
    "instances",
    "lambda",
    "layer",
    "limit",
    "loop",
    "missing",
    "mutex",
    "opened",
    "orders",
    "over",
    "owner",
    "process",
    "sent",
    "thread",
    "values",
    "wrapped",
]
EndKind = Literal[
    "again", "destructor", "exit", "interrupt", "kept", "last", "logger", "parent", "read"
]


@dataclass(frozen=True)
class CloseMade(Aim):
    """Close what this line of a training makes, where its block ends; where it gives no name to
    that, what the other line makes.
    """

    place: Frame
    other: Optional[Frame] = None


class BindLate(AimAtLine):
    """Let factories of the file of this line keep the loop variable that they were made with."""


class SpreadSeeds(AimAtLine):
    """Let the seeds of the vectorizers that this line makes lie far apart."""


@dataclass(frozen=True)
class OwnFiles(Aim):
    """Let factories in this line give each worker a file of its own, in place of one `name`."""

    place: Frame
    name: str


class OwnSeeds(AimAtLine):
    """Give each process, and each instance in it, a seed of its own; this line makes them."""


class GiveSeed(AimAtLine):
    """Give the seed of the script to the first reset() of what this line makes."""


@dataclass(frozen=True)
class SeedOther(Aim):
    """Seed this global generator, `random` or `numpy.random`, where the script seeds the other one;
    instances that draw from it are made in this line.
    """

    place: Frame
    generator: str


@dataclass(frozen=True)
class SeedActions(Aim):
    """Seed the action_space of what this line makes; or of the `vectorizer` that has it, by its
    class.
    """

    place: Frame
    vectorizer: str = ""


class MakeHosted(AimAtLine):
    """Make in each call of a function what this line makes once, and several places host."""


@dataclass(frozen=True)
class RegisterWithout(Aim):
    """Leave an entry out of the kwargs that register() is given in this line: make() has it."""

    place: Frame
    key: str


@dataclass(frozen=True)
class DrawOwn(Aim):
    """Let the class `owner`, which draws in this line, do so from its own seeded generator, in
    place of NumPy's global one.
    """

    place: Frame
    owner: str


class KeepOptions(AimAtLine):
    """Give the last options to each reset() without of what this line makes: by a wrapper."""


class MakeOnce(AimAtLine):
    """Make above a loop what this line makes in each of its rounds."""


class MakeNothing(AimAtLine):
    """Leave out the statement of this line: nothing uses what it makes."""


class JoinFirst(AimAtLine):
    """Wait for the process that this line ends, so that it can close its instances."""


@dataclass(frozen=True)
class SeedOnce(Aim):
    """Give the seed to the first reset() only of what this line makes; the line `again` gives it
    once more, where it is known.
    """

    place: Frame
    again: Optional[Frame] = None


@dataclass(frozen=True)
class GiveArgument(Aim):
    """Give the seed of the script to the call of `function` in this line, as the argument `name`,
    which the call leaves out; or a `value` of the library that has it, such as `Mode.NEW`, in the
    only call of the file.
    """

    place: Frame
    function: str
    name: str
    value: str = ""


class CopyBound(AimAtLine):
    """Make a copy in this line, which gives an array its second name."""


class SetBackAtEnd(AimAtLine):
    """Set back what this line does where an episode is truncated, too."""


class PlayFirst(AimAtLine):
    """Leave out the reset() in this line with its steps: they give up the first episode."""


@dataclass(frozen=True)
class MendFailure(Aim):
    """Let a training go on that an exception at this line ended, or a process of it, or one that
    waits for what a fork did not copy. The `kind` says what is missing; `name` is what it is about:
    a vectorizer, or a function.
    """

    place: Frame
    kind: FailureKind
    name: str = ""


@dataclass(frozen=True)
class EndOnce(Aim):
    """Let something of a training end, and once, near this line. The `kind` says what: a logger, a
    vectorizer that a model has `kept`, an instance that is closed `again`, workers whose results
    are to be `read`, a thread that takes a `last` value, a function `name` that is called at the
    `exit`, what the `destructor` of the class `name` ends, workers that are to end where their
    `parent` is gone, and those that an `interrupt` is not to end before the trainer does.
    """

    place: Frame
    kind: EndKind
    name: str = ""


@dataclass(frozen=True)
class EndEpisode(Aim):
    """Reset where an episode has ended, or end the loop, which calls step() on in this line. It
    `is_old` where step() returns one value for an end; a training that `failed` of it goes on.
    """

    place: Frame
    is_old: bool = False
    failed: bool = False


@dataclass(frozen=True)
class EnterContext(Aim):
    """Close instances of a class in the event loop that they were made in: by `async with`."""

    name: str


@dataclass(frozen=True)
class SetBelow(Aim):
    """Set an attribute where it is, below the wrappers: in the line that calls the vectorizer's
    set_attr(), or wherever the script sets it.
    """

    name: str
    place: Optional[Frame] = None


class GuardScript(AimAtLine):
    """Put the work of a script, from this line on, below `if __name__ == "__main__":`."""


class MoveAboveGuard(AimAtLine):
    """Move the statement in this line above `if __name__ == "__main__":`."""


@dataclass(frozen=True)
class ResetOnce(Aim):
    """Begin each episode once: this line resets right after another reset(), which a vectorizer
    (`by_itself`) or the script has called.
    """

    place: Frame
    by_itself: bool = False


class DeleteFolder(AimAtLine):
    """Let the temporary folder that this line makes be deleted with the last reference to it."""


@dataclass(frozen=True)
class EvaluateOnly(Aim):
    """Set these attributes of the vectorizer in which this line evaluates to False."""

    place: Frame
    settings: Tuple[str, ...] = ()


class EndGivenUp(AimAtLine):
    """End the pool whose result this line gives up, and make it anew."""


@dataclass(frozen=True)
class SeedWorkers(Aim):
    """Seed a generator of the process, `numpy.random` or `random`, in each worker that makes its
    environment in this line.
    """

    place: Frame
    generator: str


@dataclass(frozen=True)
class LeaveWait(Aim):
    """Let the loop in this line, which waits for what a thread does, end where that has ended; the
    `other` line starts the thread.
    """

    place: Frame
    other: Frame
