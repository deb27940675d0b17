"""What holds for every test."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

from tests.interpreters import announce
from tests.support import sampling

announce()  # before modules of tests are imported, which look whether theirs is there

HEARD = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
}

#: A few examples in every run; `pytest --hypothesis-profile thorough` looks further.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Matrices are sampled, unless all of their cases are asked for."""
    group = parser.getgroup("matrices of cases")
    group.addoption("--whole", action="store_true", help="play every case of every matrix")
    group.addoption(
        "--sample-seed",
        type=int,
        default=sampling.SEED,
        metavar="N",
        help=f"which cases of the matrices are played otherwise (default: {sampling.SEED})",
    )


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores: half of the time a test waits for processes."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sample what other options have left."""
    if not config.option.whole:
        items[:], left_out = sampling.split(items, config.option.sample_seed)
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print what was drawn, so that a failure can be repeated."""
    every = [one for some in terminalreporter.stats.values() for one in some]
    reports = [one for one in every if isinstance(one, pytest.TestReport)]
    drawn = list(sampling.lines(reports))
    if drawn:
        seed = config.option.sample_seed
        terminalreporter.section(f"cases drawn with --sample-seed {seed} (all: --whole)")
        terminalreporter.write("\n".join([*drawn, ""]))
    from tests.recorded import summary  # it imports all of the product

    judged = list(summary.lines(reports))
    if judged:
        terminalreporter.section("recordings")
        terminalreporter.write("\n".join([*judged, ""]))


def pytest_configure(config: pytest.Config) -> None:
    """Hear interruptions, and let the commands under test hear them: a shell that starts the tests
    in the background has SIGINT ignored, and children inherit that.
    """
    config.addinivalue_line("markers", f"{sampling.MARK}(number, by=''): a matrix, see sampling.py")
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
