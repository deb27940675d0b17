"""pytest: environments examined as tests.

    @pytest.mark.envdoctor("mypkg:MyEnv-v0", select=["CLS", "LEK"])
    def test_is_healthy(envdoctor):
        assert not envdoctor.report.count("warning")

    def test_maze(envdoctor):
        envdoctor(MazeEnv, kwargs={"size": 5})

pytest loads this file at each start, wherever envdoctor is installed: it imports nothing until a
test asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from envdoctor.api import Spec
    from envdoctor.model.report import Report

MARK = "envdoctor"


class Doctor:
    """Examines environments for one test. `report` is the last report, None before the first;
    `python` the interpreter that owns the environments, where it is another one.
    """

    def __init__(self, python: str | None = None) -> None:
        self.python = python
        self.report: Report | None = None

    def __call__(
        self, spec: Spec | Iterable[Spec] = (), *, fail_on: str | None = "error", **options: object
    ) -> Report:
        """Examine, and fail the test with the report where there is a finding of the severity
        `fail_on` or worse (None: never). `options` are those of envdoctor.check().
        """
        from envdoctor.errors import EnvdoctorError

        __tracebackhide__ = True
        try:
            return self._examine(spec, fail_on, options)
        except (EnvdoctorError, AssertionError) as error:
            why = str(error).strip()
        # Outside of the handler: else pytest shows both errors, with the same text.
        pytest.fail(why, pytrace=False)

    def _examine(
        self, spec: Spec | Iterable[Spec], fail_on: str | None, options: Mapping[str, Any]
    ) -> Report:
        from inspect import signature

        from envdoctor.api import check
        from envdoctor.model.finding import SEVERITIES
        from envdoctor.request import choices
        from envdoctor.testing import assert_healthy

        for name in options:
            choices.one_of(
                "option of envdoctor.check()", name, list(signature(check).parameters)[1:]
            )
        if fail_on is not None:
            choices.one_of("severity", fail_on, SEVERITIES)
        self.report = check(spec, **{"python": self.python, **options})
        return self.report if fail_on is None else assert_healthy(self.report, fail_on)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--envdoctor-python PATH`, also as `envdoctor_python` in the configuration."""
    group = parser.getgroup("envdoctor")
    group.addoption(
        "--envdoctor-python",
        metavar="PATH",
        help="the interpreter that has the environments (this one)",
    )
    parser.addini("envdoctor_python", "the interpreter that has the environments (this one)")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(spec, fail_on='error', **options): examine this environment before the test runs",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """A marked test is examined by the fixture, whether it asks for it or not."""
    if (
        item.get_closest_marker(MARK)
        and isinstance(item, pytest.Function)
        and MARK not in item.fixturenames
    ):
        item.fixturenames.insert(0, MARK)


@pytest.fixture(name=MARK)
def _doctor(request: pytest.FixtureRequest) -> Doctor:
    """Examines environments: call it with a SPEC or a class, and with the options of
    envdoctor.check().
    """
    doctor = Doctor(
        request.config.getoption("--envdoctor-python")
        or request.config.getini("envdoctor_python")
        or None
    )
    mark = request.node.get_closest_marker(MARK)
    if mark is not None:
        doctor(*mark.args, **mark.kwargs)
    return doctor
