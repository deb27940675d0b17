"""Settings, hooks and fixtures of every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.interpreters import announce
from tests.support import everything, settled, untried

announce()  # before modules of tests are imported, which look whether theirs is there

HEARD = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
}

BEGAN = pytest.StashKey[float]()

#: A few examples, the same in every run; `pytest --hypothesis-profile thorough` looks further.
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Matrices are left to `make everything`, which asks for all of their cases; what is settled,
    to `make processes`.
    """
    group = parser.getgroup("choice of tests")
    group.addoption("--whole", action="store_true", help="play every case of every matrix")
    group.addoption(
        "--changed", action="store_true", help=f"leave out what {settled.FILE} says passed"
    )
    group.addoption("--settle", action="store_true", help=f"write {settled.FILE}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core: tests wait for half of their time."""
    return (os.cpu_count() or 1) * 2


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while 10,000 tests are collected, which stay."""
    gc.disable()
    yield
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Have the collector pass over the 10,000 collected tests: each of its walks through them takes
    seconds. Who searches the heap calls `gc.unfreeze()` before.
    """
    item.stash[BEGAN] = settled.seconds()
    gc.freeze()
    result = yield
    gc.unfreeze()
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make everything` plays, except where the command line names it. What
    waits more than it works comes first, hence to one worker, while the others have all cores; then
    what takes longest.
    """
    if not config.option.whole:
        named = [argument for argument in config.args if "::" in argument]
        items[:], left = everything.split(items, named)
        config.hook.pytest_deselected(items=left)
    if config.option.changed:
        items[:], left = settled.split(items, settled.settled_tests())
        config.hook.pytest_deselected(items=left)
    first = ("waits", settled.MARK)
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in first])


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object],
) -> Generator[None, object, object]:
    """Note what a fixture takes that several tests share."""
    began = settled.seconds()
    result = yield
    if fixturedef.scope != "function":
        settled.SHARED[fixturedef.baseid, fixturedef.argname] = settled.seconds() - began
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note in the last report of a test what it took."""
    report = yield
    if call.when == "teardown":
        seconds = settled.seconds() - item.stash[BEGAN] + settled.seconds_shared(item)
        report.user_properties.append((settled.SECONDS, seconds))
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many recordings were judged, and which of them are older than their sources."""
    reports = [
        report
        for some in terminalreporter.stats.values()
        for report in some
        if isinstance(report, pytest.TestReport) and report.nodeid.startswith("tests/recorded/")
    ]
    if not reports:
        return
    from tests.recorded import summary  # it imports all of the product

    judged = list(summary.lines(reports))
    if judged:
        terminalreporter.section("recordings")
        terminalreporter.write("\n".join([*judged, ""]))


def pytest_configure(config: pytest.Config) -> None:
    """Hear interruptions, and let the commands under test hear them: a shell that starts the tests
    in the background has SIGINT ignored, and children inherit that.
    """
    if not config.option.whole:  # numpy's thread turns idly in each process: a tenth of all work
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    config.addinivalue_line(
        "markers", f"{everything.MARK}(but=[]): only `make everything` plays it, or its other cases"
    )
    config.addinivalue_line("markers", f"{settled.MARK}: `make test` plays it, settled or not")
    if config.option.settle and not hasattr(config, "workerinput"):
        config.pluginmanager.register(settled.Settling(config))
    config.addinivalue_line("markers", "waits: it waits for most of its time, and is begun first")
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Print what was not tried, and how to try it, below all that pytest prints itself."""
    yield
    gc.collect()
    gc.freeze()  # pytest collects five times more, for exceptions that nobody saw
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # workers have none
        skipped = terminal.stats.get("skipped", ())
        reasons = [(report.nodeid, untried.reason(report)) for report in skipped]
        option = session.config.option
        left = settled.settled_tests() if option.changed else {}
        known = settled.lines(left, session.config.args, option.ignore or ())
        for line in (*known, *untried.lines(reasons)):
            terminal.write_line(line)
