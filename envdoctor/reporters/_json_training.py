"""A watched training in the JSON document, version 1: every key is named here."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from envdoctor.analysis.training_growth import Growth, growth, growths
from envdoctor.model.finding import Location
from envdoctor.model.training import (
    Calls,
    Instances,
    Process,
    Raised,
    Site,
    Standstill,
    Training,
)
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_growth import WRITTEN, ChildSeries, Holder, Series

Document = dict[str, Any]


def training(seen: Training) -> Document:
    """What `watch` saw. Readings stay in the saved run: the document has what they say."""
    return {
        "command": list(seen.command),
        "pid": seen.pid,
        "code": seen.code,
        "seconds": seen.seconds,
        "over": seen.over,
        "attached": seen.attached,
        "still": [asdict(one) for one in seen.still],
        "processes": [_process(one) for one in seen.processes],
        "instances": [_instances(one) for one in seen.instances],
        "long_calls": [_long_call(one) for one in seen.long_calls],
        "left": [_process(one) for one in seen.left],
        "silent": [
            {"pid": one.pid, "command": one.command, "reason": one.reason} for one in seen.silent
        ],
        "failed": list(seen.failed),
        "growth": [_series(one, seen.attached) for one in seen.series],
        "controls": [asdict(one) for one in seen.controls],
        "alive": [asdict(one) for one in seen.alive],
        "refused": [asdict(one) for one in seen.refused],
        "children": [_child(one) for one in seen.children],
        "sites": [_site(one) for one in seen.sites],
        "standstill": seen.standstill and _standstill(seen.standstill),
    }


def _process(one: Process) -> Document:
    return {
        "pid": one.pid,
        "parent": one.parent,
        "command": one.command,
        "started": one.started,
        "python": one.python,
        "code": one.code,
        "ended": one.ended,
        "unfollowed": one.unfollowed,
        "raised": one.raised and _raised(one.raised),
    }


def _standstill(one: Standstill) -> Document:
    waits = [
        {
            "pid": each.pid,
            "command": each.command,
            "call": each.call,
            "on": each.on,
            "way": each.way,
            "peers": list(each.peers),
            "known": each.known,
            "main": each.main,
        }
        for each in one.waits
    ]
    return {"seconds": one.seconds, "waits": waits, "stacks": one.stacks}


def _site(one: Site) -> Document:
    return {
        "pid": one.pid,
        "kind": one.kind,
        "type": one.type,
        "location": _location(one.location),
        "function": one.function,
        "made": one.made,
        "gone": one.gone,
        "closed": one.closed,
        "idle": one.idle,
        "reused": one.reused,
        "alive": one.alive,
        "workers": one.workers,
    }


def _raised(one: Raised) -> Document:
    return {"type": one.type, "message": one.message, "location": _location(one.location)}


def _instances(one: Instances) -> Document:
    return {
        "pid": one.pid,
        "row": one.row,
        "type": one.type,
        "location": _location(one.location),
        "by": one.by,
        "copied": one.copied,
        "closes": one.closes,
        "number": one.number,
        "inherited": one.inherited,
        "gone": one.gone,
        "closed": one.closed,
        "lost": one.lost,
        "unmade": one.unmade,
        "raised": one.raised,
        "again": one.again,
        "since": one.since,
        "group": one.group,
        "seed": one.seed,
        "reseeded": one.reseeded,
        "varied": one.varied,
        "make": _calls(one.make),
        "reset": _calls(one.reset),
        "step": _calls(one.step),
        "close": _calls(one.close),
    }


def _location(place: Location | None) -> Document | None:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "function": place.function}


def _calls(one: Calls) -> Document:
    return {"began": one.began, "ended": one.ended}


def _long_call(one: LongCall) -> Document:
    return {
        "pid": one.pid,
        "row": one.row,
        "method": one.method,
        "seconds": one.seconds,
        "still": one.still,
        "stacks": one.stacks,
        "waiter": one.waiter,
        "usual": one.usual,
    }


def _series(one: Series, attached: bool) -> Document:
    return {
        "pid": one.pid,
        "meters": [_meter(found) for found in growths(one.readings, attached)],
        "holders": [_holder(held) for held in one.holders],
        "filling": one.filling and asdict(one.filling),
        "looks": one.looks,
        "paused": one.paused,
    }


def _child(one: ChildSeries) -> Document:
    return {
        "pid": one.pid,
        "caller": one.caller,
        "command": one.command,
        "collector": one.collector,
        "ended": one.ended,
        "written": [reading.written for reading in (one.readings[0], one.readings[-1])],
        "growth": _meter(growth(one.readings, WRITTEN)),
    }


def _meter(one: Growth) -> Document:
    return {
        "meter": one.meter,
        "verdict": one.verdict,
        "per": one.per,
        "rate": one.rate,
        "rise": one.rise,
        "over": one.over,
        "steps": one.steps,
        "reason": one.reason,
    }


def _holder(one: Holder) -> Document:
    return {
        "chain": one.chain,
        "type": one.type,
        "grew": one.grew,
        "length": one.length,
        "resets": one.resets,
        "steps": one.steps,
        "element": one.element,
        "bound": one.bound,
        "side": one.side,
        "owner": one.owner,
        "keeps": one.keeps,
    }
