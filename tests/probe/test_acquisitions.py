"""The audit hook, each time in a process of its own: it cannot be taken out again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import textwrap

import pytest

FOLDERS = []

HARNESS = """
import json, sys
sys.path.insert(0, {folder!r})
from envdoctor.probe.tracing import acquisitions
events = []
watched = acquisitions.watch(events.append, lambda file: file.endswith("sick.py"))
if __name__ == "__main__":
    import sick
    sick.take()
    watched.active = False
    sick.take()
    sys.stdout.write(json.dumps(events))
"""


def short_folder():
    """The fork server's socket lives in TMPDIR, and its path may have 107 characters; pytest's
    own folders are longer.
    """
    folder = tempfile.mkdtemp(prefix="t")
    FOLDERS.append(folder)
    return folder


@pytest.fixture(autouse=True)
def remove_short_folders():
    yield
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop(), ignore_errors=True)


def taken(tmp_path, body, imports="", harness=HARNESS):
    """Return the acquisitions of the function of that body, as (kind, target, line of the body,
    function).
    """
    tmp = short_folder()
    head = f"import os\n{imports}\ndef take():\n"
    (tmp_path / "sick.py").write_text(
        head + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    )
    (tmp_path / "main.py").write_text(harness.format(folder=str(tmp_path)))
    environment = {
        "TMPDIR": tmp,
        "PYTHONPATH": ":".join(sys.path),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, str(tmp_path / "main.py")],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout)
    assert all(
        event["event"] == "acquisition" and event["frame"]["file"].endswith("sick.py")
        for event in events
    )
    return [
        (
            event["what"],
            event["target"],
            event["frame"]["line"] - head.count("\n"),
            event["frame"]["function"],
        )
        for event in events
    ]


def test_a_descriptor(tmp_path):
    assert taken(tmp_path, "keep = 1\nopen('/dev/null').close()") == [
        ("descriptor", "/dev/null", 2, "take")
    ]


def test_a_temporary_file_and_a_folder(tmp_path):
    body = (
        "with tempfile.NamedTemporaryFile(prefix='x-') as made: pass\ntempfile.mkdtemp(prefix='y-')"
    )
    found = taken(tmp_path, body, "import tempfile")
    assert [event[0] for event in found] == ["descriptor", "file", "file"], found
    assert found[0][1].endswith(found[1][1])
    assert found[1][1].startswith("x-")
    assert found[2][1].startswith("y-")
    assert [event[2] for event in found] == [1, 1, 2]


def test_a_thread(tmp_path):
    body = "t = threading.Thread(target=os.getpid, name='renderer')\nt.start()\nt.join()"
    assert taken(tmp_path, body, "import threading") == [
        ("thread", "python thread 'renderer' (target posix.getpid)", 2, "take")
    ]


def test_a_child(tmp_path):
    found = taken(tmp_path, "subprocess.run(['sleep', '0'])", "import subprocess")
    assert ("process", "sleep 0", 1, "take") in found


def test_a_fork(tmp_path):
    found = taken(tmp_path, "child = os.fork()\nif not child: os._exit(0)\nos.waitpid(child, 0)")
    assert found == [("process", "fork", 1, "take")]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_of_multiprocessing(tmp_path, method):
    body = f"p = multiprocessing.get_context({method!r}).Process(target=os.getpid)\np.start()\np.join()"
    found = taken(tmp_path, body, "import multiprocessing")
    assert ("process", f"multiprocessing process ({method})", 2, "take") in found


def test_a_port(tmp_path):
    found = taken(
        tmp_path, "s = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.close()", "import socket"
    )
    assert found == [
        ("descriptor", "socket AF_INET", 1, "take"),
        ("port", "127.0.0.1:0", 2, "take"),
    ]


def test_imports_are_not_acquisitions(tmp_path):
    assert taken(tmp_path, "import colorsys") == []


def test_acquisitions_of_envdoctor_are_not_reported(tmp_path):
    assert (
        taken(tmp_path, "kernel.read('/dev/null')", "from envdoctor.probe.system import kernel")
        == []
    )


def test_a_broken_journal_does_not_break_the_environment(tmp_path):
    harness = HARNESS.replace("events.append", "lambda event: open('/no/such/folder')")
    assert taken(tmp_path, "open('/dev/null').close()", harness=harness) == []


def test_a_second_watch_takes_over(tmp_path):
    again = "acquisitions.watch(events.append, lambda file: file.endswith('sick.py'))"
    harness = HARNESS.replace("watched =", again + "\nwatched =")
    assert len(taken(tmp_path, "open('/dev/null').close()", harness=harness)) == 1
