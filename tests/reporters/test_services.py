"""Sentences on services that an environment is connected to."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from envdoctor.analysis.services import summarise
from envdoctor.model.report import HEALTHY, Report, ServiceReport, SubjectReport
from envdoctor.model.scenario import SERVICE_COUNT
from envdoctor.reporters import html, json_v1
from envdoctor.reporters._particulars import connected, not_looked_at
from envdoctor.rules.engine.examples import fact, trace

HERE = ServiceReport("127.0.0.1:20124", "python service.py 20124")
REMOTE = ServiceReport("10.1.2.3:443")


def report(*services: ServiceReport) -> Report:
    return Report((SubjectReport("env.py:Shell", services=services),), (), (), (), (), HEALTHY)


def test_services_are_read_once_from_facts() -> None:
    told = [{"address": HERE.address, "listener": HERE.listener}, {"address": REMOTE.address}]
    lives = [trace(fact("connections", told)), trace(fact("connections", told[:1]))]
    assert summarise(lives) == (HERE, REMOTE)
    asked = trace(name="leak", script="block:7", options=((SERVICE_COUNT, "echo 1"),))
    assert [one.counted for one in summarise([*lives, asked])] == [True, True]
    assert summarise([trace()]) == ()


@pytest.mark.parametrize(
    ("services", "text"),
    [
        ((HERE,), "127.0.0.1:20124 (python service.py 20124)"),
        ((REMOTE, HERE), "10.1.2.3:443, 127.0.0.1:20124 (python service.py 20124)"),
        ((REMOTE,) * 5, "10.1.2.3:443, 10.1.2.3:443, 10.1.2.3:443 and 2 more"),
        ((ServiceReport("a:1", "x" * 99),), f"a:1 ({'x' * 77}...)"),
    ],
)
def test_services_are_listed(services: tuple[ServiceReport, ...], text: str) -> None:
    assert connected(services) == text


def test_service_that_is_counted_is_looked_at() -> None:
    assert not_looked_at("env.py:Shell", (HERE,)) == (
        "env.py:Shell is connected to 127.0.0.1:20124 (python service.py 20124) while it lives, and"
        " what it leaves there is not looked at: --service-count COMMAND counts it"
    )
    counted = ServiceReport(HERE.address, HERE.listener, counted=True)
    assert not_looked_at("env.py:Shell", (counted,)) == not_looked_at("env.py:Shell", ()) == ""


def test_services_are_in_the_document_and_on_the_page() -> None:
    document = json.loads(json_v1.render(report(HERE)))
    Draft202012Validator(json.loads(json_v1.schema())).validate(document)
    assert document["subjects"][0]["services"] == [
        {"address": HERE.address, "listener": HERE.listener, "counted": False}
    ]
    assert "services" not in json.loads(json_v1.render(report()))["subjects"][0]
    assert HERE.address in html.render(report(HERE))
