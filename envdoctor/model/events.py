"""The journal's lines: what probe and workers write, one JSON object a line, and what survives their death.

Every event has `event` (its kind, below), `t` (seconds, CLOCK_MONOTONIC, comparable between the processes of one machine)
and `pid`. The kinds and their further keys:

`verb`      at (index in the script), verb, state "began" | "ended" | "raised"; ended: seconds, and steps for `step`, cycles and
            cycle_seconds (of the last one) for `warm`, block for `block`; raised: seconds, error. Written by the player, in the
            probe's own process.
`reading`   point, life, sensors: {sensor: {key: description}} or {sensor: number}. Points of a life, in order:
            "before" (before make), "made", "reset", "stepped" (while it lives), "held" (closed, the object still
            referenced), "dropped" (last reference gone, nothing collected), "collected" (after gc and up to 2 s).
`instance`  what: making, made, make-raised, reset, reset-raised, step-raised, closing, closed, close-raised, finalized;
            serial (counts the constructions of one process: an instance is (pid, serial)), id (of the innermost
            environment object), parent (true in the probe's own process), error where raised,
            base (serial of the innermost object; changes when an environment swaps it), type (its class).
`inner`     what "closed": an instance of the watched class was closed; base, id.
`taking`    what "descriptor" | "thread" | "process" | "file" | "port", target (text), frame (user's file, line, function), verb.
`workers`   pids: the manager's worker processes, after launch, in the order in which they were started.
`worker-exit`  pid_of_worker, code (negative: signal): how a worker ended, as its process object tells in the parent (`pid`); where
            that hangs, as the doctor saw it.
`fact`      key, value: what a verb found out (survey, check, pickle, holders, census, shared-memory).
`scenario`  state "began" | "ended"; ended: dirty, the sensors whose readings did not come back.

A `block` is {creates, resets (those at episode ends, too), steps, renders, seconds, before: {meter: number}, after: {meter:
number}, uncollected: {before, after, garbage} or null, and under a manager with workers, workers: [{pid, before, after}]}.
`before` and `after` are read at rest; `uncollected` before the collector ran, which was off during the block (null where it
had to be let loose); garbage counts the objects that the collector took apart itself, without those whose finalizers did.
Meters: objects (Python's blocks), tracked (objects that the collector knows), heap (bytes of malloc), descriptors, threads,
processes, files (in TMPDIR), segments (of shared memory), data and rss (bytes; context only).

Facts of the hunt for growth:
`sensitivity`  tier "exact" | "degraded", reasons, sees: {meter: least amount a cycle}, missing: {meter: reason}.
`suspects`     cycles, types: [{type, grew}], holders: [{type, chain, and grew where it is the container that got longer}],
               caches: [{what, size, maxsize or null, grew, cleared}].
`allocations`  cycles (operations that were recorded), operation, native, mode "aggregated" | "all", file or null, records: [{count,
               bytes, per_cycle, allocator, frames: [{file, line, function}] innermost first, user: index of the first frame that
               is the user's own, or null}], and surviving: [{type, count}] where Python tells; or only missing: reason.

Error values are dicts: type ("module.Name"), message, frames (outermost first: file, line, function, text), user (index of the
last frame in the subject's own code, or null), and cause (type and message of what it was raised from, or "").
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

Event = Mapping[str, Any]
ErrorValue = Mapping[str, Any]

MAX_MESSAGE = 2000  # characters of an exception's text that are kept


def user_frame(error: Optional[ErrorValue]) -> Optional[Dict[str, Any]]:
    """The last frame of an error value that is the user's own code, or the last frame of all, or None."""
    if not error or not error.get("frames"):
        return None
    frames: List[Dict[str, Any]] = list(error["frames"])
    index = error.get("user")
    return frames[-1 if index is None else index]


def one_line(error: Optional[ErrorValue]) -> str:
    """`ValueError: message` on one line, for a sentence. What its library calls just `error` has the library's name: `pygame.error`."""
    if not error:
        return "no error"
    message = " ".join(str(error.get("message", "")).split())
    names = str(error.get("type", "Exception")).split(".")
    name = ".".join(names[-2:] if names[-1] == "error" else names[-1:])
    return "%s: %s" % (name, message) if message else name
