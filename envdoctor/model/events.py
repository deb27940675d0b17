"""The journal's lines: what probe and workers write, one JSON object a line, and what survives
their death.

Every event has `event` (its kind, below), `t` (seconds, CLOCK_MONOTONIC, comparable between the
processes of one machine) and `pid`. The kinds and their further keys:

`verb`      at (index in the script), verb, state "began" | "ended" | "raised"; ended: seconds, and
            steps for `step`, cycles and cycle_seconds (of the last one) for `warm`, block for
            `block`; for `episode` steps, episodes: [{step, how}], instances, and bound ("steps" or
            "time" where that ended it before); where the plain life's reset or step asked for
            garbage collections, collections: [{file, line, function, count, seconds}]; raised:
            seconds, error, and episode and step of a whole episode. Written by the player, in the
            probe's own process.
`reading`   point, life, sensors: {sensor: {key: description}} or {sensor: number}. Points of a
            life, in order: "before" (before make), "made", "reset", "stepped", "rendered" (while it
            lives), "held" (closed, the object still referenced), "dropped" (last reference gone,
            nothing collected), "collected" (after gc and up to 2 s).
`instance`  what: making, made, make-raised, reset, reset-raised, step-raised, closing, closed,
            close-raised, finalized; failing (the doctor raises now, instead of calling its
            reset()); serial (counts the constructions of one process: an instance is (pid,
            serial)), id (of the innermost environment object), parent (true in the probe's own
            process), error where raised, base (serial of the innermost object; changes when an
            environment swaps it), reset of a BaseEnv: real, real_id (the same of the environment in
            its `_env`), made: type (its class), watched (false: its end cannot be seen); reset,
            closing, finalized: resets (so far; only the first three, and those that swapped the
            innermost object, have an event; the first have random {before, after}: {generator:
            digest of its state}). finalized speaks of the object that was made.
`inner`     what "made" (with frame: the user's line, or null), "closed": of the watched class;
            "finalized": an object died that had taken the place of an innermost one; base, id.
`unheard`   what "finalizer" | "thread", where (function, class or thread), error: Python printed
            it, and went on.
`taking`    what "descriptor" | "thread" | "process" | "file" | "port", target (text), frame (user's
            file, line, function, text, first line of the function, and caller: the same of where
            the user's code was entered), verb.
`effect`    sensor, key, old, new, frame: a line of the subject's code changed what belongs to the
            whole process.
`workers`   pids: the manager's worker processes, after launch, in the order in which they were
            started.
`worker-exit`  pid_of_worker, code (negative: signal): how a worker ended, as its process object
               tells in the parent (`pid`); where
            that hangs, as the doctor saw it.
`fact`      key, value: what a verb found out (survey, check, pickle, payloads, exceptions, respec,
            fate, holders, census, shared-memory, comparisons; slot: the number by which its manager
            knows a worker, told in it; pinned: descriptors that a closed control of workers keeps;
            zombies: workers not yet waited for when their manager's close() returned).
`scenario`  state "began" | "ended"; ended: dirty, the sensors whose readings did not come back.

A `block` is {creates, resets (those at episode ends, too), steps, renders, seconds, before: {meter:
number}, after: {meter: number}, uncollected: {before, after, garbage} or null, and under a manager
with workers, workers: [{pid, before, after}]}. `before` and `after` are read at rest; `uncollected`
before the collector ran, which was off during the block (null where it had to be let loose);
garbage counts the objects that the collector took apart itself, without those whose finalizers did.
Meters: objects (Python's blocks), tracked (objects that the collector knows), heap (bytes of
malloc), descriptors, threads, processes, files (in TMPDIR), segments (of shared memory), gpu
(bytes), data and rss (bytes; context only).
`worker-memory`  [{pid, uss, pss, rss}] in bytes of each worker after its steps, with what it
                 started; empty where /proc does not tell.
`gpu-memory`     [{pid, gpu, name, total, free, used}]: bytes that a worker holds on a GPU after its
                 steps, and what that GPU has; missing without a driver.

Facts of the survey with a training script:
`script`       path, guarded, calls: {line, text} of the top-level call that begins its work, or
               null; before it runs.
`script-ran`   seconds, built: [{name, line, text}], environments and models that its top level
               built.

A survey is read "before" its imports and when the subject is "imported": only what belongs to the
whole process. Facts on that: `printed` (point, life, at, bytes, lines, first: what came on standard
output since the reading before) and `imported` ([{sensor, key, old, new, by, users, place}]: what
importing the library `by` changed; users: it is the subject's own code).

`sources`: modules: [{module, file, names: that exist in it at run time, others: environments in it
that are not the subject}] that hold the subject's own code; builtins: its names there.
The fact `handles` lists attributes that hold something to be given back, followed across resets:
{name, type, releases: [method], resets, rebuilt (resets that put a new object there), replaced,
unreleased: how many, left: [what those still held], collectable (only the garbage collector
released it), kept (replaced ones that live, and hold nothing)}.

Facts of comparisons, each {calls (compared), unknown: [what cannot be compared], difference: null
or {call, step, key, what, place, values}}, where a scenario is over:
`same-seed`    two instances of one process; `reseeded` one instance and the same seed twice;
               `elsewhere`, `elsewhere-alike` another process that hashes otherwise, or alike;
               `mirrored` the instances of one manager among themselves.
`ended-alone`  the end of an instance's first episode under a manager against none, with scenario,
               manager, start_method, slot, seed, and: step and how ("terminated", "truncated",
               "done") each came to its end, alone and under the manager ([step, how] or null),
               calls (compared), difference (of steps before the end), final (whether there was a
               final observation), observation: difference of the final ones, lost: [keys of the
               final info that did not arrive], changed: [{key, alone, under}], begun: difference of
               the next episode's first observations; or skipped: reason.
`replayed`     one instance of a manager against none, with manager, start_method, slot, seed,
               seeds_matter (whether first observations differ between seeds; null where there was
               one seed), or skipped: reason.
`running`      verb (make, reset or close), running: {sensor: {key: text}} that was not there before
               the life: where an instance is closed and used again.
`last-step`    episode, step: where a whole episode hung, or its process died; told by the doctor.
`changed-later`  what was handed out and changed afterwards: see probe/comparison/handed_out.py.

Facts of the hunt for growth:
`sensitivity`  tier "exact" | "degraded", reasons, sees: {meter: least amount a cycle}, missing:
               {meter: reason}.
`suspects`     cycles, types: [{type, grew}], holders: [{type, chain, and grew where it is the
               container that got longer}], caches: [{what, size, maxsize or null, grew, cleared}].
`allocations`  cycles (operations that were recorded), operation, native, mode "aggregated" | "all",
               file or null, records: [{count, bytes, per_cycle, allocator, frames: [{file, line,
               function}] innermost first, user: index of the first frame that is the user's own, or
               null}], and surviving: [{type, count}] where Python tells; or only missing: reason.

Facts of replay storages, of which each scenario fills one (option `storage`; "none" keeps nothing):
`forecast`     {storage, missing: reason or ""}, and where it is there: class, place "memory" |
               "shared", copies (what it is given), sizes, parts: {part: bytes of one transition},
               rooms: {place: bytes that are free}, refused: why the framework takes none of the
               subject's transitions, or "", seconds (of one).
`fill` has     filled: {stored, kept, seconds, observation (bytes), rose: {meter: since before the
first}, collected: {meter: what only the collector
               gave back}}. Meters: memory (bytes, anonymous and shared), heap, objects, tracked,
               files.
`past`         full: {meter: rise until it was full}, turns: [those of fill, rose over that turn],
               flat, tolerated: {meter: rise that is nothing}, points: [bytes of memory at each
               reading], followed, alive: observations that live on though their places were taken,
               holder: what holds one, or ""; only {short: kept} where it was not full.
`kept`         compared, wrong: transitions that were read back, and that are not what was stored,
               slots, first: null or {key, place, what, values, slot}, shared: [slots in the same
               memory], mapped: [files in TMPDIR that are mapped], slices: {compared, transitions,
               wrong, torn, failed}, graph: {nodes: {key: computations that the last entry
               remembers}, and memory, heap, objects: what came back when they were detached}.
`emptied`      rose, collected, files: {path: bytes} that are there now and were not before,
               scratch: {how: {file: bytes}} of those of storages with a scratch_dir, or null.

Facts of instances that are used side by side:
`side-by-side` alone: comparison of two lives that were alone, instances: [comparison of each of the
others with the first of them].
`copied`       failed: why an instance could not be deep-copied, or its copy not stepped; null where
               it could.

`garbage`      cycles, types: [{type, count}] of what waits for the collector, chain: how one of
               them leads back to itself, or "".

Error values are dicts: type ("module.Name"), message, frames (outermost first: file, line,
function, text), user (index of the last frame in the subject's own code, or null), cause (type and
message of what it was raised from, or ""), last (whether it came from the last line of each of its
functions, so that it kept none from running), and, where it would not arrive elsewhere, relay
({step: error}; steps: "dumps", "loads", "again") and rebuilt (why its class cannot be built of a
text and then travel, or "").
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

Event = Mapping[str, Any]
ErrorValue = Mapping[str, Any]

# Later resets have an event only when they swapped the innermost object; the rest are counted.
RESETS_JOURNALLED = 3
MAX_MESSAGE = 2000  # characters of an exception's text that are kept


def user_frame(error: Optional[ErrorValue]) -> Optional[Dict[str, Any]]:
    """The last frame of an error value that is the user's own code, or the last frame of all,
    or None.
    """
    if not error or not error.get("frames"):
        return None
    frames: List[Dict[str, Any]] = list(error["frames"])
    index = error.get("user")
    return frames[-1 if index is None else index]


def kind_of(error: Optional[ErrorValue]) -> str:
    """`builtins.ValueError`, or nothing."""
    return str((error or {}).get("type", ""))


def one_line(error: Optional[ErrorValue]) -> str:
    """`ValueError: message` on one line, for a sentence. What its library calls just `error`
    has the library's name: `pygame.error`.
    """
    if not error:
        return "no error"
    message = " ".join(str(error.get("message", "")).split())
    names = str(error.get("type", "Exception")).split(".")
    name = ".".join(names[-2:] if names[-1] == "error" else names[-1:])
    return "%s: %s" % (name, message) if message else name
