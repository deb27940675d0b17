"""Whatever a journal holds, there is a report of it: values of a real run are replaced by
others, some hundred times.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.report import Report
from envdoctor.model.trace import Trace
from envdoctor.plan.follow_ups import follow_ups
from envdoctor.reporters import formats, json_v1, reporter, terminal
from envdoctor.request.request import Request
from envdoctor.request.specs import parse
from envdoctor.rules.engine.registry import Rule, all_rules
from envdoctor.run import examine
from envdoctor.run.supervise.journal_reader import decode
from envdoctor.verdict import triage
from envdoctor.verdict.diagnosis import Examined, Run, RunEvidence, judged, report_on

SPEC = "CartPole-v1"
ROUNDS = 15  # for each of the seeds
JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    10**30,
    1.5,
    float("nan"),
    "",
    "x",
    "step:20@1",
    "\ud800",
    "\x1b[2J",
    "\u202e[red]",
    [],
    {},
    [1, "a", None],
    {"a": 1},
    {"a": {"b": []}},
    [[]],
    [{}],
)


@contextmanager
def overheard() -> Iterator[list[Trace]]:
    """Every trace that is played within."""
    played: list[Trace] = []
    play = examine.Play.__call__

    def keep(self: examine.Play, scenario: Any) -> Trace | None:
        trace = play(self, scenario)
        played.extend([trace] if trace else [])
        return trace

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examine.Play, "__call__", keep)
        yield played


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    with overheard() as played:
        examine.examine(Request((parse(SPEC, {}, (), str(Path.cwd())),)), lambda _line: None)
    assert sum(len(trace.events) for trace in played) > 100
    return played


@pytest.fixture(scope="module")
def rules() -> tuple[Rule, ...]:
    return tuple(all_rules().values())


def mutated(lot: random.Random, value: Any) -> Any:
    """The value with something in it replaced, or gone."""
    if isinstance(value, dict) and value and lot.random() < 0.8:
        key = lot.choice(list(value))
        rest = {name: entry for name, entry in value.items() if name != key}
        return rest if lot.random() < 0.1 else {**rest, key: mutated(lot, value[key])}
    if isinstance(value, list) and value and lot.random() < 0.7:
        at = lot.randrange(len(value))
        return [*value[:at], mutated(lot, value[at]), *value[at + 1 :]]
    return lot.choice(JUNK)


def disturbed(lot: random.Random, traces: list[Trace]) -> list[Trace]:
    """The traces with a few events changed, lost, or told twice, as the doctor would have read
    them.
    """
    changed = list(traces)
    for _ in range(lot.randint(1, 4)):
        at = lot.randrange(len(changed))
        events: list[Any] = list(changed[at].events)
        # A journal has few facts among its events, and most of what is told comes from them.
        facts = [number for number, event in enumerate(events) if event["event"] == "fact"]
        which = lot.choice(facts if facts and lot.random() < 0.6 else range(len(events)))
        events[which : which + 1] = lot.choice(
            [[], [events[which]] * 2, *[[mutated(lot, events[which])]] * 8]
        )
        heard = [decode(json.dumps(event).encode()) for event in events]
        changed[at] = replace(changed[at], events=tuple(event for event in heard if event))
    return changed


def reported(traces: list[Trace], rules: tuple[Rule, ...]) -> Report:
    """Return the report that examine() makes once all scenarios are played."""
    seen = RunEvidence(
        parse(SPEC, {}, (), ""), tuple(traces), {"cores": 2, "memory": 1 << 30}, seconds=1.0
    )
    judgement = judged(seen, rules)
    follow_ups(judgement.findings, traces)
    return report_on(Run(seconds=1.0), [Examined(seen, judgement)])


@pytest.mark.everything(but=["0"])
@pytest.mark.parametrize("seed", range(6))
def test_a_report_of_any_journal(traces: list[Trace], rules: tuple[Rule, ...], seed: int) -> None:
    lot = random.Random(seed)
    for _ in range(ROUNDS):
        report = reported(disturbed(lot, traces), rules)
        screen = terminal.render(report, verbosity=2)
        assert not {
            character
            for character in screen
            if unicodedata.category(character) in ("Cc", "Cf", "Cs")
        } - {"\n"}
        assert json.loads(json_v1.render(report))["version"] == 1
        for name in formats():
            assert reporter(name)(report, directory=str(Path.cwd())) or name == "github"
        triage.exit_code(report, "error", allow_inconclusive=False)


def test_an_undisturbed_one_is_healthy(traces: list[Trace], rules: tuple[Rule, ...]) -> None:
    assert not [
        finding for finding in reported(traces, rules).findings if finding.severity != "note"
    ]
