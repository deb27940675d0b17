"""Requests to a client of a container engine, and the containers that came of them, by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import pytest

from envdoctor.model.container_clients import (
    ContainerRecord,
    EngineContainer,
    EngineRequest,
    containers_of,
    created,
    listed,
    record_of,
    requests_of,
    same_image,
)

DOCKER = EngineRequest("docker", image="simulator:2")
PROJECT = "com.docker.compose.project"


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["docker", "run", "simulator:2"], DOCKER),
        (["/usr/bin/docker", "run", "-d", "--rm", "simulator:2", "serve", "--name", "x"], DOCKER),
        (["docker", "container", "create", "-it", "simulator:2"], DOCKER),
        (["docker", "--context", "lab", "-D", "run", "simulator:2"], DOCKER),
        (["docker", "--host=tcp://lab:2375", "run", "-e", "A=1", "simulator:2"], DOCKER),
        (["docker", "run", "-dp", "8000:80", "simulator:2"], DOCKER),
        (["docker", "run", "-dp8000:80", "-eA=1", "-v/a:/b", "simulator:2"], DOCKER),
        (["docker", "run", "--gpus", "all", "--shm-size=1g", "simulator:2"], DOCKER),
        (["sudo", "-n", "docker", "run", "simulator:2"], DOCKER),
        (["env", "A=1", "podman", "run", "simulator:2"], DOCKER._replace(client="podman")),
        (["sh", "-c", "cd /x && docker run -d simulator:2 > /dev/null"], DOCKER),
        (["docker", "run", "--name", "arm", "simulator:2"], DOCKER._replace(name="arm")),
        (["docker", "run", "--name=arm", "simulator:2"], DOCKER._replace(name="arm")),
        (["docker", "run", "--cidfile", "/t/id", "simulator:2"], DOCKER._replace(id_file="/t/id")),
        (
            ["docker", "run", "-l", "job=7", "--label=by=me", "simulator:2"],
            DOCKER._replace(labels=("by=me", "job=7")),
        ),
        (
            ["docker", "compose", "-p", "Arms", "up", "-d"],
            EngineRequest("docker", labels=(f"{PROJECT}=arms",)),
        ),
        (["docker-compose", "up"], EngineRequest("docker", labels=(f"{PROJECT}=rig",))),
        (
            ["podman-compose", "-f", "/lab/far/compose.yml", "up"],
            EngineRequest("podman", labels=(f"{PROJECT}=far",)),
        ),
    ],
)
def test_client_commands_become_requests(words: Sequence[str], asked: EngineRequest) -> None:
    assert requests_of(words, "/home/me/rig") == [asked]


@pytest.mark.parametrize(
    "words",
    [
        ["docker", "ps"],
        ["docker", "stop", "arm"],
        ["docker", "compose", "down"],
        ["docker"],
        ["python", "docker", "run", "x"],
        ["sh", "-c", "echo 'never closed"],
        ["sh", "-c", "echo docker run simulator:2"],
        [],
    ],
)
def test_other_commands_become_no_requests(words: Sequence[str]) -> None:
    assert requests_of(words, "/") == []


def test_a_shell_may_ask_twice() -> None:
    text = "docker run -d simulator:2; docker run -d simulator:2"
    assert requests_of(["bash", "-lc", text], "/") == [DOCKER, DOCKER]


def test_a_project_of_the_environment() -> None:
    asked = requests_of(["docker", "compose", "up"], "/rig", "named")
    assert asked == [EngineRequest("docker", labels=(f"{PROJECT}=named",))]


ROWS = {"a" * 64: ("arm", "simulator:2"), "b" * 64: ("leg", "simulator:2")}


def found(
    *requests: EngineRequest,
    before: Sequence[str] = (),
    rows: Mapping[str, tuple[str, str]] = ROWS,
    labelled: str = "",
    files: Mapping[str, str] = {},
) -> list[str]:
    """The names of what came of the requests."""
    record = ContainerRecord(
        {"docker": "/bin/docker"}, {"docker": tuple(before)}, {}, tuple(requests)
    )

    def ask(_client: str, words: Sequence[str]) -> str:
        if "--filter" in words:
            return labelled
        return "".join("\t".join((made, *row)) + "\n" for made, row in rows.items())

    told = containers_of(record, ask, lambda path: files.get(path, ""))
    return [one.key for containers in told.values() for one in containers]


def test_container_is_found_by_its_name() -> None:
    assert found(DOCKER._replace(name="arm")) == ["arm"]


def test_container_is_found_by_the_file_for_its_id() -> None:
    assert found(DOCKER._replace(id_file="/id"), files={"/id": "b" * 64 + "\n"}) == ["leg"]
    assert found(DOCKER._replace(id_file="/id")) == []


def test_container_is_found_by_the_id_that_a_library_returned() -> None:
    assert found(DOCKER._replace(made="b" * 64)) == ["leg"]


def test_container_is_found_by_its_labels() -> None:
    assert found(DOCKER._replace(labels=("job=7",)), labelled="b" * 64) == ["leg"]


def test_containers_are_found_by_their_image_where_the_number_matches() -> None:
    assert found(DOCKER, DOCKER) == ["arm", "leg"]
    assert found(DOCKER, before=["a" * 64]) == ["leg"]


def test_no_container_is_reported_of_an_image_that_others_start() -> None:
    assert found(DOCKER) == []


def test_earlier_containers_are_not_counted() -> None:
    assert found(DOCKER._replace(name="arm"), before=list(ROWS)) == []


def test_containers_of_libraries_are_requests() -> None:
    asked = EngineRequest("docker", image="simulator:2", made="b")
    assert created("docker", {"Image": "simulator:2"}, {"Id": "b", "Warnings": []}) == asked
    container = SimpleNamespace(id="b")
    assert created("podman", "simulator:2", container) == asked._replace(client="podman")


def test_no_request_no_container() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("simulator:2", "simulator:2", True),
        ("docker.io/library/simulator:latest", "simulator", True),
        ("docker.io/library/simulator:2", "simulator", False),
        ("my-simulator", "simulator", False),
        ("simulator", "", False),
    ],
)
def test_images(one: str, other: str, same: bool) -> None:
    assert same_image(one, other) is same


def test_a_line_that_is_no_container_is_left_out() -> None:
    assert listed("warning: old\n\nid\tname\timage\n") == [EngineContainer("id", "name", "image")]


def test_record_is_read_back() -> None:
    lines = [
        {"client": "docker", "path": "/bin/docker", "before": ["a"], "environment": {"A": "1"}},
        {"request": list(DOCKER)},
        {"else": 1},
    ]
    assert record_of(lines) == ContainerRecord(
        {"docker": "/bin/docker"}, {"docker": ("a",)}, {"A": "1"}, (DOCKER,)
    )
