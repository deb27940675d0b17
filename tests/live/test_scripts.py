"""Training scripts as what an environment is used in: `--script`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from envdoctor.errors import UsageError
from envdoctor.probe.subject import copies, scripts
from envdoctor.request.specs import parse_script
from tests.support.zoo import COMMAND, PATIENCE, examine, messages_of

GUARD = 'if __name__ == "__main__":\n    pass\n'
SPAWN = ("--managers", "gymnasium-async", "--start-methods", "spawn")


@pytest.mark.parametrize(
    ("text", "guarded", "calls"),
    [
        ("import os\n", False, None),
        (GUARD, True, None),
        ("if '__main__' == __name__: main()\n", True, None),
        ("def main(): pass\n\nmain()\n", False, {"line": 3, "text": "main()"}),
        ("def main(): pass\nregister_all()\n", False, None),
        ("this is no Python\n", True, None),
    ],
)
def test_a_script_is_read(text: str, guarded: bool, calls: object, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    assert scripts.look_at(str(script)) == {"path": str(script), "guarded": guarded, "calls": calls}


def test_copy_runs_in_place_of_its_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, copy = tmp_path / "train.py", tmp_path / "0-train.py"
    script.write_text("name = 1\n")
    copy.write_text(f"{GUARD}name, file = __name__, __file__\n")
    monkeypatch.setattr(copies, "_copies", {str(script.resolve()): str(copy)})
    assert scripts.look_at(str(script))["guarded"]
    names = scripts.run_top_level(str(script))
    assert (names["name"], names["file"]) == (scripts.MAIN, str(script))


def test_a_path_is_checked(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    assert parse_script("train.py", str(tmp_path)) == (str(tmp_path / "train.py"), ())
    assert parse_script(None, str(tmp_path)) == ("", ())
    with pytest.raises(
        UsageError, match=r"--script trian.py: no such file; did you mean train.py\?"
    ):
        parse_script("trian.py", str(tmp_path))
    with pytest.raises(UsageError, match="is a directory"):
        parse_script(".", str(tmp_path))


def test_a_bad_path_is_one_sentence() -> None:
    done = subprocess.run(
        [str(COMMAND), "check", "CartPole-v1", "--script", "nowhere.py"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--script nowhere.py: no such file" in done.stderr


def test_a_class_of_the_script_is_found_in_its_workers() -> None:
    exit_code, document = examine("__main__:Walker", "--script", "scripts/guarded.py", *SPAWN)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    assert document["subjects"][0]["env_class"] == "__main__.Walker"


@pytest.mark.everything
def test_a_script_that_never_comes_back(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import threading\n\nthreading.Event().wait()\n")
    _, document = examine("CartPole-v1", "--script", "train.py", "--timeout", "2", cwd=tmp_path)
    assert [
        finding["code"] for finding in document["findings"] if finding["severity"] == "error"
    ] == ["REG009"]


def test_a_script_that_fails_by_itself(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("undefined\n" + GUARD)
    _, document = examine("CartPole-v1", "--script", "train.py", cwd=tmp_path)
    assert messages_of(document, "error") == [
        "REG002 [direct None] importing train.py raises: NameError: name 'undefined' is not defined"
    ]


@pytest.mark.everything
def test_script_that_builds_at_the_top_level_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        'import gymnasium\n\nenv = gymnasium.make("CartPole-v1")\nenv.reset()\n'
    )
    _, document = examine("CartPole-v1", "--script", "train.py", *SPAWN, cwd=tmp_path)
    (finding,) = [one for one in document["findings"] if one["severity"] != "note"]
    assert (finding["code"], finding["severity"], finding["location"]["line"]) == (
        "REG009",
        "warning",
        3,
    )
    assert finding["message"].endswith("train.py builds env there")


@pytest.mark.everything
def test_an_id_that_only_the_guard_registers(tmp_path: Path) -> None:
    entry = (
        '    gymnasium.register("OnlyHere-v0",'
        ' entry_point="gymnasium.envs.classic_control:CartPoleEnv")\n'
    )
    (tmp_path / "train.py").write_text('import gymnasium\n\nif __name__ == "__main__":\n' + entry)
    _, document = examine("OnlyHere-v0", "--script", "train.py", cwd=tmp_path)
    assert {finding["code"] for finding in document["findings"]} == {"REG001", "REG007"}
