"""Additions by other packages, through the installed command: the package in plugin_example adds a
manager, a sensor, a rule, a format and an exporter.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from envdoctor.model.facts import Survey
from envdoctor.plugins import entries
from envdoctor.probe import adapters
from envdoctor.testing import run_examples
from tests.support.zoo import COMMAND

EXAMPLE = Path(__file__).parent / "plugin_example"
PATIENCE = 600.0  # seconds

DECLARED = re.search(
    r"(?s)\[project\.entry-points.*?(?=\n\[tool)", EXAMPLE.joinpath("pyproject.toml").read_text()
)[0]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory for PYTHONPATH with the example as pip would have installed it."""
    metadata = tmp_path / "acme_doctor-1.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("entry_points.txt").write_text(
        re.sub(r'\[project\.entry-points\."(.*)"\]', r"[\1]", DECLARED).replace('"', "")
    )
    metadata.joinpath("METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-doctor\nVersion: 1.0\n"
    )
    tmp_path.joinpath("acme_doctor").symlink_to(EXAMPLE / "acme_doctor")
    return tmp_path


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(EXAMPLE.parents[1])])
    command = [str(COMMAND), *words]
    return subprocess.run(
        command,
        cwd=EXAMPLE / "environments",
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_its_manager_sensor_and_rule_are_played(site: Path) -> None:
    done = run(
        site,
        "check",
        "licensed.py:Sick",
        "--managers",
        "direct,acme-loop",
        "--format",
        "json",
        "--exit-zero",
        "--select",
        "ACM",
    )
    document = json.loads(done.stdout)
    found = {
        finding["manager"]: finding
        for finding in document["findings"]
        if finding["code"] == "ACM001"
    }
    assert set(found) == {"direct", "acme-loop"}
    assert {(finding["severity"], finding["blame"]) for finding in found.values()} == {
        ("warning", "environment")
    }
    assert found["direct"]["message"] == "close() keeps 1 of Acme's licences"
    lives = {
        (one["manager"], one["outcome"]) for one in document["scenarios"] if one["name"] == "life"
    }
    assert lives == {("direct", "finished"), ("acme-loop", "finished")}
    healthy = json.loads(
        run(
            site,
            "check",
            "licensed.py:Healthy",
            "--managers",
            "direct,acme-loop",
            "--select",
            "ACM",
            "--format",
            "json",
        ).stdout
    )
    assert {
        (one["code"], one["manager"]) for one in healthy["passed"] if one["code"] == "ACM001"
    } >= {("ACM001", "direct")}
    assert [finding for finding in healthy["findings"] if finding["code"] == "ACM001"] == []


def test_its_sensor_is_a_meter_of_the_leak_check(site: Path) -> None:
    """Its own file is all that says so."""
    words = ("leak", "licensed.py:Sick", "--managers", "direct", "--no-try-remedies")
    document = json.loads(run(site, *words, "--format", "json").stdout)
    growth = document["subjects"][0]["growth"][0]
    (meter,) = (one for one in growth["meters"] if one["meter"] == "acme-licences")
    assert (meter["verdict"], meter["per_cycle"]) == ("leak", 1.0)
    (finding,) = (one for one in document["findings"] if one["code"] == "LEK001")
    assert finding["evidence"]["holds"] == {"acme-licences": 1.0}


@pytest.mark.always
def test_its_rule_and_format_are_among_ours(site: Path) -> None:
    assert (
        "ACM001  warning  licence-kept: close() keeps a licence of Acme's simulator."
        in run(site, "rules").stdout
    )
    assert "the eleventh worker waits" in run(site, "explain", "licence-kept").stdout
    done = run(
        site,
        "check",
        "licensed.py:Sick",
        "--managers",
        "direct",
        "--select",
        "ACM",
        "--format",
        "acme",
        "--fail-on",
        "warning",
    )
    assert (done.returncode, done.stdout) == (1, "ACM001;warning;direct\n")


def test_its_exporter_gets_the_samples_of_a_training(site: Path, tmp_path: Path) -> None:
    refused = run(site, "watch", "--export", "acme=a.txt", "--", "true")
    assert refused.returncode == 2
    assert "expected a file whose name ends in .acme" in refused.stderr
    run(site, "watch", "--export", f"acme={tmp_path}/a.acme", "--", "true")
    assert (tmp_path / "a.acme").read_text() == "0;over\n"


def test_without_it_nothing_is_there(tmp_path: Path) -> None:
    done = run(tmp_path, "check", "licensed.py:Sick", "--managers", "acme-loop")
    assert done.returncode == 2
    assert "no manager is called 'acme-loop'" in done.stderr


BROKEN = {
    "managers": "acme-loop = no_such_module\n",
    "sensors": "acme-licences = no_such_module\n",
    "rules": "ACM001-licence-kept = no_such_module\n",
}


def test_a_broken_plugin_is_reported_and_harms_nothing(site: Path) -> None:
    text = (
        "".join(f"[envdoctor.{group}]\n{line}" for group, line in BROKEN.items())
        + "[envdoctor.reporters]\nacme = no_such_module\n"
    )
    site.joinpath("acme_doctor-1.0.dist-info", "entry_points.txt").write_text(text)
    done = run(
        site,
        "check",
        "licensed.py:Healthy",
        "--managers",
        "direct,acme-loop",
        "--select",
        "ACM,CLS007,DOC",
        "--format",
        "json",
    )
    document = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    told = {finding["code"]: finding["message"] for finding in document["findings"]}
    assert set(told) == {"DOC001", "DOC003"}
    assert told["DOC001"].startswith(
        "acme-licences cannot be measured here: its plug-in no_such_module cannot be used:"
        " ModuleNotFoundError"
    )
    assert (
        "ACM001 crashed: RuntimeError: its plug-in no_such_module failed with ModuleNotFoundError"
        in told["DOC003"]
    )
    assert [
        skipped["manager"]
        for skipped in document["skipped"]
        if "no_such_module" in skipped["reason"]
    ] == ["acme-loop"]
    refused = run(site, "check", "licensed.py:Healthy", "--format", "acme")
    assert refused.returncode == 2
    assert (
        "the format acme cannot be used: its plug-in no_such_module failed with ModuleNotFoundError"
        in refused.stderr
    )


def manager(**more: object) -> SimpleNamespace:
    """A plug-in's manager as it says of itself."""
    told = {"START_METHODS": (), "APIS": ("gymnasium",), "HIDDEN": 0, "EXPECTED": (), **more}
    return SimpleNamespace(__name__="acme_doctor.loop", missing=str, **told)


def test_a_careless_manager_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"one": manager(RELAUNCHES=1), "two": manager(HIDDEN="none"), "three": manager(APIS=7)}
    monkeypatch.setattr(adapters, "modules", lambda: there)
    managers = Survey.decode({"managers": adapters.survey()}).managers
    assert (managers["one"].available, managers["one"].relaunches) == (True, True)
    for name, problem in (("two", "hidden of SurveyedManager: expected"), ("three", "TypeError")):
        assert not managers[name].available
        assert managers[name].reason.startswith("its plug-in acme_doctor.loop cannot be used: ")
        assert problem in managers[name].reason


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("CLS006-mine", "CLS006 is a code of envdoctor's own"),
        ("acme", "name it after code and rule"),
    ],
)
def test_a_code_is_ones_own(site: Path, name: str, sentence: str) -> None:
    site.joinpath("acme_doctor-1.0.dist-info", "entry_points.txt").write_text(
        f"[envdoctor.rules]\n{name} = acme_doctor.licence_kept\n"
    )
    done = run(site, "rules")
    assert done.returncode == 2
    assert sentence in done.stderr


def test_its_author_can_try_a_rule_without_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from acme_doctor.licence_kept import licence_kept

    run_examples(licence_kept)


def test_declarations_are_read_as_packagers_write_them() -> None:
    text = (
        "[console_scripts]\na = b:c\n\n[envdoctor.rules]\n# mine\nACM001-x = acme.rules : judge"
        " [extra]\nnonsense\n"
    )
    assert list(entries(text)) == [
        ("console_scripts", "a", "b"),
        ("envdoctor.rules", "ACM001-x", "acme.rules"),
    ]
