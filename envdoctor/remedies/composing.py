"""From what a remedy aims at to candidates: sets of edits that might reach it, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from envdoctor.model.environment_aims import (
    AcceptZero,
    AwaitCall,
    BreakCycle,
    CallInClose,
    CastEntry,
    Clear,
    CloseAtExit,
    CloseReplaced,
    CopyAction,
    CopyReturned,
    CopyWhole,
    CutCycle,
    DeclareSpace,
    DefineAtTop,
    DetachReturned,
    EndByMethod,
    EndHeld,
    EndTask,
    EndWait,
    FloatEntry,
    Forget,
    ForgetFreed,
    ForgetGiven,
    FreePort,
    GiveDefaults,
    GoOn,
    Import,
    KeepSpace,
    LeaveOut,
    LeaveSignals,
    LeaveToProcess,
    LimitInMainThread,
    LogPrints,
    LookUp,
    MakeEach,
    MakeOwn,
    Member,
    Mend,
    NameBeside,
    ObserveFirst,
    OneThread,
    OpenAgain,
    OwnCounters,
    OwnRandom,
    PassOn,
    PassSeed,
    RefusePrivateNames,
    Release,
    ReleaseOld,
    Remove,
    ReturnAll,
    ReturnArray,
    ReturnFlag,
    ReturnNumber,
    ReuseInner,
    SeedAll,
    SeedMade,
    SeedWhenGiven,
    SetBack,
    SetIfMissing,
    Skip,
    SortSets,
    StayInDirectory,
    StoreAtOnce,
    TakeBatches,
    TakeInstance,
    TakeLater,
    Unblock,
    UnlinkMapped,
    WaitForKilled,
)
from envdoctor.model.failure_aims import (
    BoundCache,
    EndFailed,
    KeepArguments,
    MakeAnew,
    RaiseEnd,
    ReadLast,
    ShareOut,
    TakeArguments,
    TakeSpaces,
)
from envdoctor.model.remedy import TOP, Aim, Edit
from envdoctor.model.training_aims import (
    BindLate,
    CloseMade,
    CopyBound,
    DeleteFolder,
    DrawOwn,
    EndEpisode,
    EndGivenUp,
    EndOnce,
    EnterContext,
    EvaluateOnly,
    GiveArgument,
    GiveSeed,
    GuardScript,
    JoinFirst,
    KeepOptions,
    LeaveWait,
    MakeHosted,
    MakeNothing,
    MakeOnce,
    MendFailure,
    MoveAboveGuard,
    OwnFiles,
    OwnSeeds,
    PlayFirst,
    RegisterWithout,
    ResetOnce,
    SeedActions,
    SeedOnce,
    SeedOther,
    SeedWorkers,
    SetBackAtEnd,
    SetBelow,
    SpreadSeeds,
)
from envdoctor.remedies import (
    caching,
    closing,
    copying,
    coroutines,
    declaring,
    drawing,
    exiting,
    factories,
    figures,
    giving_up,
    inheriting,
    log_handlers,
    loosening,
    mending,
    moving,
    native_blocks,
    own_threads,
    owning,
    process_state,
    processes,
    raising,
    releasing,
    removing,
    renewing,
    reopening,
    reset_arguments,
    returning,
    reusing,
    seeding,
    setting_back,
    storing,
    training,
    training_arrays,
    training_counts,
    training_draws,
    training_ends,
    training_episodes,
    training_evaluations,
    training_failures,
    training_folders,
    training_forks,
    training_ids,
    training_interfaces,
    training_jobs,
    training_limits,
    training_loops,
    training_owners,
    training_resets,
    training_seeds,
    training_settings,
    training_waits,
    training_workers,
    unblocking,
    waiting,
)
from envdoctor.remedies.source import Candidate, Source


def candidates(aim: Aim, source: Source) -> Iterator[Candidate]:
    """Sets of edits, each once. None where the source does not say enough."""
    yielded: set[Candidate] = set()
    for edits in COMPOSERS[type(aim)](aim, source):
        if edits and edits not in yielded:
            yielded.add(edits)
            yield edits


def _import(aim: Import, _source: Source) -> Iterator[Candidate]:
    yield (Edit(aim.file, TOP, (aim.statement,)),)


def _pass_on(aim: PassOn, source: Source) -> Iterator[Candidate]:
    """The close() of a wrapper goes on; and what it closes then gives back what it does not."""
    takes = isinstance(aim.inner, Release) and not inheriting.gives_back(source, aim.inner.places)
    for edits in closing.pass_on(aim, source):
        further = ((*edits, *more) for more in candidates(aim.inner, source)) if aim.inner else ()
        first = next(iter(further), ()) if takes else ()
        yield from (first, edits) if first else (edits,)
        yield from further


def _make_own(aim: MakeOwn, source: Source) -> Iterator[Candidate]:
    """Each gets its own; else what a module keeps is given back by its last user, or each gives
    back its own part of it; else each makes itself current before it is used.
    """
    yield from owning.make_own(aim, source)
    if len(aim.places) == 1 and aim.places[0].kind == "module":
        yield reusing.count_users(aim.places[0], source)
        yield reusing.own_handle(source)
    yield from owning.make_current(aim, source)


def _end_held(aim: EndHeld, source: Source) -> Iterator[Candidate]:
    """Give back what a library has made; else end what the environment holds."""
    yield from native_blocks.free_native(source)
    yield from renewing.build_anew(source)
    yield from renewing.empty_as_close_does(source)
    yield from releasing.end_held(aim, source)
    yield from releasing.close_pipes(aim, source)


def _close_made(aim: CloseMade, source: Source) -> Iterator[Candidate]:
    yield from training_workers.end_workers(aim.place, source)
    yield from training.close_made(aim, source)
    for place in filter(None, (aim.place, aim.other)):
        yield from training_owners.close_owner(place, source)
        yield from training_owners.close_argument(place, source)


def _spread_seeds(aim: SpreadSeeds, source: Source) -> Iterator[Candidate]:
    yield from factories.spread_seeds(aim, source)
    yield from training_seeds.spread_in_processes(aim, source)


Compose = Callable[[Any, Source], Iterator[Candidate]]


def _each(*composers: Compose) -> Compose:
    """The candidates of several, in their order."""
    return lambda aim, source: (each for compose in composers for each in compose(aim, source))


COMPOSERS: dict[type, Compose] = {
    Release: _each(log_handlers.release, releasing.release),
    ReleaseOld: releasing.release_old,
    Skip: closing.skip,
    GoOn: closing.go_on,
    TakeLater: closing.take_later,
    Forget: _each(closing.forget, caching.take_back, caching.own_cache),
    Clear: _each(log_handlers.clear, closing.clear, caching.bound_cache),
    CallInClose: _each(figures.close_figures, closing.call_in_close),
    CutCycle: closing.cut_cycle,
    Remove: removing.remove,
    LeaveOut: removing.leave_out,
    LogPrints: removing.log_prints,
    GiveDefaults: declaring.give_defaults,
    ReadLast: moving.read_last,
    RefusePrivateNames: declaring.refuse_private_names,
    MoveAboveGuard: declaring.move_above_guard,
    CopyReturned: _each(training_arrays.copy_views, returning.copy_returned),
    ReturnNumber: returning.return_number,
    CopyAction: returning.copy_action,
    MakeOwn: _make_own,
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
    PassOn: _pass_on,
    CloseMade: _close_made,
    BindLate: factories.bind_late,
    OwnFiles: factories.own_files,
    SpreadSeeds: _spread_seeds,
    OwnSeeds: training_seeds.own_seeds,
    GiveSeed: training_seeds.give_seed,
    GiveArgument: training_seeds.give_argument,
    SeedOther: training_seeds.seed_other,
    SeedActions: training_seeds.seed_actions,
    CopyBound: training_arrays.copy_bound,
    SetBackAtEnd: training_counts.set_back_at_end,
    DrawOwn: drawing.draw_own,
    JoinFirst: training.join_first,
    MakeHosted: factories.make_hosted,
    MakeNothing: training_loops.make_nothing,
    MakeOnce: training_loops.make_once,
    SeedOnce: training_loops.seed_once,
    SeedWorkers: training_draws.seed_workers,
    LeaveWait: training_waits.leave_wait,
    LeaveSignals: process_state.leave_signals,
    StayInDirectory: process_state.stay_in_directory,
    LimitInMainThread: process_state.limit_in_main_thread,
    FreePort: process_state.free_port,
    SetBack: _each(setting_back.set_back, setting_back.observe_first),
    ObserveFirst: setting_back.observe_first,
    TakeArguments: reset_arguments.take_arguments,
    TakeSpaces: declaring.take_spaces,
    SeedMade: _each(setting_back.seed_made, owning.make_current),
    SortSets: setting_back.sort_sets,
    DetachReturned: returning.detach_returned,
    FloatEntry: returning.float_entry,
    CastEntry: returning.cast_entry,
    ReturnArray: returning.return_array,
    ReturnFlag: returning.return_flag,
    OwnCounters: reusing.own_counters,
    ForgetGiven: owning.forget_given,
    ReuseInner: reusing.reuse_inner,
    CloseReplaced: reusing.close_replaced,
    MakeEach: reusing.make_each,
    GuardScript: training_failures.guard_script,
    DeclareSpace: declaring.declare_space,
    DefineAtTop: declaring.define_at_top,
    EndEpisode: training_episodes.end_episode,
    PlayFirst: training_episodes.play_first,
    RegisterWithout: training_ids.register_without,
    ResetOnce: training_resets.reset_once,
    DeleteFolder: training_folders.delete_folder,
    EvaluateOnly: training_evaluations.evaluate_only,
    EndGivenUp: training_jobs.end_given_up,
    EndOnce: training_ends.end_once,
    MendFailure: _each(
        training_failures.mend_failure,
        training_forks.hand_classes,
        training_ids.register_in_module,
        training_interfaces.follow_interface,
        training_limits.limit_episodes,
    ),
    EndHeld: _end_held,
    EndFailed: giving_up.end_failed,
    OpenAgain: reopening.open_again,
    ForgetFreed: reopening.forget_freed,
    WaitForKilled: processes.wait_for_killed,
    CloseAtExit: exiting.close_at_exit,
    StoreAtOnce: storing.store_at_once,
    AwaitCall: coroutines.await_call,
    EndTask: coroutines.end_task,
    EnterContext: coroutines.enter_context,
    SetBelow: training_settings.set_below,
    KeepOptions: training_settings.keep_options,
    BreakCycle: loosening.break_cycle,
    EndWait: waiting.end_wait,
    Mend: mending.mend,
    ShareOut: mending.share_out,
    BoundCache: caching.bound_cache,
    CopyWhole: declaring.copy_whole,
    KeepArguments: copying.keep_arguments,
    MakeAnew: copying.make_anew,
    RaiseEnd: raising.raise_end,
    SetIfMissing: removing.set_if_missing,
    LookUp: declaring.look_up,
    OneThread: own_threads.one_thread,
    EndByMethod: closing.end_by_method,
    NameBeside: process_state.name_beside,
    LeaveToProcess: removing.leave_to_process,
    UnlinkMapped: removing.unlink_mapped,
    TakeBatches: returning.take_batches,
    TakeInstance: _each(owning.take_instance, owning.make_current),
}
