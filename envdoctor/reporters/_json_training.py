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


def named(value: object, names: str) -> Document:
    """Attributes of a value, under their own names."""
    return {name: getattr(value, name) for name in names.split()}


def training(training: Training) -> Document:
    """Return the training as JSON. Readings stay in the saved run: the document has their
    results.
    """
    return {
        "command": list(training.command),
        **named(training, "pid code seconds over attached"),
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
        **named(process, "pid parent command started python code ended unfollowed"),
        "raised": process.raised and _raised(process.raised),
    }


def _standstill(standstill: Standstill) -> Document:
    waits = [
        {
            **named(each, "pid command call on way"),
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
        "location": location(site.location),
        **named(site, "function made gone closed idle reused alive workers"),
    }


def _raised(raised: Raised) -> Document:
    return {"type": raised.type, "message": raised.message, "location": location(raised.location)}


def _instances(instances: Instances) -> Document:
    return {
        "pid": instances.pid,
        "row": instances.row,
        "type": instances.type,
        "location": location(instances.location),
        **named(
            instances,
            "by copied closes number inherited gone closed lost unmade raised again since group"
            " seed reseeded varied",
        ),
        "make": _calls(instances.make),
        "reset": _calls(instances.reset),
        "step": _calls(instances.step),
        "close": _calls(instances.close),
    }


def location(place: Location | None) -> Document | None:
    """Return a place in source code."""
    return named(place, "file line function") if place else None


def _calls(calls: Calls) -> Document:
    return {"began": calls.began, "ended": calls.ended}


def _long_call(long_call: LongCall) -> Document:
    return named(long_call, "pid row method seconds still stacks waiter usual")


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
        **named(child_series, "pid caller command collector ended"),
        "written": [
            reading.written for reading in (child_series.readings[0], child_series.readings[-1])
        ],
        "growth": _meter(growth(child_series.readings, WRITTEN)),
    }


def _meter(item: TrainingGrowth) -> Document:
    return named(item, "meter verdict per rate rise over steps reason")


def _holder(holder: TrainingHolder) -> Document:
    return named(holder, "chain type grew length resets steps element bound side owner keeps")
