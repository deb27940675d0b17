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
            close-raised, finalized; resetting (seed: the last that a reset() was given,
            resets: how many ago; of the first three, and of another seed) and was-reset (it came
            back, where it has no other event); failing (the doctor raises now, instead of calling
            its reset()); serial (counts the constructions of one process: an
            instance is (pid, serial)), id (of the innermost environment object), parent (true in
            the probe's own process), error where raised, base (serial of the innermost object;
            changes when an environment swaps it), reset of a BaseEnv: real, real_id (the same of
            the environment in its `_env`), made: type (its class), watched (false: its end cannot
            be seen); reset,
            closing, finalized: resets (so far; only the first three, and those that swapped the
            innermost object, have an event; the first have random {before, after}: {generator:
            digest of its state}). finalized speaks of the object that was made.
`inner`     what "made" (with frame: the user's line, or null), "closed": of the watched class;
            "finalized": an object died that had taken the place of an innermost one; base, id.
`unraisable` what "finalizer" | "thread" | "task", where (function, class, thread or coroutine),
            error: Python printed it, and went on.
`acquisition` what "descriptor" | "thread" | "process" | "file" | "port" | "segment" |
            "container", target (text), frame (user's file, line, function, text, first line of the
            function, and caller: the same of where the user's code was entered), verb.
`effect`    sensor, key, old, new, frame: a line of the subject's code changed what belongs to the
            whole process.
`workers`   pids: the manager's worker processes, after launch, in the order in which they were
            started.
`worker-exit`  pid_of_worker, code (negative: signal): how a worker ended, as its process object
               tells in the parent (`pid`); where
            that hangs, as the doctor saw it, with its name.
`fact`      key, value: what a verb found out. Those of a kind in `model/facts/` have their meaning
            there, others below; besides: check, pickle, payloads, exceptions, respec, fate,
            holders, census, shared-memory, slot (the number by which its manager knows a worker,
            told in it), pinned (descriptors that a closed control of workers keeps), zombies
            (workers not yet waited for when their manager's close() returned).
`scenario`  state "began" | "ended"; ended: dirty, the sensors whose readings did not come back.

A `block` is {creates, resets (those at episode ends, too), steps, renders, seconds, before: {meter:
number}, after: {meter: number}, uncollected: {before, after, garbage} or null, and under a manager
with workers, workers: [{pid, before, after}]}. `before` and `after` are read at rest; `uncollected`
before the collector ran, which was off during the block (null where it had to be let loose);
garbage counts the objects that the collector took apart itself, without those whose finalizers did.
Meters: objects (Python's blocks), tracked (objects that the collector knows), heap (bytes of
malloc), descriptors, threads, processes, engine-containers, files (in TMPDIR),
segments (of shared memory), gpu (bytes), data and rss (bytes; context only).
`worker-memory`  [{pid, uss, pss, rss}] in bytes of each worker after its steps, with what it
                 started; empty where /proc does not tell.

A survey is read "before" its imports and when the subject is "imported": only what belongs to the
whole process. The fact on that: `imported` ([{sensor, key, old, new, by, users, place}]: what
importing the library `by` changed; users: it is the subject's own code).

`sources`: modules: [{module, file, names: that exist in it at run time, others: environments in it
that are not the subject}] that hold the subject's own code; builtins: its names there.

`actions`      what is played where actions are given, or made of the fields of a class: see
               `model/actions.py`.
`refused`      why the subject cannot be played, in any scenario.
`running`      verb (make, reset or close), running: {sensor: {key: text}} that was not there before
               the life: where an instance is closed and used again.
`last-step`    episode, step: where a whole episode hung, or its process died; told by the doctor.

`filled` of a `fill`: {stored, kept, seconds, observation (bytes), rose: {meter: since before the
first}, collected: {meter: what only the collector gave back}}; see `facts/replay_buffers.py`.

Error values are dicts: type ("module.Name"), message, frames (outermost first: file, line,
function, text), user (index of the last frame in the subject's own code, or null), cause (type and
message of what it was raised from, or ""), last (whether it came from the last line of each of its
functions, so that it kept none from running), and, where it would not arrive elsewhere, relay
({step: error}; steps: "dumps", "loads", "again") and rebuilt (why its class cannot be built of a
text and then travel, or "").
"""

from __future__ import annotations

from typing import Any, Mapping

Event = Mapping[str, Any]

# Later resets have an event only when they swapped the innermost object; the rest are counted.
RESETS_JOURNALLED = 3
MAX_MESSAGE = 2000  # characters of an exception's text that are kept
