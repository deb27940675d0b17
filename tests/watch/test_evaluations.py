"""Evaluations in a vectorizer that normalizes and learns: what the hook journals of them."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training_events import announced
from envdoctor.model.training_settings import Evaluation
from envdoctor.probe.live import evaluations
from envdoctor.probe.live.evaluations import ENOUGH, follow_evaluations
from envdoctor.watch.pages import PageReport
from tests.support.zoo import examine
from tests.watch.test_watch_trainings import SB3, python

NAME = "normalizing"
HOOKS = types.SimpleNamespace(
    NORMALIZERS={NAME: (("Normalizer", "training", "norm_reward", "norm_obs", "obs_rms"),)},
    EVALUATIONS={NAME: ("evaluate",)},
)
CODE = """
class Statistics:
    def __init__(self, mean, var):
        self.mean, self.var = mean, var
class Normalizer:
    def __init__(self, training=True, norm_reward=True, norm_obs=True, statistics=None):
        self.training, self.norm_reward, self.norm_obs = training, norm_reward, norm_obs
        self.obs_rms = statistics
    def reset(self):
        return 0.0
    def step_wait(self):
        return 0.0
def evaluate(play):
    play()
def demonstrate(play):
    play()
"""


class Watched:
    """Instances of a process that journal into a list."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.hook = types.SimpleNamespace(complain=pytest.fail)

    def tell(self, what: str, **keys: Any) -> None:
        if what != "learns":
            self.events.append({"what": what, **keys})


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def library(watched: Watched) -> Iterator[Any]:
    """A framework with a vectorizer that normalizes."""
    module: Any = types.ModuleType(NAME)
    exec(compile(CODE, "/usr/lib/python3/normalizing.py", "exec"), vars(module))
    evaluations._journaled.clear()
    evaluations._learning.clear()
    follow_evaluations(watched, HOOKS, module)
    yield module
    evaluations._journaled.clear()


def playing(vectorizer: Any, steps: int = ENOUGH) -> Callable[[], None]:
    """An evaluation of a script."""

    def play() -> None:
        vectorizer.reset()
        for _ in range(steps):
            vectorizer.step_wait()

    return play


def test_line_that_evaluates_is_journaled_once(library: Any, watched: Watched) -> None:
    vectorizer = library.Normalizer()
    library.evaluate(playing(vectorizer))
    library.evaluate(playing(vectorizer))
    assert len(watched.events) == 1
    event = watched.events[0]
    assert (event["type"], event["method"]) == ("Normalizer", "training")
    assert event["message"] == "norm_reward"
    assert event["frame"]["function"].endswith("play")


def test_rewards_that_are_not_normalized_are_not_named(library: Any, watched: Watched) -> None:
    library.evaluate(playing(library.Normalizer(norm_reward=False)))
    assert [event["message"] for event in watched.events] == [""]


def test_vectorizer_that_learns_nothing_is_left_out(library: Any, watched: Watched) -> None:
    library.evaluate(playing(library.Normalizer(training=False)))
    assert not watched.events


def test_switch_after_the_reset_counts(library: Any, watched: Watched) -> None:
    vectorizer = library.Normalizer()

    def play() -> None:
        vectorizer.reset()
        vectorizer.training = False
        for _ in range(2 * ENOUGH):
            vectorizer.step_wait()

    library.evaluate(play)
    assert not watched.events


def test_training_and_other_functions_are_left_out(library: Any, watched: Watched) -> None:
    playing(library.Normalizer(), 3 * ENOUGH)()
    library.demonstrate(playing(library.Normalizer(), 3 * ENOUGH))
    assert not watched.events


def test_short_look_is_left_out(library: Any, watched: Watched) -> None:
    library.evaluate(playing(library.Normalizer(), ENOUGH - 1))
    assert not watched.events


def test_training_goes_on_after_an_evaluation(library: Any, watched: Watched) -> None:
    vectorizer = library.Normalizer()
    library.evaluate(playing(vectorizer, 3))
    for _ in range(2 * ENOUGH):
        vectorizer.step_wait()
    assert not watched.events


def test_vectorizer_that_is_gone_is_forgotten(library: Any) -> None:
    vectorizer = library.Normalizer()
    library.evaluate(playing(vectorizer, 2))
    assert len(evaluations._evaluated) == 1
    del vectorizer
    assert not evaluations._evaluated


def test_event_becomes_an_evaluation() -> None:
    frame = {"file": "/train.py", "line": 63, "function": "evaluate"}
    event = {"what": "evaluates", "pid": 7, "t": 0.0, "frame": frame, "type": "Normalizer"}
    report = PageReport()
    report.take([announced({**event, "method": "training", "message": ""})])
    place = Location("/train.py", 63, "evaluate")
    assert report.evaluations == [Evaluation("Normalizer", "training", "", place)]


def _statistics(library: Any, mean: float = 0.0, var: float = 1.0) -> Any:
    return library.Statistics(np.full(3, mean), np.full(3, var))


def test_line_that_plays_without_statistics_is_journaled_once(
    library: Any, watched: Watched
) -> None:
    vectorizer = library.Normalizer(training=False, statistics=_statistics(library))
    playing(vectorizer, 3 * ENOUGH)()
    assert [(event["what"], event["number"]) for event in watched.events] == [("evaluates", 1)]
    assert watched.events[0]["frame"]["function"].endswith("play")
    parts = {"image": _statistics(library), "speed": _statistics(library)}
    playing(library.Normalizer(training=False, statistics=parts))()
    assert len(watched.events) == 2


def test_statistics_of_a_training_and_what_is_not_normalized_are_left_out(
    library: Any, watched: Watched
) -> None:
    learned, own = _statistics(library, 0.5, 2.0), _statistics(library)
    for keys in (
        {"statistics": learned},
        {"statistics": _statistics(library, 0.0, 2.0)},
        {"statistics": _statistics(library, 0.5)},
        {"statistics": {"image": own, "speed": learned}},
        {"statistics": None},
        {"statistics": own, "norm_obs": False},
        {"statistics": own, "training": True},
    ):
        playing(library.Normalizer(**{"training": False, **keys}), 2 * ENOUGH)()
    playing(library.Normalizer(training=False, statistics=own), ENOUGH - 1)()
    assert not watched.events


def test_agent_that_is_looked_at_before_its_training_is_left_out() -> None:
    frame = {"file": "/train.py", "line": 63, "function": "evaluate"}
    keys = {"pid": 7, "t": 0.0, "type": "Normalizer", "method": "training", "number": 1}
    plays = announced({"what": "evaluates", "frame": frame, **keys})
    report = PageReport()
    report.take([plays, announced({"what": "learns", "pid": 7, "t": 0.0})])
    assert not report.evaluations
    report.take([plays])
    assert [each.is_unlearned for each in report.evaluations] == [True]


@pytest.mark.parametrize(
    ("twin", "codes"), [("Sick", ["TRN028"]), ("Unlearned", ["TRN028"]), ("Healthy", [])]
)
def test_normalizers_of_stable_baselines3_are_followed(twin: str, codes: list[str]) -> None:
    words = ("--", python(SB3), "trn028_evaluation_learns.py", twin)
    _, document = examine(*words, command="watch")
    assert [each["code"] for each in document["findings"]] == codes
