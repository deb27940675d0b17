"""Aims of remedies for environments: what an edit of their source is to reach."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import Aim, AimAtError, AimAtLine, AimAtLines, PlainAim


@dataclass(frozen=True)
class Release(Aim):
    """Give back in close() what these lines took. `what` is descriptor, port, thread, process,
    zombie or file.
    """

    what: str
    places: Tuple[Frame, ...]


@dataclass(frozen=True)
class Skip(Aim):
    """Let close() skip what is gone or was never made: the error that it raised says what.
    `unopened`: it was not reset before.
    """

    error: ErrorValue
    unopened: bool = False


class GoOn(AimAtError):
    """Let close() report this error and go on."""


class TakeLater(AimAtLines):
    """Take in reset() what these lines of the constructor took; without any, what it takes by a
    call that reset() makes as well.
    """


@dataclass(frozen=True)
class Forget(Aim):
    """Let close() take the instance out of the container that this chain ends in."""

    chain: str


@dataclass(frozen=True)
class Clear(Aim):
    """Empty in a method what grows at the end of this chain, or end what this line puts there."""

    chain: str
    method: str = "close"
    place: Optional[Frame] = None


@dataclass(frozen=True)
class ReleaseOld(Aim):
    """Release what an attribute holds before reset() puts another one there. `releases` are the
    methods of it that do so.
    """

    attribute: str
    releases: Tuple[str, ...]


@dataclass(frozen=True)
class OwnRandom(Aim):
    """Draw from a generator of the instance, that is seeded, in place of `source`."""

    source: str


@dataclass(frozen=True)
class SeedAll(Aim):
    """Make the generators of these attributes (`self.rng`) anew where a seed is given."""

    sources: Tuple[str, ...]


@dataclass(frozen=True)
class PassSeed(Aim):
    """Let a `method` of a wrapper hand on the seed that it is given to what its attribute `holds`;
    a library's wrapper holds it in one of its own.
    """

    owner: str
    method: str = "reset"
    holds: str = ""


@dataclass(frozen=True)
class SeedWhenGiven(Aim):
    """Let reset() seed what it draws from only where it is given a seed; that of the class `owner`
    where it is not that of the environment under examination.
    """

    owner: str = ""


class AcceptZero(PlainAim):
    """Let reset() obey the seed 0."""


@dataclass(frozen=True)
class Import(Aim):
    """Import what a file uses."""

    file: str
    statement: str


@dataclass(frozen=True)
class CopyReturned(Aim):
    """Return a copy of this part of what reset() and step() return. `array`: of NumPy's. `owner` is
    the class of the wrapper that returns it; without one, the environment does.
    """

    what: str
    array: bool = True
    owner: str = ""


class ReturnNumber(PlainAim):
    """Return the reward of step() as a number of Python's."""


@dataclass(frozen=True)
class CopyAction(Aim):
    """Let step() calculate with a copy of the array that it is given; `owner` as above."""

    owner: str = ""


@dataclass(frozen=True)
class SharedPlace:
    """Something that two instances share and change, so that the one disturbs the other: the
    "default" argument of a function, what a "class" or a "module" keeps by a `name`, or an object
    that both were given ("held"). `held` is the way from the instance to it, if one was seen;
    `file` and `line` are those of the function.
    """

    kind: str
    name: str
    held: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class MakeOwn(Aim):
    """Give each instance its own of what is shared at these places."""

    places: Tuple[SharedPlace, ...]


@dataclass(frozen=True)
class BlockingPlace:
    """Something that an instance changes and leaves, so that no second one can be made in the
    process: the "default" argument of a function, or what a "class" or a "module" keeps by a
    `name`. `before` is the value that it had at first, where that is a number, a truth value or
    None; `file` and `line` are those of the function.
    """

    kind: str
    name: str
    file: str = ""
    line: int = 0
    before: str = ""


@dataclass(frozen=True)
class Unblock(Aim):
    """Let an instance leave these places as they were before it."""

    places: Tuple[BlockingPlace, ...]


@dataclass(frozen=True)
class CallInClose(Aim):
    """End in close() what is open: the statements that do so, such as `pygame.display.quit()` or
    `self.client.close()`.
    """

    statements: Tuple[str, ...]


@dataclass(frozen=True)
class CutCycle(Aim):
    """Let go in close() of what leads from an attribute of the instance back to it."""

    attribute: str


class Remove(AimAtLines):
    """Remove the calls in these lines, or what they put into os.environ: they change what belongs
    to the whole process.
    """


@dataclass(frozen=True)
class LeaveOut(Aim):
    """Leave an entry of this key out of dicts that methods of the environment make."""

    key: str


class LogPrints(AimAtLines):
    """Log what is printed in these lines."""


@dataclass(frozen=True)
class GiveDefaults(Aim):
    """Give arguments of a method, that are called without, the default None."""

    method: str


@dataclass(frozen=True)
class RefusePrivateNames(Aim):
    """Let __getattr__() of a class refuse names that begin with two underscores."""

    owner: str


@dataclass(frozen=True)
class Member(Aim):
    """Give a class one more member."""

    owner: str
    lines: Tuple[str, ...]


@dataclass(frozen=True)
class PassOn(Aim):
    """Let the close() of a wrapper end with this call of the next one's, which may still have to
    reach another aim.
    """

    owner: str
    call: str
    inner: Optional[Aim] = None


class ReturnAll(PlainAim):
    """Let reset() return an info, and step() `truncated`, as Gymnasium wants it."""


@dataclass(frozen=True)
class KeepSpace(Aim):
    """Let a property make its space once."""

    name: str


class LeaveSignals(AimAtLines):
    """Install no handler of a signal in these lines."""


class StayInDirectory(AimAtLine):
    """Name files by their full path, and do not go to the folder that this line goes to."""


class LimitInMainThread(AimAtLine):
    """Set a time limit by a signal in the main thread only: in the function around this line."""


@dataclass(frozen=True)
class SetBack(Aim):
    """Let reset() set back what an episode changes: arrays, and the state of what is held. The
    attribute may be known by its `name`, such as "self.observer.start", and that its object
    `resets`: it has a reset(). Or the `setter` is, a method of the class `owner` that sets it.
    """

    name: str = ""
    resets: bool = False
    setter: str = ""
    owner: str = ""


class ObserveFirst(PlainAim):
    """Let reset() update what is observed, as step() does."""


class SeedMade(PlainAim):
    """Give what is made after a reset() a seed from the generator of the instance."""


class SortSets(PlainAim):
    """Sort sets before their order decides."""


class DetachReturned(PlainAim):
    """Return detached tensors, which keep no graph."""


@dataclass(frozen=True)
class FloatEntry(Aim):
    """Put a float under this key into each info."""

    key: str


class OwnCounters(PlainAim):
    """Keep in the instance what methods change in the class."""


class ForgetGiven(PlainAim):
    """Let a method forget the handle that it gives back, so that __del__() does not do so again."""


class ReuseInner(PlainAim):
    """Reset what a wrapper holds, and do not build it anew in reset()."""


class CloseReplaced(PlainAim):
    """Close what a wrapper holds before reset() puts another one there."""


class MakeEach(AimAtLine):
    """Make the environment in each call of the factory in this line."""


@dataclass(frozen=True)
class FreePort(Aim):
    """Bind a free port in the function around this line, and not a fixed `port`."""

    place: Frame
    port: int = 0


@dataclass(frozen=True)
class CastEntry(Aim):
    """Return what is under a key with the dtype that is specified."""

    key: str
    dtype: str


@dataclass(frozen=True)
class ReturnArray(Aim):
    """Let a method return its observation as an array, as the space has it."""

    method: str


@dataclass(frozen=True)
class ReturnFlag(Aim):
    """Return one bool where step() returns one for each agent. `at` is its place in the tuple."""

    at: int


@dataclass(frozen=True)
class DeclareSpace(Aim):
    """Declare the observations of a wrapper as they are: of this dtype, without bounds."""

    owner: str
    dtype: str


class EndHeld(PlainAim):
    """End what the environment holds, in close() and before the next one takes its place: the line
    that took it is not known.
    """


@dataclass(frozen=True)
class OpenAgain(Aim):
    """Let a method make again what close() has let go of: the error that it raised says what. Few
    need that, unless the framework `asks` for it: it is shown, and not written into files.
    """

    error: ErrorValue
    asks: bool = False


class ForgetFreed(PlainAim):
    """Let the methods that close() calls forget what they free in a container."""


class WaitForKilled(PlainAim):
    """Let close() wait for the processes that it ends."""


class CloseAtExit(AimAtLines):
    """Let an object that is still there when Python exits be closed before modules are taken apart:
    the one whose finalizer is in these frames.
    """


class StoreAtOnce(AimAtError):
    """Let reset() store what it has taken before the line of this error: close() then sees it."""


class AwaitCall(AimAtLine):
    """Run the coroutine that this line makes to its end."""


class EndTask(AimAtLine):
    """Let close() cancel the task that this line makes, and wait for it."""


@dataclass(frozen=True)
class BreakCycle(Aim):
    """Let what this line makes, or what the attributes of this chain hold, not lead back to itself,
    and remove the calls in the other lines.
    """

    place: Optional[Frame] = None
    chain: str = ""
    removes: Tuple[Frame, ...] = ()


@dataclass(frozen=True)
class EndWait(Aim):
    """Let the wait in this line end: it is for what the environment itself has to do before. Where
    `full`, a program waits for room in a pipe.
    """

    place: Frame
    full: bool = False


class Mend(AimAtError):
    """Mend the line that raised this error, where that and the line leave one cure."""


class CopyWhole(PlainAim):
    """Let a copy of an instance have all that the original has."""


class SetIfMissing(AimAtLines):
    """Let these lines set a variable of the process only where it has none."""


@dataclass(frozen=True)
class LookUp(Aim):
    """Register an id with the name of a function for this argument, which the constructor looks
    up.
    """

    argument: str


@dataclass(frozen=True)
class DefineAtTop(Aim):
    """Define the factory of this name at the top level, in place of a function that makes it."""

    name: str


class OneThread(PlainAim):
    """Let one thread of its own make all calls of an instance."""


class TakeBatches(PlainAim):
    """Let compute_reward() take batches of goals."""


class TakeInstance(PlainAim):
    """Take the one object that a process has of a class, where the class hands it out."""


class LeaveToProcess(PlainAim):
    """Let close() leave to the process what can be initialized only once in it."""


class UnlinkMapped(PlainAim):
    """Unlink a file as soon as it is mapped: the mapping stays."""


@dataclass(frozen=True)
class NameBeside(Aim):
    """Look beside the code for a file of this relative path."""

    path: str


@dataclass(frozen=True)
class EndByMethod(Aim):
    """Let close() end what the environment holds by the method that its class has for that, in
    place of another call of it; else leave out what ends the process, where a line does that.
    """

    place: Optional[Frame] = None
