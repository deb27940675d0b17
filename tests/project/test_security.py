"""One test for each number of SECURITY.md."""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import envdoctor
from envdoctor.request.request import Request
from envdoctor.run.supervise import monitor
from envdoctor.run.supervise import run_directory as directories
from envdoctor.run.supervise.guard import named_in
from envdoctor.run.supervise.run_directory import RunDirectory
from tests.support import syntax
from tests.support.deaths_of_the_doctor import Death, die
from tests.support.zoo import COMMAND, ENVS, PATIENCE, examine

PACKAGE = Path(envdoctor.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
DOCTORS = [file for file in FILES if "probe" not in file.parts and file.name != "demo.py"]
TEXT = Path(__file__).parents[2].joinpath("SECURITY.md").read_text()

ARM = """
import json, os, sys

class Arm:
    def reset(self, seed=None):
        os.environ["TOKEN_OF_ARM"] = "a-new-value"
        with open(os.environ["TOLD"], "w") as file:
            json.dump({"path": sys.path, "modules": sorted(sys.modules), "pid": os.getpid(), "tmp": os.environ["TMPDIR"]}, file)
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}

    def close(self):
        pass
"""

HOOK = """
import os, sys

def note(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname") or (
        event in ("socket.connect", "socket.bind", "socket.sendto") and isinstance(arguments[1], tuple)
    ):
        with open(os.environ["HEARD"], "a") as file:
            file.write(f"{event} {arguments[1:]} {sys.argv}\\n")

sys.addaudithook(note)
"""


IN_ONE_PROCESS = """
import os, sys
from envdoctor.cli.start import main
sys.argv = ["envdoctor", "check", "arm.py", "--managers", "direct", "--select", "CLS001", "--format", "json"]
try:
    main()
except SystemExit:
    pass
assert "arm" not in sys.modules
sys.stderr.write(str(os.getpid()))
"""


ALONE = ("--managers", "direct")
QUICK = (*ALONE, "--select", "CLS001")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return with_arm(tmp_path / "project")


def with_arm(folder: Path) -> Path:
    """A project with an environment that says what it sees."""
    folder.mkdir()
    (folder / "arm.py").write_text(ARM)
    return folder


class Home(NamedTuple):
    """A home that holds nothing but a project, and the report on its environment."""

    path: Path
    project: Path
    report: str


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    path = tmp_path_factory.mktemp("home")
    project = with_arm(path / "project")
    report, _ = run(
        project,
        *ALONE,
        "--select",
        "SFX",
        HOME=str(path),
        TOLD=str(tmp_path_factory.mktemp("told") / "told.json"),
        SECRET_OF_MINE="a-value-nobody-tells",
        TOKEN_OF_ARM="an-old-value",
    )
    return Home(path, project, report)


def run(
    project: Path, *words: str, python: str = "", **environment: str
) -> tuple[str, dict[str, list[str]]]:
    """The report as text, and what the environment saw."""
    environment.setdefault("TOLD", str(project.parent / "told.json"))
    command = [
        str(COMMAND),
        "check",
        "arm.py",
        "--format",
        "json",
        "-vv",
        *words,
        *(["--python", python] if python else []),
    ]
    done = subprocess.run(
        command,
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, json.loads(Path(environment["TOLD"]).read_text())


def calls(files: list[Path]) -> Iterator[tuple[Path, str]]:
    """Whatever is called, by its last names: `subprocess.Popen`."""
    for file in files:
        for node in syntax.nodes(file.read_text()):
            if isinstance(node, ast.Call):
                yield file, ast.unparse(node.func)


def imported(files: list[Path]) -> set[str]:
    every = [node for file in files for node in syntax.nodes(file.read_text())]
    names = {alias.name for node in every if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in every if isinstance(node, ast.ImportFrom)}


def test_every_number_has_a_test() -> None:
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", TEXT, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {int(name[5:7]) for name in globals() if re.match(r"test_\d\d_", name)} == set(numbers)


def test_01_in_a_process_of_its_own(project: Path) -> None:
    words = [sys.executable, "-c", IN_ONE_PROCESS]
    answer = project.parent / "told.json"
    done = subprocess.run(
        words,
        cwd=project,
        env={**os.environ, "TOLD": str(answer)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert int(done.stderr) != json.loads(answer.read_text())["pid"]


def test_02_no_network(project: Path) -> None:
    (project.parent / "hook").mkdir()
    (project.parent / "hook" / "sitecustomize.py").write_text(HOOK)
    heard = project.parent / "heard"
    run(
        project,
        "--managers",
        "direct,gymnasium-async",
        "--select",
        "CLS,SFX",
        HEARD=str(heard),
        PYTHONPATH=os.pathsep.join([str(project.parent / "hook"), str(PACKAGE.parent)]),
    )
    assert not heard.exists(), heard.read_text()
    (project / "arm.py").write_text(
        ARM.replace(
            "os.environ[", "__import__('socket').socket().bind(('127.0.0.1', 0)); os.environ[", 1
        )
    )
    run(
        project,
        *QUICK,
        HEARD=str(heard),
        PYTHONPATH=os.pathsep.join([str(project.parent / "hook"), str(PACKAGE.parent)]),
    )
    assert "socket.bind" in heard.read_text()  # the ear hears
    # An environment's own coroutines need a loop, and so does OpenEnv's server.
    others = [file for file in FILES if file.name not in ("awaiting.py", "serving.py")]
    assert "asyncio" not in imported(others)
    # OpenEnv's own server, on the loopback, is also asked over HTTP.
    others = [file for file in FILES if file.parts[-2:] != ("openenv", "driving.py")]
    assert not imported(others) & {
        "http",
        "http.client",
        "urllib",
        "urllib.request",
        "requests",
        "ssl",
    }


def test_03_nothing_is_unpickled() -> None:
    # watching() takes the report of the doctor that it started itself, over a pipe of its own.
    others = [file for file in DOCTORS if file.name not in ("inside.py", "resident.py")]
    assert not imported(others) & {"pickle", "cloudpickle", "shelve", "dill", "joblib", "yaml"}
    forbidden = {
        "eval",
        "exec",
        "marshal.load",
        "marshal.loads",
        "pickle.load",
        "pickle.loads",
        "__import__",
    }
    done = {(file.name, name) for file, name in calls(DOCTORS) if name in forbidden}
    assert done == {("fast_dataclass.py", "exec"), ("inside.py", "pickle.loads")}
    readers = {file.name for file, name in calls(FILES) if name in ("pickle.load", "marshal.load")}
    assert readers == {"null.py", "trajectory.py"}  # of spaces, of trajectories


def test_04_the_directory_is_private(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        run_directory = RunDirectory()
    finally:
        os.umask(before)
    assert stat.S_IMODE(run_directory.path.stat().st_mode) == 0o700
    run_directory.close()
    assert not run_directory.path.exists()
    monkeypatch.setattr(directories.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(directories.secrets, "token_hex", lambda _size: "taken")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").touch()
    (tmp_path / "envdoctor-taken").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        RunDirectory()
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "envdoctor-taken"]
    assert (tmp_path / "elsewhere" / "precious").exists()
    assert named_in("envdoctor-taken") == set()


def test_05_nothing_is_written_to_other_places(home: Home) -> None:
    assert os.listdir(home.path) == ["project"]
    assert {path.name for path in home.project.iterdir()} <= {"arm.py", "__pycache__"}


def test_06_no_shell() -> None:
    assert "shell=True" not in "".join(file.read_text() for file in FILES)
    forbidden = {
        "os.system",
        "os.popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "os.spawnl",
    }
    assert [call for call in calls(FILES) if call[1] in forbidden] == []
    starters = {
        file.name
        for file, name in calls(FILES)
        if name in ("subprocess.Popen", "subprocess.run", "os.execv")
    }
    examining = {"probe_process.py", "run_directory.py", "guard.py", "demo.py", "owner.py"}
    # A watched training, the examinations of a sweep, an interpreter that is asked for its ids.
    # Commits by git, virtual environments by uv or pip, a node of a cluster.
    users = {
        "command.py",
        "engine.py",
        "examiner.py",
        "interpreters.py",
        "commits.py",
        "venvs.py",
        "ray_node.py",
        "visits.py",  # the interpreter of a training that is asked from within
        "inside.py",  # the doctor of a training that is watched from inside
        "starting.py",  # this Python anew, below its doctor
        "git.py",  # what changed since a commit
        "fixing.py",  # whether all is committed before a sweep changes files
    }
    assert starters <= examining | users | {file.name for file in FILES if "probe" in file.parts}


def test_07_nothing_of_ours_on_the_path(project: Path) -> None:
    base = Path(sys.base_prefix, "bin", "python3")
    if not base.exists() or Path(sys.prefix) == Path(sys.base_prefix):
        pytest.skip("no other interpreter here")
    _, answer = run(project, *QUICK, python=str(base), PYTHONPATH="")
    assert not [
        path for path in answer["path"] if path.startswith((sys.prefix, str(PACKAGE.parent)))
    ], answer["path"]
    assert not {"rich", "typer", "psutil"} & set(answer["modules"])
    assert [path for path in answer["path"] if path.endswith("bundle.pyz")]


def test_08_no_values_of_variables(home: Home) -> None:
    assert "changes TOKEN_OF_ARM" in home.report
    assert not [
        value
        for value in ("a-value-nobody-tells", "an-old-value", "a-new-value", "SECRET_OF_MINE")
        if value in home.report
    ]


def test_09_home_is_a_tilde(home: Home) -> None:
    assert str(home.path) not in home.report
    assert '"~/project/arm.py"' in home.report


def test_10_anonymous(project: Path) -> None:
    report, _ = run(project, *QUICK, "--anonymous", USER="augusta", LOGNAME="augusta")
    assert str(project.parent) not in report
    assert "augusta" not in report
    assert str(PACKAGE) not in report
    assert json.loads(report)["subjects"][0]["source"]["file"] == "arm.py"


def test_11_nothing_acts_on_the_terminal(tmp_path: Path) -> None:
    evil = "\\x1b[2J\\x1b]0;owned\\x07\\u202e\\r\\x9b1m[red]"
    (tmp_path / "evil.py").write_text(f"""
class Evil:
    def reset(self, seed=None):
        print("{evil}")
        raise RuntimeError("{evil}")

    def step(self, action):
        return 0, 0.0, False, False, {{}}

Evil.__name__ = Evil.__qualname__ = "E{evil}"
""")
    document = tmp_path / "report.json"
    words = ("check", "evil.py", *ALONE, "--select", "API", "-vv", "--report", f"json={document}")
    done = subprocess.run(
        [str(COMMAND), *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    for said in (done.stdout + done.stderr, document.read_text()):
        assert "owned" in said
        assert not {
            character for character in said if unicodedata.category(character) in ("Cc", "Cf", "Cs")
        } - {"\n"}


def test_12_nothing_goes_on() -> None:
    """In every way: tests/live/test_deaths_of_the_doctor.py, tests/live/test_nothing_left.py."""
    assert (
        die(
            Death(0, "SIGKILL", ("check", "mortal.py:HoldsSharedMemory"), 0.6, to_file=True),
            patience=PATIENCE,
        ).wrong
        == ()
    )


def test_13_ceilings() -> None:
    """Of memory: tests/cli/test_ceilings.py. Of what is printed: Chatters in
    tests/live/test_nothing_left.py.
    """
    _, document = examine(
        "hostile.py:CloseHangs", "--timeout", "1", *ALONE, "--select", "CLS004", cwd=ENVS
    )
    (finding,) = (finding for finding in document["findings"] if finding["code"] == "CLS004")
    assert finding["evidence"]["ceiling"] == "close took more than 1 s (--timeout)"
    assert Request(()).memory == 0
    assert monitor.MAX_OUTPUT <= 64 << 20
