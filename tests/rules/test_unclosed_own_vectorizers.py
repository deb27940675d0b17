"""Instances in the workers of a script's own vectorizers, which nothing closes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import OWN_VECTORIZER, Site, Training
from envdoctor.model.training_instances import Instances
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn001_instance_not_closed import instance_not_closed

MADE = Location("/parallel.py", 10, "worker")
EVALUATION = Site(
    *(1, OWN_VECTORIZER, "parallel.EnvList", Location("/train.py", 36, "run_eval")),
    made=2,
    workers=2,
    pids=(2, 3),
)
TRAINING = replace(
    EVALUATION, location=Location("/train.py", 45, "train"), made=1, workers=1, pids=(4,)
)
CLOSED = replace(TRAINING, closed=1)


def _remedy(*sites: Site) -> str:
    """The cure of two workers with instances that were freed without a close()."""
    left = [Instances(pid, 1, "arm.Arm", MADE, gone=1, lost=1) for pid in (2, 3)]
    training = Training((), 1, 0, 9.0, instances=(*left,), sites=sites)
    (finding,) = instance_not_closed.judge(watched_view(training))
    return finding.remedy.text


def test_line_that_makes_the_vectorizers_is_named() -> None:
    assert "EnvList made at train.py:36 in run_eval()" in _remedy(EVALUATION, CLOSED)
    assert "EnvList made at train.py:36 in run_eval()" in _remedy(TRAINING, EVALUATION)


@pytest.mark.parametrize(
    "sites",
    [
        (),
        (replace(EVALUATION, closed=1), CLOSED),
        (replace(EVALUATION, pids=(3, 4)),),
    ],
    ids=["none", "one is closed", "other workers"],
)
def test_no_line_is_named_where_it_is_not_certain(sites: tuple[Site, ...]) -> None:
    assert _remedy(*sites).startswith("call close() of each Arm")
