"""A real Prometheus scrapes a training, evaluates the alerts, and answers what the dashboard asks."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from envdoctor.watch.measures import FAMILIES
from tests.support.zoo import COMMAND

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/exporting"
ALERTS = FOLDER / "alerts.yml"
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
PATIENCE = 120.0  # seconds
WHY_NOT = "there is no Prometheus on PATH; `apt-get install -y prometheus` enables this test"

needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason=WHY_NOT
)

#: Three episodes, then the environment stays open until the test has read what it wants.
TRAINING = """
import gymnasium, sys
env = gymnasium.make("CartPole-v1")
for _ in range(3):
    env.reset()
    env.step(0)
sys.stdin.read()
env.close()
"""


def free_ports(number: int) -> list[int]:
    """Ports of 127.0.0.1 on which nothing listens."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def until(condition: Callable[[], Any]) -> Any:
    """The first answer that is true."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            answer = condition()
        except OSError:  # it does not listen yet
            answer = None
        if answer:
            return answer
        assert time.monotonic() < end, "Prometheus did not come to it"
        time.sleep(0.2)  # the pace at which another program is asked


def ask(port: int, path: str, **words: str) -> Any:
    """The data of an answer of Prometheus."""
    address = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(words)}"
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return json.load(answer)["data"]


def query(port: int, text: str) -> list[dict[str, Any]]:
    """The series of a query, with their last values."""
    result: list[dict[str, Any]] = ask(port, "query", query=text)["result"]
    return result


@contextmanager
def prometheus(folder: Path, target: int, port: int) -> Iterator[None]:
    """A Prometheus that scrapes one port each second."""
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [
            {"job_name": "training", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}
        ],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config))
    words = [
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(["prometheus", *words], stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()


@contextmanager
def watched(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """A training under `watch`, which ends when its input does."""
    export = f"prometheus=127.0.0.1:{port}"
    words = ["watch", "--export", export, "--export-every", "0.5s", "--"]
    process = subprocess.Popen(
        [COMMAND, *words, sys.executable, "-c", TRAINING],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()


@needs_prometheus
def test_prometheus_reads_a_training_and_evaluates_alerts_and_dashboard(tmp_path: Path) -> None:
    target, port = free_ports(2)
    with prometheus(tmp_path, target, port), watched(tmp_path, target) as training:
        until(lambda: query(port, "envdoctor_training_steps_total == 3"))
        (environment,) = query(port, "envdoctor_environment_resets_total")
        assert environment["value"][1] == "3"
        assert environment["metric"]["environment"].endswith(".CartPoleEnv")
        assert environment["metric"]["role"] == "trainer"
        scraped = {each["metric"]["__name__"] for each in query(port, '{__name__=~"envdoctor_.+"}')}
        assert len(scraped) > 20
        assert scraped <= {each.name + "_total" * each.is_counter for each in FAMILIES}
        for panel in DASHBOARD["panels"]:
            for asked in panel["targets"]:
                ask(port, "query", query=asked["expr"])  # an error is an HTTP error
        rules = until(lambda: evaluated(port))
        assert {rule["name"]: (rule["health"], rule["state"]) for rule in rules} == dict.fromkeys(
            (rule["name"] for rule in rules), ("ok", "inactive")
        )
    assert training.returncode == 0


def evaluated(port: int) -> list[dict[str, Any]]:
    """The alerts, once each of them was evaluated."""
    rules = [rule for group in ask(port, "rules")["groups"] for rule in group["rules"]]
    return rules if all(rule["health"] != "unknown" for rule in rules) else []


@needs_prometheus
@pytest.mark.parametrize(
    "words",
    [["check", "rules", str(ALERTS)], ["test", "rules", "tests/watch/alerts_test.yml"]],
    ids=["check", "test"],
)
def test_alerts_fire_where_they_should(words: list[str]) -> None:
    done = subprocess.run(
        ["promtool", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_panels_of_the_dashboard_have_places_and_a_source_of_their_own() -> None:
    assert {"title", "uid", "schemaVersion", "templating", "time", "panels"} <= DASHBOARD.keys()
    variables = {f"${{{each['name']}}}" for each in DASHBOARD["templating"]["list"]}
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [cell for panel in panels for cell in cells(panel["gridPos"])]
    assert len(set(places)) == len(places)
    assert all(column < 24 for column, _row in places)
    assert all(panel["datasource"]["uid"] in variables for panel in panels)
    assert all(panel["title"] and panel["targets"] for panel in panels)


def cells(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    """The cells of Grafana's grid that a panel takes."""
    for column in range(place["x"], place["x"] + place["w"]):
        for row in range(place["y"], place["y"] + place["h"]):
            yield column, row
