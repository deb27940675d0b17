"""The JSON document, version 1.

Frozen: it names every key itself and is not a dump of the model, so that the model may change
without breaking programs that read the document. Within version 1 keys may be added, never removed
or given another meaning.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from envdoctor.analysis.instances import Innermost, Instance, instances
from envdoctor.model.facts import Handles, Suspects, as_json
from envdoctor.model.finding import ERROR, NOTE, WARNING, Finding, Passed, Skipped
from envdoctor.model.remedy import Change
from envdoctor.model.report import (
    DrawingReport,
    EpisodeReport,
    FaultReport,
    FindingOfFix,
    Fixes,
    GrowthReport,
    Report,
    StorageReport,
    SubjectReport,
    WorkerCost,
)
from envdoctor.model.trace import Trace
from envdoctor.reporters._json_training import Document, location, named, training

MAX_DEPTH = 20  # of nested evidence; below it stands the text of the value

PLATFORM = ("system", "release", "machine", "python")


def render(report: Report, **_options: object) -> str:
    """The report as one JSON document in ASCII, ending with a newline. Equal reports give equal
    text.
    """
    return written(plain(document(report)))


def written(value: object, indent: int | None = 2) -> str:
    """Plain values as strict JSON in ASCII, ending with a newline."""
    text = json.dumps(value, indent=indent, allow_nan=False)
    # DEL is the one control character that JSON leaves as it is; ##[ is an order to GitHub's runner
    # anywhere in a log.
    return text.replace("\x7f", "\\u007f").replace("##[", "#\\u0023[") + "\n"


def schema() -> str:
    """The JSON Schema of the document, as text."""
    return files(__package__).joinpath("report_v1.schema.json").read_text(encoding="utf-8")


def document(report: Report) -> Document:
    """The report as the document's values; evidence may still hold what JSON does not know."""
    return {
        "version": 1,
        "tool": {"name": "envdoctor", "version": report.version},
        "platform": dict.fromkeys(PLATFORM, "") | dict(sorted(report.platform.items())),
        "command": list(report.command),
        "seed": report.seed,
        "subjects": [_subject(subject) for subject in report.subjects],
        "findings": [_finding(finding) for finding in report.findings],
        "passed": [_judged(passed) for passed in report.passed],
        "skipped": [{**_judged(skipped), "reason": skipped.reason} for skipped in report.skipped],
        "scenarios": [_scenario(spec, trace) for spec, trace in report.traces],
        **({"fixes": _fixes(report.fixes)} if report.fixes else {}),
        "summary": _summary(report),
    }


def _subject(subject: SubjectReport) -> Document:
    return {
        "spec": subject.spec,
        "env_class": subject.env_class,
        "source": subject.source and {"file": subject.source.file, "line": subject.source.line},
        "managers": [
            {"manager": manager, "start_method": method} for manager, method in subject.managers
        ],
        "python": subject.python,
        "frameworks": dict(sorted(subject.frameworks.items())),
        "lacks": list(subject.lacks),
        "seconds": subject.seconds,
        "growth": [_growth(growth) for growth in subject.growth],
        "worker_costs": [_worker_cost(cost) for cost in subject.worker_costs],
        "faults": [_fault(fault) for fault in subject.faults],
        "storages": [_storage(storage) for storage in subject.storages],
        "episodes": [_episode(episode) for episode in subject.episodes],
        **({"training": training(subject.training)} if subject.training else {}),
        **({"actions": subject.actions.as_dict()} if subject.actions else {}),
        **({"drawing": _drawing(subject.drawing)} if subject.drawing else {}),
        **(
            {"services": [asdict(service) for service in subject.services]}
            if subject.services
            else {}
        ),
    }


def _episode(report: EpisodeReport) -> Document:
    return {
        **named(report, "manager start_method mode steps longest"),
        "ended": dict(report.ended),
        "bound": report.bound,
        "failed": report.failed,
    }


def _drawing(report: DrawingReport) -> Document:
    return {"context": report.context, "taken": report.acquired, "given_back": report.given_back}


def _storage(report: StorageReport) -> Document:
    return {
        "storage": report.storage,
        "class": report.class_name,
        **named(report, "missing place asked capacity reduced"),
        "forecast": {
            "per_transition": report.forecast,
            "parts": dict(report.parts),
            "bytes": report.forecast * report.asked,
            "rooms": dict(report.rooms),
        },
        "measured": report.measured,
        "points": list(report.points),
        "full": dict(report.full),
        "turns": [{"stored": turn.stored, "rose": dict(turn.rose)} for turn in report.turns],
        "verdict": report.kind,
        "collected": dict(report.collected),
        "dropped": (
            {"rose": dict(report.dropped.rose), "collected": dict(report.dropped.collected)}
            if report.dropped
            else {}
        ),
        "read": report.read,
        "wrong": report.wrong,
        "slices": asdict(report.slices) if report.slices else {},
        "ended": report.ended,
    }


def _worker_cost(cost: WorkerCost) -> Document:
    return named(cost, "manager start_method workers seconds uss pss fit suggested cores")


def _fault(fault: FaultReport) -> Document:
    return {
        **named(fault, "manager start_method framework fault worker sees call error close"),
        "workers_left": fault.workers,
        "zombies_left": fault.zombies,
        "unclosed": fault.unclosed,
        "leaks": dict(sorted(fault.leaks.items())),
        "seconds": fault.seconds,
    }


def _growth(growth: GrowthReport) -> Document:
    return {
        **named(growth, "manager start_method side cycles"),
        "blocks": list(growth.blocks),
        "meters": [
            {
                "meter": meter.meter,
                "verdict": meter.kind,
                "per_cycle": meter.rate,
                "deltas": list(meter.deltas),
                "per_operation": dict(meter.per_operation),
            }
            for meter in growth.meters
        ],
        "sensitivity": {
            "tier": growth.tier,
            "reasons": list(growth.reasons),
            "sees": dict(growth.sees),
        },
        "suspects": _suspects(growth.suspects),
        "allocations": growth.allocations.as_json() if growth.allocations else {},
        "ended": growth.ended,
    }


def _suspects(suspects: Suspects | None) -> Document:
    if suspects is None:
        return {}
    return {
        "cycles": suspects.cycles,
        "types": as_json(suspects.types),
        "holders": as_json(suspects.holders),
        "caches": as_json(suspects.caches),
    }


def _finding(finding: Finding) -> Document:
    return {
        **named(
            finding, "code name severity confidence blame subject manager start_method message"
        ),
        "evidence": _by_key(plain(finding.evidence)),
        "location": location(finding.location),
        "remedy": {
            "text": finding.remedy.text,
            "commands": list(finding.remedy.commands),
            "changes": [_change(change) for change in finding.remedy.changes],
        },
        "remedy_verified": finding.remedy.verified,
        "fingerprint": finding.fingerprint,
        "status": finding.status,
        "status_reason": finding.status_reason,
    }


def _fixes(fixes: Fixes) -> Document:
    return {
        "written": fixes.written,
        "files": [
            {
                "file": each.file,
                "sha256": each.examined,
                "changes": [_change(change) for change in each.changes],
            }
            for each in fixes.files
        ],
        "cured": [_of_fix(each) for each in fixes.cured],
        "left": [{**_of_fix(each), "reason": each.reason} for each in fixes.left],
    }


def _of_fix(each: FindingOfFix) -> Document:
    finding = each.finding
    return named(finding, "code subject manager start_method fingerprint")


def _change(change: Change) -> Document:
    return {
        "file": change.file,
        "line": change.line,
        "deleted": change.deleted,
        "lines": list(change.lines),
    }


def _judged(judged: Passed | Skipped) -> Document:
    return named(judged, "code subject manager start_method")


def _scenario(spec: str, trace: Trace) -> Document:
    scenario, outcome = trace.scenario, trace.outcome
    return {
        "script": scenario.script,
        "subject": spec,
        "manager": scenario.manager,
        "start_method": scenario.start_method,
        "outcome": outcome.kind,
        "seconds": outcome.seconds,
        "cycles": len(trace.lifecycles),
        "name": scenario.name,
        "control": scenario.control,
        "workers": scenario.workers,
        "options": dict(scenario.options),
        **named(outcome, "verb exit_code signal reason"),
        "instances": [_instance(instance) for instance in instances(trace)],
        "handles": as_json((trace.fact(Handles) or Handles()).handles),
    }


def _instance(instance: Instance) -> Document:
    return {
        **named(instance, "pid serial id type worker made_during resets more_resets"),
        "closings": [
            {"during": closing.during, "error": closing.error} for closing in instance.closings
        ],
        "finalized": instance.finalized,
        "same_address_as": instance.address_of,
        "innermost": [_innermost(innermost) for innermost in instance.objects],
    }


def _innermost(innermost: Innermost) -> Document:
    return {
        "serial": innermost.serial,
        "id": innermost.id,
        "same_address_as": innermost.address_of,
        "made_at": location(innermost.made_at),
        "closed_during": innermost.closed_during,
        "finalized": innermost.finalized,
    }


def _summary(report: Report) -> Document:
    return {
        "verdict": report.verdict,
        "errors": report.count(ERROR),
        "warnings": report.count(WARNING),
        "notes": report.count(NOTE),
        "passed": len(report.passed),
        "skipped": len(report.skipped),
        "seconds": report.seconds,
        "interrupted": report.interrupted,
        "incomplete": report.incomplete,
        "stale": list(report.stale),
    }


def plain(value: object, depth: int = 0) -> Any:
    """`value` in what JSON knows: NaN is null, keys are strings, sets are sorted, anything odd
    is its text.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        return {_text(key): plain(entry, depth + 1) for key, entry in value.items()}
    if depth < MAX_DEPTH and isinstance(value, (list, tuple)):
        return [plain(entry, depth + 1) for entry in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_text(entry) for entry in value)
    return _text(value)


def _by_key(value: object) -> object:
    """`value` with every mapping sorted: evidence is keyed by what was found, in no order that
    means anything.
    """
    if isinstance(value, dict):
        return {key: _by_key(entry) for key, entry in sorted(value.items())}
    return [_by_key(entry) for entry in value] if isinstance(value, list) else value


def _text(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "backslashreplace")
    try:
        return str(value)
    except Exception:  # a __str__ that raises must not cost the user the report
        return f"<{type(value).__name__} that cannot be shown>"
