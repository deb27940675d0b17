"""Readings of environment variables: digests, and which of them were set where they were missing."""

from __future__ import annotations

import copy
import os

import pytest

from envdoctor.model.named_variables import MISSING
from envdoctor.probe.sensors import Context, Sensors, environment

NAME = "ENVDOCTOR_TEST_DRIVER"


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "")
    monkeypatch.delenv(NAME)


def reading() -> str:
    reading = Sensors(Context("")).read_all([environment.NAME])[environment.NAME]
    assert isinstance(reading, dict)
    return reading.get(NAME, "")


def test_variable_that_was_missing_is_marked() -> None:
    assert os.environ.setdefault(NAME, "dummy") == "dummy"
    assert reading().endswith(MISSING)


def test_variable_that_is_there_stays_and_is_not_marked() -> None:
    os.environ[NAME] = "x11"
    assert os.environ.setdefault(NAME, "dummy") == "x11"
    assert reading() and not reading().endswith(MISSING)


def test_variable_that_is_changed_later_is_not_marked() -> None:
    os.environ.setdefault(NAME, "dummy")
    os.environ[NAME] = "x11"
    assert not reading().endswith(MISSING)


def test_a_copy_of_the_variables_has_its_own_defaults() -> None:
    """A script that makes the variables of a child so: the copy must have what it was given."""
    assert copy.deepcopy(os.environ).setdefault(NAME, "dummy") == "dummy"
    variables = copy.deepcopy(os.environ)
    variables.pop(NAME, None)
    variables.setdefault(NAME, "dummy")
    assert variables[NAME] == "dummy"
    assert NAME not in os.environ
    assert "setdefault" not in vars(os.environ)


def test_value_has_to_be_a_text() -> None:
    with pytest.raises(TypeError):
        os.environ.setdefault(NAME, 7)  # type: ignore[arg-type]
