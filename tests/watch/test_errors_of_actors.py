"""Errors whose text has the traceback of another process, as those of actors have it, by values."""

from __future__ import annotations

import traceback

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import MendFailure
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.probe.live.raised import _remote
from envdoctor.rules.evidence.training_deaths import Ending, endings
from envdoctor.rules.remedies.training_failures import mend_ending
from envdoctor.rules.wording.training_deaths import sentence_of

HERE = f'Traceback (most recent call last):\n  File "{__file__}", line 23, in make\nKeyError: 5\n'


def told(error: Exception) -> Exception:
    """An error as something raises it."""
    try:
        raise error
    except Exception as raised:
        return raised


def test_line_of_another_process_is_read_from_the_text() -> None:
    origin = _remote(told(RuntimeError(f"__init__ (pid=7)\n{HERE}")))
    assert origin == {"file": __file__, "line": 23, "function": "make"}


def test_text_without_a_traceback_has_no_line() -> None:
    assert _remote(told(RuntimeError(f'File "{__file__}", line 23, in make'))) is None


def test_text_on_an_error_that_was_caught_here_has_none() -> None:
    with pytest.raises(RuntimeError) as caught:
        try:
            raise KeyError(5)
        except KeyError:
            raise RuntimeError(f"failed: {traceback.format_exc()}")  # noqa: B904
    assert _remote(caught.value) is None


def ended(message: str) -> tuple[Training, Ending]:
    """A script that ended by such an error."""
    raised = Raised(
        "actors.RemoteError",
        message,
        Location("/executor.py", 55, "get"),
        "text",
        origin=Location("/executor.py", 23, "make"),
    )
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=raised)
    training = Training((), 1, 1, 9.0, (trainer,), (Instances(1, 1, "arm.Arm", closed=1),))
    return training, next(endings(training))


def sentence(message: str) -> tuple[str, str, bool]:
    """The sentence on a script that ended by such an error, and its cure."""
    return sentence_of(*ended(message))


def test_id_that_an_actor_does_not_know_is_to_be_registered_there() -> None:
    words, remedy, is_known = sentence("gymnasium.error.NameNotFound: `Arm` doesn't exist.")
    assert "which reports an error at executor.py:23 in make" in words
    assert words.endswith("the id is not registered where that ran")
    assert "register the id in the worker" in remedy
    assert is_known
    for message, aim in (
        ("gymnasium.error.NameNotFound: `Arm`", MendFailure(Frame("/executor.py", 23), "id")),
        ("KeyError: 5", None),
    ):
        training, ending = ended(message)
        assert mend_ending(ending, training) == aim


def test_another_error_of_an_actor_is_named_with_its_line() -> None:
    words, remedy, is_known = sentence("KeyError: 5")
    assert "KeyError: 5 (executor.py:55 in get), which reports an error at executor.py:23" in words
    assert (remedy, is_known) == ("mend what raises there.", False)
