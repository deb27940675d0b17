"""Text on a manager comes from its framework's own profile: no remedy names the class of another
one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import envdoctor.frameworks as known
from envdoctor.frameworks import MANAGERS, PROFILES, launch_lines, vectorizer_of
from envdoctor.frameworks.profile import Launch
from envdoctor.model.facts import SurveyedManager
from envdoctor.model.finding import Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.registry import Rule, all_rules
from envdoctor.rules.engine.view import View

VECTORIZERS = [one for profile in PROFILES for one in profile.vectorizers]
#: A manager of a plug-in with a profile, and one of which only the name is known.
ADDED, UNKNOWN = "acme-loop", "other-loop"
EVERY = [*MANAGERS[1:], ADDED, UNKNOWN]
PLUGIN = Path(__file__).parents[1] / "plugin_example"


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The profile of the example plug-in, as if it were installed."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.setattr(known, "plugins", lambda _: {"acme": "acme_doctor.framework"})
    for function in (known.added, known.profile_of, known.vectorizer_of):
        function.cache_clear()
    yield
    for function in (known.added, known.profile_of, known.vectorizer_of):
        function.cache_clear()


def under(view: View, manager: str) -> View:
    """The view, as it would be had it been played under this manager."""

    def moved(traces: tuple[Trace, ...]) -> tuple[Trace, ...]:
        return tuple(
            replace(one, scenario=replace(one.scenario, manager=manager))
            if one.scenario.manager == view.manager
            else one
            for one in traces
        )

    managers = view.survey.managers
    known = managers.get(view.manager, SurveyedManager())
    survey = replace(view.survey, managers={**managers, manager: known})
    return replace(
        view,
        manager=manager,
        survey=survey,
        traces=moved(view.traces),
        other_places=moved(view.other_places),
        optional_traces=moved(view.optional_traces),
        faults=moved(view.faults),
        control=under(view.control, manager) if view.control else None,
    )


def found_under(rule: Rule, manager: str) -> Iterator[Finding]:
    """Return the findings of a rule's own examples under a manager."""
    for example in sys.modules[rule.judge.__module__].EXAMPLES:
        if not example.view.is_direct:
            yield from rule.judge(under(example.view, manager))


@pytest.mark.parametrize("manager", EVERY)
def test_no_remedy_names_the_class_of_another_framework(manager: str) -> None:
    own = known.profile_of(manager)
    foreign = [one.class_name for one in VECTORIZERS if one not in own.vectorizers]
    told = [
        " ".join((finding.remedy.text, *finding.remedy.commands))
        for rule in all_rules().values()
        for finding in found_under(rule, manager)
    ]
    assert len(told) > 40
    assert not [text for text in told for name in foreign if name in text]


@pytest.mark.parametrize("manager", EVERY[:-1])
@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_launch_lines_are_python_and_name_the_managers_own_class(
    manager: str, method: str | None
) -> None:
    known_as = vectorizer_of(manager)
    lines = "\n".join(launch_lines(manager, Launch("make_env", method, 3)))
    ast.parse(lines)
    assert f"{known_as.class_name}(" in lines
    assert not any(
        one.class_name in lines.replace(known_as.class_name, "")
        for one in VECTORIZERS
        if one is not known_as
    )


def test_nothing_is_guessed_of_a_manager_without_a_profile() -> None:
    assert launch_lines(UNKNOWN, Launch("make_env")) == ()
    assert vectorizer_of(UNKNOWN).class_name == UNKNOWN


def test_spawned_managers_that_share_forked_memory_are_launched_without() -> None:
    lines = launch_lines("ding-subproc", Launch("Crane", "spawn", api="ding"))
    assert lines == (
        "from ding.envs import SyncSubprocessEnvManager",
        "cfg = SyncSubprocessEnvManager.default_config()",
        'cfg.context = "spawn"',
        "cfg.shared_memory = False",
        "envs = SyncSubprocessEnvManager([Crane] * 4, cfg)",
        "envs.launch()",
    )


def test_each_manager_and_storage_has_one_profile() -> None:
    names = [one.name for one in VECTORIZERS]
    storages = [name for profile in PROFILES for name in profile.storages]
    assert sorted(names) == list(MANAGERS[1:])
    assert len(set(names + storages)) == len(names + storages)
    assert {profile.api for profile in PROFILES} == {
        "gymnasium",
        "gym",
        "",
        "torchrl",
        "ding",
        "openenv",
    }
