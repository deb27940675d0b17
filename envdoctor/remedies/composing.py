"""From what a remedy aims at to candidates: sets of edits that might reach it, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from envdoctor.model.remedy import (
    TOP,
    AcceptZero,
    Aim,
    AwaitCall,
    BindLate,
    BreakCycle,
    CallInClose,
    Clear,
    CloseAtExit,
    CloseMade,
    CopyAction,
    CopyReturned,
    CutCycle,
    Edit,
    EndHeld,
    EndTask,
    Forget,
    ForgetFreed,
    GiveDefaults,
    GoOn,
    Import,
    JoinFirst,
    KeepSpace,
    LeaveOut,
    LogPrints,
    MakeOnce,
    MakeOwn,
    Member,
    MoveAboveGuard,
    OpenAgain,
    OwnRandom,
    PassOn,
    PassSeed,
    RefusePrivateNames,
    Release,
    ReleaseOld,
    Remove,
    ReturnAll,
    ReturnNumber,
    SeedAll,
    SeedOnce,
    SeedWhenGiven,
    Skip,
    SpreadSeeds,
    StoreAtOnce,
    TakeLater,
    Unblock,
    WaitForKilled,
)
from envdoctor.remedies import (
    closing,
    coroutines,
    declaring,
    drawing,
    exiting,
    factories,
    loosening,
    owning,
    releasing,
    removing,
    reopening,
    returning,
    seeding,
    storing,
    training,
    training_loops,
    unblocking,
    waiting,
)
from envdoctor.remedies.source import Source

Candidate = tuple[Edit, ...]


def candidates(aim: Aim, source: Source) -> Iterator[Candidate]:
    """Sets of edits, each once. None where the source does not say enough."""
    yielded: set[Candidate] = set()
    for edits in COMPOSERS[type(aim)](aim, source):
        if edits and edits not in yielded:
            yielded.add(edits)
            yield edits


def _import(aim: Import, _source: Source) -> Iterator[Candidate]:
    yield (Edit(aim.file, TOP, (aim.statement,)),)


Compose = Callable[[Any, Source], Iterator[Candidate]]

COMPOSERS: dict[type, Compose] = {
    Release: releasing.release,
    ReleaseOld: releasing.release_old,
    Skip: closing.skip,
    GoOn: closing.go_on,
    TakeLater: closing.take_later,
    Forget: closing.forget,
    Clear: closing.clear,
    CallInClose: closing.call_in_close,
    CutCycle: closing.cut_cycle,
    Remove: removing.remove,
    LeaveOut: removing.leave_out,
    LogPrints: removing.log_prints,
    GiveDefaults: declaring.give_defaults,
    RefusePrivateNames: declaring.refuse_private_names,
    MoveAboveGuard: declaring.move_above_guard,
    CopyReturned: returning.copy_returned,
    ReturnNumber: returning.return_number,
    CopyAction: returning.copy_action,
    MakeOwn: owning.make_own,
    Unblock: unblocking.unblock,
    KeepSpace: declaring.keep_space,
    ReturnAll: returning.return_all,
    OwnRandom: drawing.own_random,
    SeedAll: drawing.seed_all,
    PassSeed: seeding.pass_seed,
    SeedWhenGiven: seeding.seed_when_given,
    AcceptZero: seeding.accept_zero,
    Import: _import,
    Member: closing.add_member,
    PassOn: closing.pass_on,
    CloseMade: training.close_made,
    BindLate: factories.bind_late,
    SpreadSeeds: factories.spread_seeds,
    JoinFirst: training.join_first,
    MakeOnce: training_loops.make_once,
    SeedOnce: training_loops.seed_once,
    EndHeld: releasing.end_held,
    OpenAgain: reopening.open_again,
    ForgetFreed: reopening.forget_freed,
    WaitForKilled: waiting.wait_for_killed,
    CloseAtExit: exiting.close_at_exit,
    StoreAtOnce: storing.store_at_once,
    AwaitCall: coroutines.await_call,
    EndTask: coroutines.end_task,
    BreakCycle: loosening.break_cycle,
}
