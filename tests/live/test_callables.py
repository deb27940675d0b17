"""Functions that are called again and again: one iteration of a training loop, whether it keeps
something.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import envdoctor
from envdoctor.probe.subject.training import why_no_factory
from envdoctor.testing import assert_no_growth
from tests.envs.loops import training

FILE = Path(training.__file__)


def told(*words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "envdoctor", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout, done.stderr


def leak(name: str, *more: str) -> dict[str, Any]:
    _, out, error = told("leak", f"{FILE}:{name}", "--callable", "--format", "json", *more)
    assert out, error
    document: dict[str, Any] = json.loads(out)
    return document


def test_an_iteration_that_keeps_its_losses_is_reported_with_its_list_line_and_price() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_no_growth(training.keeps_its_losses)
    text = " ".join(str(caught.value).split())
    assert "LEK001 python-objects-grow" in text
    assert "every call keeps 5 Python objects" in text
    assert "per million calls; kept in tests.envs.loops.training.LOSSES" in text
    line = inspect.getsourcelines(training.keeps_its_losses)[1] + 1
    assert f"training.py:{line} in keeps_its_losses" in text
    assert "close()" not in text, "a function has none"


@pytest.mark.everything
def test_one_that_keeps_nothing_passes_as_far_as_it_was_called() -> None:
    report = assert_no_growth(training.keeps_nothing)
    (growth,) = report.subjects[0].growth
    assert (growth.unit, growth.cycles) == ("call", 35)
    assert report.subjects[0].env_class == "tests.envs.loops.training.keeps_nothing"
    assert {passed.code[:3] for passed in report.passed} >= {"LEK", "API"}


@pytest.mark.everything
def test_a_descriptor_of_each_call_and_an_error_of_each_call() -> None:
    (finding,) = leak("forgets_a_descriptor")["findings"]
    assert finding["code"] == "LEK005"
    assert finding["message"].startswith("every call leaves 1 descriptor: the usual limit of 1024")
    assert finding["evidence"]["per_operation"] == {"call": 1.0}
    failed = leak("fails")
    (finding,) = failed["findings"]
    assert finding["code"] == "API014"
    assert finding["message"] == "fails() raises ValueError: no data, in 40 of 40 calls"
    assert not any(passed["code"].startswith("LEK") for passed in failed["passed"])


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "code", "says", "cure"),
    [
        (
            "leaves_cycles",
            "LEK011",
            "every call leaves 4.0 MiB to the garbage collector",
            "before leaves_cycles() returns",
        ),
        (
            "maps_memory",
            "LEK004",
            "every call keeps 1.0 MiB of mapped memory",
            "unmap in maps_memory() what was mapped",
        ),
    ],
)
def test_growth_of_a_function_is_described_as_of_a_function(
    name: str, code: str, says: str, cure: str
) -> None:
    code_of, out, error = told("leak", f"{FILE}:{name}", "--callable", "--time-budget", "10")
    text = " ".join(out.split())
    assert code in text, out + error
    assert code_of in (0, 1)
    assert says in text
    assert cure in text.replace("Cut the cycle ", "")
    assert "cause the function" in text
    assert "the environment" not in text
    assert "make, reset" not in text


def test_one_that_does_not_come_back_is_not_judged_and_says_what_to_name() -> None:
    document = leak("never_ends", "--timeout", "1")
    assert document["findings"] == []
    assert document["summary"]["verdict"] == "inconclusive"
    reasons = {each["reason"] for each in document["skipped"] if each["code"] == "LEK001"}
    (reason,) = reasons
    assert reason.startswith(
        "never_ends() did not come back in the time that --timeout allows: name a function"
    )


def test_a_function_that_builds_an_environment_is_examined_as_one() -> None:
    report = envdoctor.leak(training.make_cart, cycles=7, time_budget=5.0)
    assert report.subjects[0].env_class.endswith(".CartPoleEnv")
    code, _, error = told("leak", f"{FILE}:make_cart", "--callable")
    assert code == 2
    assert "builds an environment: leave --callable out" in error


@pytest.mark.everything(but=["learns"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("never_ends", "builds no environment: it returns nothing"),
        ("learns", "trains: it calls learn()"),
    ],
)
def test_a_function_that_trains_is_reported_as_such_and_not_called(name: str, why: str) -> None:
    code, _, error = told("leak", f"{FILE}:{name}")
    assert code == 2
    assert f"{name} {why}; `envdoctor leak" in error
    assert "--callable` calls it again and again" in error


def test_only_a_function_that_cannot_build_anything_is_refused() -> None:
    named = {
        name: bool(why_no_factory(value, name))
        for name, value in vars(training).items()
        if callable(value)
    }
    assert {name for name, refused in named.items() if refused} == {
        "never_ends",
        "learns",
    }, "fails() may be a constructor that fails"


@pytest.mark.everything
def test_an_instance_is_refused_by_name_although_it_can_be_called() -> None:
    with pytest.raises(envdoctor.UsageError, match="this is an instance of Buffer: hand over its"):
        assert_no_growth(training.BUILT)
    code, _, error = told("leak", f"{FILE}:BUILT")
    assert code == 2
    assert "BUILT is an instance of Buffer: name a class or a function" in error


@pytest.mark.everything(but=["words0"])
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["CartPole-v1"], "--callable CartPole-v1: name a function, as package.module:function"),
        ([f"{FILE}:fails", "--storage", "sb3"], "--callable and --storage do not go together"),
        (
            [f"{FILE}:fails", "--managers", "gymnasium-sync"],
            "--callable and --managers do not go together",
        ),
    ],
)
def test_callable_rejects_other_specs_and_options(words: list[str], sentence: str) -> None:
    code, _, error = told("leak", *words, "--callable")
    assert code == 2
    assert sentence in error


def test_the_search_path_of_the_caller_goes_with_a_function(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "helper.py").write_text("def one(): return object()\n")
    (tmp_path / "loop.py").write_text("import helper\ndef iteration(): return bool(helper.one())\n")
    script = (
        "import sys\n"
        f"sys.path.append({str(tmp_path / 'elsewhere')!r})\n"
        "import loop\n"
        "from envdoctor.testing import assert_no_growth\n"
        "print(assert_no_growth(loop.iteration, time_budget=10.0).verdict)\n"
    )
    (tmp_path / "use.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "use.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == "healthy\n", done.stderr
