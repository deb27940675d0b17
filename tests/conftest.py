"""What holds for every test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.interpreters import announce
from tests.support import sampling, untried

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
    reports = [one for some in terminalreporter.stats.values() for one in some]
    drawn = list(sampling.lines(one for one in reports if isinstance(one, pytest.TestReport)))
    if drawn:
        seed = config.option.sample_seed
        terminalreporter.section(f"cases drawn with --sample-seed {seed} (all: --whole)")
        terminalreporter.write("\n".join([*drawn, ""]))


def pytest_configure(config: pytest.Config) -> None:
    """Hear interruptions, and let the commands under test hear them: a shell that starts the tests
    in the background has SIGINT ignored, and children inherit that.
    """
    config.addinivalue_line("markers", f"{sampling.MARK}(number, by=''): a matrix, see sampling.py")
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Print what was not tried, and how to try it, below all that pytest prints itself."""
    yield
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # workers have none
        skipped = terminal.stats.get("skipped", ())
        reasons = [(report.nodeid, untried.reason(report)) for report in skipped]
        for line in untried.lines(reasons):
            terminal.write_line(line)
