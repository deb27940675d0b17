"""The plan, asked anew with a recording in hand: does it still ask for the scenarios that were
played? The product's own examination runs, with a session that serves recorded traces.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self
from unittest import mock

import click
from typer.main import get_command

from envdoctor.cli.main import app
from envdoctor.model.facts import Sources
from envdoctor.model.scenario import EPISODE, Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.episodes import lived
from envdoctor.run import examine, play
from envdoctor.run.supervise.limits import Limits
from envdoctor.verdict.diagnosis import RunEvidence
from tests.recorded.catalogue import Case
from tests.recorded.playing import folder_of


class AskedOtherwise(BaseException):
    """The plan asks for a scenario that was not played. No `except Exception` may stop it."""


class RecordedSession:
    """Plays nothing: serves the traces of a recording, each once, in their order."""

    def __init__(self, waiting: list[Trace], python: str, limits: Limits) -> None:
        self.waiting, self.python, self.limits = waiting, python, limits
        self.directory = Path("/nowhere")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def play(self, subject: object, scenario: Scenario, *_: object) -> Trace:
        """The recorded trace of a scenario. Raises AskedOtherwise where there is none."""
        for trace in self.waiting:
            if trace.scenario == scenario or _is_part_of(trace, scenario):
                self.waiting.remove(trace)
                return trace if trace.scenario == scenario else replace(trace, scenario=scenario)
        raise AskedOtherwise(f"the plan asks for {described(scenario)}")

    def renew(self) -> None: ...

    def request_stop(self) -> None: ...

    def expect_parting(self, place: str) -> None: ...


def _is_part_of(trace: Trace, asked: Scenario) -> bool:
    """True for what a life with a whole episode became: the episode alone, or, where the life did
    not go well, the life alone.
    """
    if not asked.traits.plain or not asked.serves_as(EPISODE):
        return False
    is_episode = trace.scenario == replace(asked, name=EPISODE)
    is_life = trace.scenario.traits.plain and trace.scenario.place == asked.place
    return is_episode or (is_life and not lived(asked.place, [trace]))


class RecordedPlay(play.Play):
    """Play whose knowledge of the source and of the machine is the recording's."""

    recorded: RunEvidence

    def check_names(self, files: Sources) -> None: ...

    def evidence(self, **more: Any) -> RunEvidence:
        """Return the evidence so far."""
        return RunEvidence(
            self.subject, tuple(self.traces), self.machine, self.recorded.read, **more
        )

    @property
    def machine(self) -> dict[str, int]:
        """Return the resources of the machine that a run might use there."""
        return dict(self.recorded.machine)

    @property
    def memory(self) -> int:
        """Bytes of memory that a run might use there."""
        return self.machine["memory"]

    @property
    def available(self) -> int:
        """Bytes of memory that were free there."""
        return self.machine["available"]


class Examined(BaseException):
    """All was asked for: a report is not needed."""


@cache
def command() -> click.Command:
    """The command line of the product; to build its parser takes long."""
    return get_command(app)


def described(scenario: Scenario) -> str:
    """`life [gymnasium-async, fork]: make reset ...`."""
    return f"{scenario.name} {play.place_of(scenario)}: {scenario.script}"


def asked_otherwise(case: Case, evidence: RunEvidence) -> list[str]:
    """Return the first difference between the requests of today's plan and those of the plan that
    made a recording, or nothing. A training has no plan.
    """
    if case.command == "watch":
        return []
    try:
        unasked = traces_not_asked_for(case, evidence)
    except AskedOtherwise as difference:
        return [str(difference)]
    return [f"the plan does not ask for {described(trace.scenario)}" for trace in unasked[:1]]


def traces_not_asked_for(case: Case, evidence: RunEvidence) -> list[Trace]:
    """The recorded traces that today's plan does not ask for. Raises AskedOtherwise where it asks
    for one that was not recorded.
    """
    waiting, errors = list(evidence.traces), io.StringIO()
    code: object = None
    with (
        contextlib.suppress(Examined),
        _in_place_of_probes(waiting, evidence, errors),
        folder_of(case) as folder,
        contextlib.chdir(folder),
    ):
        words = [case.command, *case.words, "--no-try-remedies"]
        code = command().main(words, standalone_mode=False)
    assert code is None, f"exit code {code}: {errors.getvalue()}"
    return waiting


@contextlib.contextmanager
def _in_place_of_probes(
    waiting: list[Trace], evidence: RunEvidence, errors: io.StringIO
) -> Iterator[None]:
    """Within, examinations are served; what they print goes nowhere."""

    def session(python: str, limits: Limits, *_: object, **_more: object) -> RecordedSession:
        return RecordedSession(waiting, python, limits)

    with (
        tempfile.TemporaryDirectory() as directory,
        contextlib.nullcontext(
            SimpleNamespace(bundle=None, directory=directory, take=lambda python: None)
        ) as ahead,
        mock.patch.object(examine, "Session", session),
        mock.patch.object(examine, "report_on", mock.Mock(side_effect=Examined)),
        mock.patch.object(examine, "HeadStart", lambda: contextlib.nullcontext(ahead)),
        mock.patch.object(examine, "Play", type("Play", (RecordedPlay,), {"recorded": evidence})),
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(errors),
    ):
        yield
