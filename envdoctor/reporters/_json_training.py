"""A watched training in the JSON document, version 1: every key is named here."""

from __future__ import annotations

from dataclasses import asdict

from envdoctor.analysis.training_growth import TrainingGrowth, growth, growths
from envdoctor.model.finding import Location
from envdoctor.model.training import Site, Standstill, Training, TrainingProcess
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_growth import WRITTEN, ChildSeries, Series, TrainingHolder
from envdoctor.model.training_instances import Calls, Instances, Raised

Document = dict[str, object]


def training(training: Training) -> Document:
    """Return the training as JSON. Readings stay in the saved run: the document has their
    results.
    """
    return {
        "command": list(training.command),
        "pid": training.pid,
        "code": training.code,
        "seconds": training.seconds,
        "over": training.over,
        "attached": training.attached,
        "still": [asdict(still) for still in training.still],
        "processes": [_process(process) for process in training.processes],
        "instances": [_instances(instance) for instance in training.instances],
        "long_calls": [_long_call(long_call) for long_call in training.long_calls],
        "left": [_process(process) for process in training.left],
        "silent": [
            {"pid": silent.pid, "command": silent.command, "reason": silent.reason}
            for silent in training.silent
        ],
        "failed": list(training.failed),
        "growth": [_series(series, training.attached) for series in training.series],
        "controls": [asdict(control) for control in training.controls],
        "alive": [asdict(alive) for alive in training.alive],
        "refused": [asdict(silent) for silent in training.refused],
        "children": [_child(child) for child in training.children],
        "sites": [_site(site) for site in training.sites],
        "standstill": training.standstill and _standstill(training.standstill),
    }


def _process(process: TrainingProcess) -> Document:
    return {
        "pid": process.pid,
        "parent": process.parent,
        "command": process.command,
        "started": process.started,
        "python": process.python,
        "code": process.code,
        "ended": process.ended,
        "unfollowed": process.unfollowed,
        "raised": process.raised and _raised(process.raised),
    }


def _standstill(standstill: Standstill) -> Document:
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
        for each in standstill.waits
    ]
    return {"seconds": standstill.seconds, "waits": waits, "stacks": standstill.stacks}


def _site(site: Site) -> Document:
    return {
        "pid": site.pid,
        "kind": site.kind,
        "type": site.type,
        "location": _location(site.location),
        "function": site.function,
        "made": site.made,
        "gone": site.gone,
        "closed": site.closed,
        "idle": site.idle,
        "reused": site.reused,
        "alive": site.alive,
        "workers": site.workers,
    }


def _raised(raised: Raised) -> Document:
    return {"type": raised.type, "message": raised.message, "location": _location(raised.location)}


def _instances(instances: Instances) -> Document:
    return {
        "pid": instances.pid,
        "row": instances.row,
        "type": instances.type,
        "location": _location(instances.location),
        "by": instances.by,
        "copied": instances.copied,
        "closes": instances.closes,
        "number": instances.number,
        "inherited": instances.inherited,
        "gone": instances.gone,
        "closed": instances.closed,
        "lost": instances.lost,
        "unmade": instances.unmade,
        "raised": instances.raised,
        "again": instances.again,
        "since": instances.since,
        "group": instances.group,
        "seed": instances.seed,
        "reseeded": instances.reseeded,
        "varied": instances.varied,
        "make": _calls(instances.make),
        "reset": _calls(instances.reset),
        "step": _calls(instances.step),
        "close": _calls(instances.close),
    }


def _location(place: Location | None) -> Document | None:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "function": place.function}


def _calls(calls: Calls) -> Document:
    return {"began": calls.began, "ended": calls.ended}


def _long_call(long_call: LongCall) -> Document:
    return {
        "pid": long_call.pid,
        "row": long_call.row,
        "method": long_call.method,
        "seconds": long_call.seconds,
        "still": long_call.still,
        "stacks": long_call.stacks,
        "waiter": long_call.waiter,
        "usual": long_call.usual,
    }


def _series(series: Series, attached: bool) -> Document:
    return {
        "pid": series.pid,
        "meters": [_meter(result) for result in growths(series.readings, attached)],
        "holders": [_holder(held) for held in series.holders],
        "filling": series.filling and asdict(series.filling),
        "looks": series.looks,
        "paused": series.paused,
    }


def _child(child_series: ChildSeries) -> Document:
    return {
        "pid": child_series.pid,
        "caller": child_series.caller,
        "command": child_series.command,
        "collector": child_series.collector,
        "ended": child_series.ended,
        "written": [
            reading.written for reading in (child_series.readings[0], child_series.readings[-1])
        ],
        "growth": _meter(growth(child_series.readings, WRITTEN)),
    }


def _meter(item: TrainingGrowth) -> Document:
    return {
        "meter": item.meter,
        "verdict": item.verdict,
        "per": item.per,
        "rate": item.rate,
        "rise": item.rise,
        "over": item.over,
        "steps": item.steps,
        "reason": item.reason,
    }


def _holder(holder: TrainingHolder) -> Document:
    return {
        "chain": holder.chain,
        "type": holder.type,
        "grew": holder.grew,
        "length": holder.length,
        "resets": holder.resets,
        "steps": holder.steps,
        "element": holder.element,
        "bound": holder.bound,
        "side": holder.side,
        "owner": holder.owner,
        "keeps": holder.keeps,
    }
