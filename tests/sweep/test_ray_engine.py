"""The driver on a cluster, with a cluster that is played: what is begun again, how often, and what is
restored. No Ray is needed.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from envdoctor.errors import UsageError
from envdoctor.sweep.ledger import CLAIMS, Driver, Ledger
from envdoctor.sweep.outcomes import JUDGED, ResultPublisher
from envdoctor.sweep.plans import Examination, Identity
from envdoctor.sweep.ray_cluster import (
    ADDRESS,
    MOST_LOST,
    LostTask,
    RayEngine,
    named_address,
    refuse_folder,
    refuse_silence,
)
from envdoctor.sweep.ray_node import Answer, Place, Unusable, Work, surroundings
from envdoctor.sweep.results import Result, written
from envdoctor.sweep.surroundings import Surroundings
from tests.sweep.samples import result

NODE = LostTask("the node was lost", of_node=True)
WORKER = LostTask("the worker of the node died")


class Played:
    """A cluster that gives the answers of a list, one for each task of a key."""

    origin = "/driver"

    def __init__(
        self, answers: dict[str, list[Answer | LostTask | UsageError]], room: int = 1
    ) -> None:
        self.answers, self._room = answers, room
        self.submitted: list[str] = []
        self.cancelled: list[object] = []

    def room(self) -> int:
        return self._room

    def submit(self, work: Work) -> object:
        self.submitted.append(work.words[1])
        return (len(self.submitted), work.words[1])

    def ended(self, handles: Iterable[object]) -> list[object]:
        return [next(iter(handles))]

    def answer(self, handle: tuple[int, str]) -> Answer | LostTask:
        found = self.answers[handle[1]].pop(0)
        if isinstance(found, UsageError):
            raise found
        return found

    def close(self) -> None:
        self.closed = True

    def cancel(self, handles: Iterable[object]) -> None:
        self.cancelled += handles


def good(spec: str) -> Answer:
    judged = written(result(spec=spec).judged, os.path.expanduser("~"))
    return Answer("w1", 0, {JUDGED: judged.encode("ascii")})


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "out", make=True)
    yield ledger
    assert os.listdir(ledger.folder / CLAIMS) in ([], [".lock"])


def play(ledger: Ledger, cluster: Played, specs: str, retries: int = 2) -> dict[str, Result]:
    every = [
        Examination(Identity(spec, interpreter="p"), ("check", spec), "/driver/lab")
        for spec in specs
    ]
    with Driver(ledger) as driver:
        publisher = ResultPublisher(ledger, driver, retries, lambda _result: None)
        RayEngine(publisher, cluster, {"p": {}}, jobs=2).run(every)  # type: ignore[arg-type]
    return {one.label: one for one in ledger.results()}


def test_examination_of_a_lost_node_begins_again_before_the_rest(ledger: Ledger) -> None:
    cluster = Played({"a": [NODE, good("a")], "b": [good("b")], "c": [good("c")]})
    found = play(ledger, cluster, "abc")
    assert cluster.submitted == ["a", "b", "a", "c"]
    assert [(one.node, one.attempts, one.judged.verdict) for one in found.values()] == [
        ("w1", 1, "healthy")
    ] * 3


def test_lost_nodes_are_not_retries_and_what_kills_its_worker_is_inconclusive(
    ledger: Ledger,
) -> None:
    lost: list[Answer | LostTask | UsageError] = [NODE] * 5
    cluster = Played({"a": [*lost, good("a")], "b": [WORKER] * 3, "c": [NODE] * (MOST_LOST + 1)})
    found = play(ledger, cluster, "abc")
    assert found["a"].judged.verdict == "healthy"
    assert found["b"].reason == "the worker of the node died 3 times"
    assert found["c"].reason == f"the node was lost {MOST_LOST + 1} times"


def test_the_reason_counts_what_it_names(ledger: Ledger) -> None:
    cluster = Played({"a": [NODE, NODE, *[WORKER] * 3], "b": [WORKER, *[NODE] * (MOST_LOST + 1)]})
    found = play(ledger, cluster, "ab")
    assert found["a"].reason == "the worker of the node died 3 times"
    assert found["b"].reason == f"the node was lost {MOST_LOST + 1} times"


def test_an_examination_that_dies_is_begun_again_and_its_last_words_are_kept(
    ledger: Ledger,
) -> None:
    dead = Answer("w1", -9, {".err": b"envdoctor: out of luck\n"})
    found = play(ledger, Played({"a": [dead, dead]}), "a", retries=1)
    assert found["a"].reason == "the examination was killed by SIGKILL 2 times: out of luck"


def test_a_node_that_is_not_like_the_others_ends_the_sweep_and_frees_what_was_begun(
    ledger: Ledger,
) -> None:
    cluster = Played({"a": [UsageError("node w2 has another numpy")], "b": []})
    with pytest.raises(UsageError, match="another numpy"):
        play(ledger, cluster, "ab")
    assert len(cluster.cancelled) == 2
    assert list(ledger.results()) == []


def test_a_folder_is_the_same_path_or_what_was_sent(tmp_path: Path) -> None:
    lab = tmp_path / "sent" / "lab"
    lab.mkdir(parents=True)
    assert Place("/driver/lab", "/driver").here(str(lab.parent)) == str(lab)
    assert Place(str(lab), "/driver").here("") == str(lab)
    assert Place(str(lab), "/driver").here("/sent") == str(lab)
    with pytest.raises(Unusable, match="--working-dir sends a folder"):
        Place("/driver/lab", "/driver").here("")


def test_variables_of_the_user_stay_and_the_rest_is_restored() -> None:
    found = surroundings({"OMP_NUM_THREADS": "4"})
    assert set(found.environment) == {"PYTHONBREAKPOINT"}
    assert found.signals
    assert Surroundings.from_text(found.as_text()) == found


def test_a_folder_that_ends_with_its_job_is_refused() -> None:
    refuse_folder("/shared/monday")
    with pytest.raises(UsageError, match="Ray removes this folder"):
        refuse_folder("/tmp/ray/s/runtime_resources/working_dir_files/_ray_pkg_1/out")


def test_an_address_at_which_nothing_answers_is_refused_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        refuse_silence(address)
    with pytest.raises(UsageError, match=f"^--on ray: nothing answers at {address}: "):
        refuse_silence(address)


def test_a_host_that_has_no_name_is_refused() -> None:
    with pytest.raises(UsageError, match=r"nothing answers at a\.\.b:6379"):
        refuse_silence("a..b:6379")


def test_a_ray_client_in_the_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADDRESS, "ray://head:10001")
    with pytest.raises(UsageError, match=r"^invalid RAY_ADDRESS 'ray://head:10001': Ray Client"):
        named_address("")
    assert named_address("head:6379") == "head:6379"
    monkeypatch.setenv(ADDRESS, "other:6379")
    assert named_address("") == "other:6379"


@pytest.mark.parametrize("address", ["", "auto", "local"])
def test_address_that_ray_resolves_is_not_refused(address: str) -> None:
    refuse_silence(address)
