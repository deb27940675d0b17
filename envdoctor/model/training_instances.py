"""Instances of a watched training: how often each method was called, and what a call raised."""

from __future__ import annotations

from dataclasses import field
from typing import Optional, Tuple

from envdoctor.model.facts.decoding import key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.training_draws import ConstructorDraw, DefaultSeed, Draw, LateVariable
from envdoctor.model.training_ends import (
    GivenUpEpisode,
    HostedTwice,
    KeptInstances,
    NarrowActions,
    PlayedOn,
    ResetAgain,
    RunOn,
)
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_settings import HiddenAttribute

ASSERT = "assert "  # how a statement begins whose exception has no message


@dataclass(frozen=True)
class Calls:
    """Calls of one method: how many began, and how many came back."""

    began: int = 0
    ended: int = 0

    @property
    def running(self) -> bool:
        """True if a call did not come back."""
        return self.began > self.ended


@dataclass(frozen=True)
class Raised:
    """An exception, and the innermost line of the user's code in it. It ended a process, so many
    seconds after the training began (`at`, 0 where that is not known), or a call of `method`.
    `within` is the module that raised it. `closed_at` is where the instance was closed before that
    call, and not reset since. `unfollowed` is the class of that method in the script's code where
    it inherits from no class that is followed, or is a wrapper; of a task it is the coroutine,
    of what cannot be sent to another process its part. `called_at` is where it was called. `origin`
    is the line in a worker of a pool that raised it, or the innermost one of a finalizer. `text` is
    the line at `location`, `detail` a circumstance that its message does not have.
    """

    type: str
    message: str = ""
    location: Optional[Location] = None
    method: str = ""
    within: str = ""
    at: float = 0.0
    closed_at: Optional[Location] = None
    unfollowed: str = ""
    called_at: Optional[Location] = None
    origin: Optional[Location] = None
    detail: Optional[ErrorDetail] = None
    text: str = ""

    @property
    def sentence(self) -> str:
        """`RuntimeError: no renderer (train.py:22 in __init__)`; the line of an assertion that says
        nothing.
        """
        asserted = self.text if self.text.startswith(ASSERT) else ""
        what = self.message or asserted
        text = "%s: %s" % (self.type, what) if what else self.type
        if self.location is None:
            return text
        file = self.location.file.replace("\\", "/").rsplit("/", 1)[-1]
        return "%s (%s:%d in %s)" % (text, file, self.location.line, self.location.function)


@dataclass(frozen=True)
class Instances:
    """Instances that one process made: one, or many of one class and line. `by` is the vectorizer
    that made them; `closes` is whether the class has a close() of its own, and `takes_seed` whether
    its reset() or seed() takes a seed. `number` are births, besides those `inherited` by fork;
    of them `gone` were freed, `closed` were closed at least once, `lost` were freed without a
    close; the constructor of `unmade` raised. `raised` counts calls, `again` calls of close() after
    the first; `since` is how many calls of reset() and step() came back after the last that raised,
    and `error` what that raised, where it is known; `earlier` is what a call raised right before,
    where that was a close(). `group` is the same for all instances of one vectorizer. `seed` is the
    last that reset() was given before the first step; it was given one `reseeded` times after that
    step. `beginning` is a digest of what that reset() returned, 0 where it is not known; `varied`
    says that a later one returned something else. `same` of the `reseeded` were given `seed`: of
    the first few of them, `alike` began as the first; `forced` says that a wrapper gave it.
    `generators` are digests of the states of random generators after that reset(), by
    `page.SOURCES`: those that `moved` had another state after a later reset() without a seed; those
    that such a reset() took back to this state are `set_back`. `holds` is the id of the first
    generator of the instance, `arguments` a digest of its constructor's, 0 where they are not
    known; `drawn` says that the first reset() drew fractions from what its seed had decided,
    `drawn_again` that its episodes drew from what each later reset() with that seed took back.
    `step_digest` is a digest of what some of its steps were given and returned, 0 where that is not
    known; `turns` how many of the first of them came after a step of another instance; `episode`
    how many came after the last reset(). So many of its resets were given options (`optioned`);
    attributes that only its outermost wrapper got are `hidden`. The operating system seeded
    generators that are `unseeded`; `draws` are lines of its class that draw from those of the
    process. Its first seed was `seeded_at` a line, and given again at another (`seeded_again_at`).
    It `run_on` where step() was called after an end, was `played_on` where another function had
    played it to an end, and was `reset_again` where a reset() came after another one. Its actions
    may be `narrow`. `constructed` is what its constructor drew from in a worker; reset() draws from
    what a `default_seed` decides. Its first episode was `given_up`. So many of its steps that were
    looked at returned a reward that is `not_finite`. A vectorizer has it in several of its places
    (`hosted`). The factory that made it looks up a variable of a loop after that (`late`).
    """

    pid: int
    row: int
    type: str
    location: Optional[Location] = None
    by: str = ""
    copied: bool = False
    closes: bool = True
    takes_seed: bool = True
    number: int = 1
    inherited: int = 0
    gone: int = 0
    closed: int = 0
    lost: int = 0
    unmade: int = 0
    raised: int = 0
    again: int = 0
    since: int = 0
    group: str = ""
    seed: Optional[int] = None
    reseeded: int = 0
    beginning: int = 0
    varied: bool = False
    same: int = 0
    alike: int = 0
    forced: bool = False
    generators: Tuple[int, ...] = ()
    moved: Tuple[str, ...] = ()
    set_back: Tuple[str, ...] = ()
    holds: int = 0
    arguments: int = 0
    drawn: bool = False
    drawn_again: bool = False
    error: Optional[Raised] = None
    earlier: Optional[Raised] = None
    step_digest: int = field(default=0, metadata=key("played"))
    turns: int = 0
    episode: int = 0
    optioned: int = 0
    not_finite: int = 0
    unseeded: Tuple[str, ...] = ()
    seeded_at: Optional[Location] = None
    seeded_again_at: Optional[Location] = None
    hidden: Tuple[HiddenAttribute, ...] = ()
    draws: Tuple[Draw, ...] = ()
    run_on: Optional[RunOn] = None
    played_on: Optional[PlayedOn] = None
    constructed: Tuple[ConstructorDraw, ...] = ()
    default_seed: Optional[DefaultSeed] = None
    given_up: Optional[GivenUpEpisode] = None
    reset_again: Optional[ResetAgain] = None
    kept: Optional[KeptInstances] = None
    hosted: Optional[HostedTwice] = None
    narrow: Optional[NarrowActions] = None
    late: Optional[LateVariable] = None
    make: Calls = Calls()
    reset: Calls = Calls()
    step: Calls = Calls()
    close: Calls = Calls()

    @property
    def made(self) -> int:
        """Births whose constructor did not raise."""
        return max(0, self.number - self.unmade)

    @property
    def unclosed(self) -> int:
        """Those that were never closed, whether they are gone or not."""
        return max(0, self.made - self.closed)

    @property
    def dropped(self) -> int:
        """Those that were freed without a close."""
        return max(0, self.lost - self.unmade)

    @property
    def is_called(self) -> bool:
        """True if it was reset or stepped."""
        return bool(self.reset.began or self.step.began)

    @property
    def is_forked_copy(self) -> bool:
        """True if it is one that its process did not make, but was forked with, and that was called
        there.
        """
        return self.inherited == 1 and not self.number and self.is_used

    @property
    def is_used(self) -> bool:
        """True if they were made or called here, and not only inherited."""
        return bool(self.number or self.reset.began or self.step.began or self.close.began)

    @property
    def stopped(self) -> bool:
        """True if a call raised, and none came back after it."""
        return self.raised > 0 and self.since == 0

    def was_stopped_in(self, method: str) -> bool:
        """Return whether a call of a method may have raised, and none came back after it."""
        return self.is_unmade if method == "make" else self.stopped

    @property
    def is_unmade(self) -> bool:
        """True if the constructor of all of them raised."""
        return self.unmade > 0 and not self.made

    @property
    def is_bare_copy(self) -> bool:
        """True if they are copies that were never reset: nothing was taken for them."""
        return self.copied and not self.reset.began

    @property
    def running(self) -> str:
        """The method of which a call did not come back, or nothing."""
        methods = ("step", "reset", "close", "make")
        return next((name for name in methods if self.calls(name).running), "")

    def calls(self, method: str) -> Calls:
        """Those of a method."""
        return {"make": self.make, "reset": self.reset, "step": self.step}.get(method, self.close)

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]

    @property
    def place(self) -> str:
        """`train.py:12`, or nothing."""
        return "%s:%d" % (self.location.file, self.location.line) if self.location else ""
