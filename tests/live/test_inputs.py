"""Wrong input, to the installed command: one sentence or one finding that helps, and never a
traceback of ours.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.zoo import COMMAND, PATIENCE

PLAIN = """
class {name}:
    def reset(self, seed=None):
        return 0, {{}}

    def step(self, action):
        return 0, 0.0, False, False, {{}}
"""

FILES = {
    "needs_more.py": "import a_package_that_nobody_has",
    "raises.py": "raise RuntimeError('no licence')",
    "hangs.py": "import threading\n\nthreading.Event().wait()",
    "exits.py": "import sys\n\nsys.exit('usage: train.py --seed N')",
    "vanishes.py": "import os\n\nos._exit(7)",
    "crashes.py": "import os\nimport signal\n\nos.kill(os.getpid(), signal.SIGSEGV)",
    "wrong_syntax.py": "def walk(:",
    "none.py": "import collections\n\nGRAVITY = 9.81",
    "two.py": PLAIN.format(name="Walker") + PLAIN.format(name="Runner"),
    "one.py": PLAIN.format(name="Walker"),
    "registers.py": (
        "import gymnasium\n"
        + PLAIN.format(name="Walker")
        + "\n\ngymnasium.register('Walker', entry_point=Walker)"
    ),
    "lazy.py": (
        "def __getattr__(name):\n    if name == 'Walker':\n        raise ImportError('no"
        " physics')\n    raise AttributeError(name)"
    ),
    "builds_nothing.py": "def make():\n    return None",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text + "\n")
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of `envdoctor check ... --format json`."""
    words = [str(COMMAND), "check", *arguments, "--format", "json"]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def refused(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and the one sentence with which a run that cannot begin ends."""
    exit_code, stdout, stderr = run(folder, *arguments)
    assert stdout == ""
    assert "Traceback" not in stderr
    assert stderr.startswith("envdoctor: ")
    assert stderr.count("\n") == 1, stderr
    return exit_code, stderr.removeprefix("envdoctor: ").rstrip("\n")


def found(folder: Path, *arguments: str) -> dict[str, Any]:
    """The only finding of a run, whose stdout is one JSON document and whose stderr is empty."""
    exit_code, stdout, stderr = run(folder, *arguments)
    assert stderr == ""
    document = json.loads(stdout)
    assert (exit_code, document["summary"]["verdict"]) == (1, "sick")
    (finding,) = document["findings"]
    assert "\n" not in finding["message"]
    assert finding["remedy"]["text"]
    return finding


@pytest.mark.everything(but=["raises.py", "crashes.py", "hangs.py", "CartPol-v1"])
@pytest.mark.parametrize(
    ("spec", "code", "message", "place"),
    [
        (
            "needs_more.py",
            "REG002",
            (
                "importing needs_more raises: ModuleNotFoundError: No module named"
                " 'a_package_that_nobody_has'"
            ),
            1,
        ),
        ("raises.py", "REG002", "importing raises raises: RuntimeError: no licence", 1),
        ("raises:Walker", "REG002", "importing raises raises: RuntimeError: no licence", 1),
        ("exits.py", "REG002", "importing exits exits: SystemExit: usage: train.py --seed N", 3),
        ("vanishes.py", "REG002", "the process ended with exit code 7 during the import", None),
        ("crashes.py", "REG002", "the process died of SIGSEGV during the import", 4),
        ("lazy:Walker", "REG002", "importing lazy raises: ImportError: no physics", 3),
        ("hangs.py", "HNG001", "the import hangs in hangs.py:3, <module>", 3),
        ("no_such_module:Walker", "REG001", "no module named no_such_module", None),
        ("one.py:Wlaker", "REG001", "one has no Wlaker; nearest: Walker", None),
        ("one:Wlaker", "REG001", "one has no Wlaker; nearest: Walker", None),
        (
            "CartPol-v1",
            "REG001",
            "no environment is registered under this id; nearest: CartPole-v1, CartPole-v0",
            None,
        ),
        (
            "cartpole-v1",
            "REG001",
            "no environment is registered under this id; nearest: CartPole-v1, CartPole-v0",
            None,
        ),
        (
            "CartPole-v9",
            "REG001",
            "no environment is registered under this id; nearest: CartPole-v1, CartPole-v0",
            None,
        ),
        (
            "builds_nothing:make",
            "MAK001",
            (
                "the constructor raises TypeError: it returned NoneType, which has no reset() and"
                " no step()"
            ),
            1,
        ),
    ],
)
def test_environment_that_cannot_be_built_is_a_finding(
    folder: Path, spec: str, code: str, message: str, place: int | None
) -> None:
    finding = found(
        folder, spec, "--timeout", "2" if spec == "hangs.py" else "30", "--managers", "direct"
    )
    assert finding["code"] == code
    # A newer Gymnasium may know more names that come near.
    assert finding["message"].startswith(message)
    assert (finding["location"] and finding["location"]["line"]) == place


@pytest.mark.everything
def test_wrong_syntax_is_shown_where_it_is(folder: Path) -> None:
    finding = found(folder, "wrong_syntax.py")
    assert finding["code"] == "REG002"
    assert "SyntaxError" in finding["message"]
    assert "wrong_syntax.py, line 1" in finding["message"]


def test_the_nearest_name_is_a_command_to_paste(folder: Path) -> None:
    assert found(folder, "CartPol-v1")["remedy"]["commands"] == ["envdoctor check CartPole-v1"]
    assert found(folder, "one.py:Wlaker")["remedy"]["commands"] == ["envdoctor check one.py:Walker"]


@pytest.mark.everything
def test_an_import_that_fails_is_reported_by_its_own_name(folder: Path) -> None:
    assert (
        found(folder, "CartPole-v1", "--import", "raises")["message"]
        == "importing raises raises: RuntimeError: no licence"
    )
    assert (
        found(folder, "CartPole-v1", "--import", "no_such_module")["message"]
        == "no module named no_such_module"
    )


@pytest.mark.everything
def test_an_argument_that_the_constructor_does_not_know(folder: Path) -> None:
    finding = found(folder, "CartPole-v1", "-k", "gravitation=9.81", "--managers", "direct")
    assert finding["code"] == "MAK001"
    assert "unexpected keyword argument 'gravitation'" in finding["message"]
    assert found(folder, "one.py", "-k", "size=3", "--managers", "direct")["code"] == "MAK001"


@pytest.mark.always
@pytest.mark.everything(but=["arguments0", "arguments1", "arguments10"])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["two.py"], "two.py holds 2 environments; name one of them: two.py:Walker, two.py:Runner"),
        (
            ["registers:Walker"],
            (
                "registers:Walker could be two things; name one of them: registers.py:Walker for the"
                " attribute of registers, Walker --import registers for the registered id"
            ),
        ),
        (
            ["one.py:__name__"],
            "one.py:__name__ is an instance of str: name a class or a function that builds one",
        ),
        (["oen.py"], "no such file: oen.py; did you mean one.py?"),
        (["nowhere/at_all.py"], "no such file: nowhere/at_all.py"),
        (
            ["one.py:"],
            "one.py:: '' is not a name of a class or function; write one.py:callable_or_class",
        ),
        (["."], ". is not a Python file; name one that ends in .py, or an id such as CartPole-v1"),
        (
            ["one.py", "-k", "size"],
            "-k size: write name=value, for example -k 'render_mode=\"rgb_array\"'",
        ),
        (
            ["one.py", "-k", "mode=fast"],
            "-k mode=fast: 'fast' is not a TOML value; a text needs quotes: -k 'mode=\"fast\"'",
        ),
        (["one.py", "-k", "size=["], "-k size=[: '[' is not a TOML value"),
        (
            ["one.py", "--managers", "gymnasium-asynk"],
            "no manager is called 'gymnasium-asynk'; did you mean gymnasium-async?",
        ),
        (
            ["one.py", "--start-methods", "spwan"],
            "no start method is called 'spwan'; did you mean spawn?",
        ),
        (["one.py", "--select", "CLS06"], "no rule is called CLS06; did you mean CLS006?"),
        (
            ["one.py", "--ignore", "close-hang"],
            "no rule is called close-hang; did you mean close-hangs?",
        ),
        (
            ["one.py", "--python", "nowhere/python"],
            "--python nowhere/python: no executable of that name",
        ),
        (
            ["one.py", "--python", "one.py"],
            "--python one.py: no executable of that name",
        ),
        (
            ["one.py", "--python", "/bin/false"],
            (
                "/bin/false cannot examine an environment: it ended with exit code 1 and"
                " said nothing"
            ),
        ),
        (
            ["one.py", "--output", "nowhere/report.json"],
            "--output nowhere/report.json: directory nowhere not found",
        ),
    ],
)
def test_wrong_usage_is_one_sentence(folder: Path, arguments: list[str], sentence: str) -> None:
    assert refused(folder, *arguments) == (2, sentence)


def test_a_file_with_nothing_to_check(folder: Path) -> None:
    sentence = (
        "none.py holds no environment: no class of its own has reset() and step(); a function that"
        " builds one has to be named, as "
    )
    assert refused(folder, "none.py") == (3, sentence + "none.py:make_env")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("echo what is a bundle >&2; exit 9", "what is a bundle"),
        ("kill -SEGV $$", "it ended with SIGSEGV and said nothing"),
    ],
)
def test_a_program_that_is_no_python(folder: Path, script: str, complaint: str) -> None:
    program = folder / "python9"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    sentence = f"{program} cannot examine an environment: {complaint}"
    assert refused(folder, "CartPole-v1", "--python", "./python9") == (2, sentence)


def test_a_program_without_its_interpreter(folder: Path) -> None:
    (folder / "python9").write_text("#!/nowhere/python\n")
    (folder / "python9").chmod(0o755)
    exit_code, sentence = refused(folder, "CartPole-v1", "--python", str(folder / "python9"))
    assert exit_code == 2
    assert sentence.endswith("python9: No such file or directory")


@pytest.mark.always
def test_a_finding_in_one_subject_does_not_hide_the_other(folder: Path) -> None:
    narrow = ("--managers", "direct", "--select", "REG,CLS")
    exit_code, stdout, _ = run(folder, "raises.py", "one.py", *narrow)
    document = json.loads(stdout)
    assert exit_code == 1
    assert [(finding["subject"], finding["code"]) for finding in document["findings"]] == [
        ("raises.py", "REG002")
    ]
    assert document["subjects"][1]["env_class"] == "one.Walker"


def test_output_of_an_environment_stays_off_stdout(folder: Path) -> None:
    (folder / "chatty.py").write_text(
        "print('hello')\n"
        + FILES["one.py"].replace("return 0, {}", "print('reset')\n        return 0, {}")
    )
    exit_code, stdout, stderr = run(folder, "chatty.py", "--managers", "direct", "--select", "CLS")
    assert (exit_code, stderr) == (0, "")
    assert json.loads(stdout)["summary"]["verdict"] == "healthy"
