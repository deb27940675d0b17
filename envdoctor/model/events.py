"""The journal's lines: what probe and workers write, one JSON object a line, and what survives their death.

Every event has `event` (its kind, below), `t` (seconds, CLOCK_MONOTONIC, comparable between the processes of one machine)
and `pid`. The kinds and their further keys:

`verb`      at (index in the script), verb, state "began" | "ended" | "raised"; ended: seconds, and steps for `step`;
            raised: seconds, error. Written by the player, in the probe's own process.
`reading`   point, life, sensors: {sensor: {key: description}} or {sensor: number}. Points of a life, in order:
            "before" (before make), "made", "reset", "stepped" (while it lives), "held" (closed, the object still
            referenced), "dropped" (last reference gone, nothing collected), "collected" (after gc and up to 2 s).
`instance`  what: making, made, make-raised, reset, reset-raised, step-raised, closing, closed, close-raised, finalized;
            serial (counts the constructions of one process: an instance is (pid, serial)), id (of the innermost
            environment object), parent (true in the probe's own process), error where raised,
            base (serial of the innermost object; changes when an environment swaps it), type (its class).
`inner`     what "closed": an instance of the watched class was closed; base, id.
`taking`    what "descriptor" | "thread" | "process" | "file" | "port", target (text), frame (user's file, line, function), verb.
`workers`   pids: the manager's worker processes, after launch.
`worker-exit`  pid_of_worker, code (negative: signal): how a worker ended, as its process object tells in the parent (`pid`).
`fact`      key, value: what a verb found out (survey, check, pickle, holders, census).
`scenario`  state "began" | "ended"; ended: dirty, the sensors whose readings did not come back.

Error values are dicts: type ("module.Name"), message, frames (outermost first: file, line, function, text), and user (index of the
last frame in the subject's own code, or null).
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
    """`ValueError: message` on one line, for a sentence."""
    if not error:
        return "no error"
    message = " ".join(str(error.get("message", "")).split())
    name = str(error.get("type", "Exception")).rsplit(".", 1)[-1]
    return "%s: %s" % (name, message) if message else name
