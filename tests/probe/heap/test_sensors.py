"""Sensors against real descriptors, threads, children, sockets and memory."""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import zipapp
from multiprocessing import shared_memory
from pathlib import Path
from types import ModuleType

import pytest

import envdoctor
from envdoctor.probe import sensors
from envdoctor.probe.growth.settle import leave_out_what_is_there, settle
from envdoctor.probe.sensors import Context, Sensors
from envdoctor.probe.system import heap
from tests.probe.fresh import run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

NAMES = {
    "descriptors",
    "threads",
    "processes",
    "zombies",
    "ports",
    "files",
    "shared-memory",
    "python-blocks",
    "python-objects",
    "native-heap",
    "signals",
    "directory",
    "environment",
    "random",
    "stdout",
    "warnings",
    "logging",
    "thread-settings",
    "collector",
    "running-loop",
    "windows",
    "engine-containers",
    "gpu-memory",
}
PATIENCE = 600.0  # seconds that a test waits for what must come


@pytest.fixture
def home(tmp_path):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "stdout").touch()
    return tmp_path


@pytest.fixture
def probe(home):
    def fail(name, problem):
        pytest.fail(f"{name}: {problem}")

    return Sensors(Context(str(home)), fail)


def left(probe, name, before):
    """Return the entries of a sensor that it did not show before."""
    now = probe.read_all([name])[name]
    return {key: text for key, text in now.items() if before.get(key) != text}


def until(condition):
    """Poll, bounded, for what another process does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        threading.Event().wait(0.005)


def test_every_sensor_is_found_and_works_here():
    available = sensors.available()
    assert set(available) == NAMES
    assert {name for name, reason in available.items() if reason} <= {
        "native-heap",
        *sensors.absent(),
    }


def test_memory_is_counted_before_other_sensors_allocate():
    assert [sensor.NAME for sensor in sensors.sensors()][:3] == [
        "native-heap",
        "python-blocks",
        "python-objects",
    ]


def test_sensors_are_found_in_a_zip_file(tmp_path):
    package = Path(envdoctor.__file__).parent
    shutil.copytree(
        package, tmp_path / "app" / "envdoctor", ignore=shutil.ignore_patterns("__pycache__")
    )
    code = (
        "import json\nfrom envdoctor.probe import"
        " sensors\nprint(sensors.__file__)\nprint(json.dumps(sensors.available()))\n"
    )
    (tmp_path / "app" / "__main__.py").write_text(code)
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "app.pyz")],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    place, available = done.stdout.splitlines()
    assert place.startswith(str(tmp_path / "app.pyz"))
    assert set(json.loads(available)) == NAMES


def test_only_the_names_asked_for_are_read(probe):
    assert set(probe.read_all(["threads", "files"])) == {"threads", "files"}
    assert set(probe.read_all()) == {
        name for name, reason in sensors.available().items() if not reason
    }


def test_a_sensor_that_raises_has_no_reading_and_is_reported_once(home, monkeypatch):
    from envdoctor.probe.sensors import directory

    def broken(context):
        raise ValueError("no")

    monkeypatch.setattr(directory, "read", broken)
    said = []
    probe = Sensors(Context(str(home)), lambda *words: said.append(words))
    assert "directory" not in probe.read_all()
    assert "threads" in probe.read_all()
    assert said == [("directory", "ValueError: no")]


def test_descriptors_say_what_they_are(probe, tmp_path):
    before = probe.read_all()["descriptors"]
    reader, writer = os.pipe()
    with (
        open(tmp_path / "log", "w") as log,
        socket.socket() as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            found = left(probe, "descriptors", before)
            assert found[str(log.fileno())] == str(tmp_path / "log")
            assert found[str(reader)].startswith("pipe:[")
            assert found[str(server.fileno())] == f"socket 127.0.0.1:{port} listening"
            assert found[str(client.fileno())].endswith(f"connected to 127.0.0.1:{port}")
            assert found[str(local.fileno())].startswith("unix socket [")
            assert len(found) == 6
    os.close(reader)
    os.close(writer)
    assert left(probe, "descriptors", before) == {}


def test_a_deleted_file_is_the_same_descriptor(probe, tmp_path):
    path = tmp_path / "gone"
    with open(path, "w"):
        before = probe.read_all(["descriptors"])["descriptors"]
        path.unlink()
        assert left(probe, "descriptors", before) == {}


def test_ipv6_listeners_are_written_as_people_write_them(probe):
    with socket.socket(socket.AF_INET6) as server:
        try:
            server.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
        server.listen()
        assert f"[::1]:{server.getsockname()[1]}/tcp" in probe.read_all(["ports"])["ports"]


def test_threads_have_names_and_targets(probe):
    before, stop = probe.read_all(["threads"])["threads"], threading.Event()

    class Poller(threading.Thread):
        def run(self):
            stop.wait(PATIENCE)

    started = [
        threading.Thread(target=stop.wait, args=(PATIENCE,), name="renderer"),
        Poller(name="poller"),
    ]
    for thread in started:
        thread.start()
    found = left(probe, "threads", before)
    assert (
        found[str(started[0].native_id)] == "python thread 'renderer' (target threading.Event.wait)"
    )
    assert found[str(started[1].native_id)].endswith("Poller.run)")
    stop.set()
    for thread in started:
        thread.join()
    until(lambda: left(probe, "threads", before) == {})


def test_a_child_is_a_process_then_a_zombie_then_nothing(probe):
    before = probe.read_all(["processes", "zombies"])
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            assert left(probe, "processes", before["processes"]) == {str(child.pid): "sleep 60"}
        finally:
            child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert left(probe, "processes", before["processes"]) == {}
        assert left(probe, "zombies", before["zombies"]) == {str(child.pid): "sleep"}
    assert left(probe, "zombies", before["zombies"]) == {}


def test_children_of_other_threads_and_grandchildren_are_seen(probe):
    before = probe.read_all(["processes"])["processes"]
    begun, done, made = threading.Event(), threading.Event(), []

    def work():
        made.append(
            subprocess.Popen(
                ["sh", "-c", "sleep 60 & echo; wait"],
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        )
        made[0].stdout.readline()
        begun.set()
        done.wait(PATIENCE)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(PATIENCE)
    until(lambda: len(left(probe, "processes", before)) == 2)
    os.killpg(made[0].pid, signal.SIGKILL)
    done.set()
    thread.join()
    made[0].wait()
    made[0].stdout.close()
    until(lambda: left(probe, "processes", before) == {})


def wait_for(event):
    event.wait(PATIENCE)


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_workers_are_seen_and_the_helpers_of_multiprocessing_are_not(
    probe, method, monkeypatch, home
):
    monkeypatch.setenv("TMPDIR", str(home / "tmp"))
    context = multiprocessing.get_context(method)
    before = probe.read_all()
    stop = context.Event()
    workers = [context.Process(target=wait_for, args=(stop,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = left(probe, "processes", before["processes"])
    assert set(found) == {str(worker.pid) for worker in workers}, found
    stop.set()
    for worker in workers:
        worker.join()
        worker.close()
    assert left(probe, "processes", before["processes"]) == {}
    assert left(probe, "zombies", before["zombies"]) == {}
    del stop, worker, workers
    settle()
    assert left(probe, "descriptors", before["descriptors"]) == {}
    assert left(probe, "files", before["files"]) == {}


def test_an_orphan_that_the_guard_adopted_is_ours(home):
    """The guard is a subreaper; its child is the probe; the grandchild's parent dies."""
    script = textwrap.dedent("""
        import ctypes, os, subprocess, sys, time
        from envdoctor.probe.sensors import Context, Sensors
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        if os.fork() == 0:
            probe = Sensors(Context(sys.argv[1], os.getppid()))
            before = probe.read_all(["processes"])["processes"]
            subprocess.run(["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!"])
            deadline = time.monotonic() + 600
            while time.monotonic() < deadline:
                now = probe.read_all(["processes"])["processes"]
                if now and set(now.values()) == {"sleep 60"}:
                    break
            print(before, now, flush=True)
            for pid in now:
                os.kill(int(pid), 9)
            os._exit(0)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(home)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    orphan, told = (
        done.stdout.split("\n", 1)
        if done.stdout[0].isdigit()
        else reversed(done.stdout.rstrip().rsplit("\n", 1))
    )
    assert told.strip() == "{} {'%s': 'sleep 60'}" % orphan.strip(), done.stderr


def test_ports_of_this_process_and_of_children(probe):
    before = probe.read_all(["ports"])["ports"]
    code = (
        "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1],"
        " flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    port = int(child.stdout.readline())
    with socket.create_server(("127.0.0.1", 0)) as server:
        own = server.getsockname()[1]
        assert left(probe, "ports", before) == {
            f"127.0.0.1:{port}/tcp": f"pid {child.pid}",
            f"127.0.0.1:{own}/tcp": f"pid {os.getpid()}",
        }
    child.communicate(timeout=PATIENCE)
    assert left(probe, "ports", before) == {}


def test_files_are_listed_with_their_sizes_and_empty_folders_as_such(probe, home):
    (home / "tmp" / "a" / "b").mkdir(parents=True)
    (home / "tmp" / "a" / "log").write_bytes(b"12345")
    (home / "tmp" / "link").symlink_to("/")
    assert probe.read_all(["files"])["files"] == {
        "a/log": "5 bytes",
        "a/b/": "empty folder",
        "link": "1 bytes",
    }


def test_shared_memory_is_remembered_after_it_was_unmapped(probe):
    before = probe.read_all(["shared-memory"])["shared-memory"]
    block = shared_memory.SharedMemory(create=True, size=4096)
    try:
        name = "/dev/shm/" + block.name.lstrip("/")
        assert left(probe, "shared-memory", before) == {name: "4096 bytes"}
        block.close()
        assert left(probe, "shared-memory", before) == {name: "4096 bytes"}
    finally:
        block.unlink()
    assert left(probe, "shared-memory", before) == {}


def test_shared_memory_of_others_is_left_alone(probe):
    """Made by a process that is none of ours: its parent is gone, and nobody adopted it on our
    behalf.
    """
    before = probe.read_all(["shared-memory"])["shared-memory"]
    path = f"/dev/shm/envdoctor-test-{os.getpid()}"
    try:
        with open(path, "w") as stranger:
            stranger.write("x")
        assert left(probe, "shared-memory", before) == {}
    finally:
        os.unlink(path)


def test_system_v_segments_by_their_creator(probe):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    before = probe.read_all(["shared-memory"])["shared-memory"]
    segment = libc.shmget(0, 4096, 0o1600)
    if segment < 0:
        pytest.skip("no System V memory here")
    try:
        assert left(probe, "shared-memory", before) == {f"sysv {segment}": "4096 bytes"}
    finally:
        libc.shmctl(segment, 0, None)
    assert left(probe, "shared-memory", before) == {}


def test_the_native_heap_sees_what_python_does_not():
    if heap.missing():
        pytest.skip(heap.missing())
    import ctypes

    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    libc.malloc.argtypes = (ctypes.c_size_t,)
    before = heap.used()
    block = libc.malloc(50_000)
    grown = heap.used() - before
    libc.free(block)
    assert 50_000 <= grown < 60_000


def test_signal_handlers(probe):
    old = signal.signal(signal.SIGUSR2, signal.SIG_DFL)  # a parent may have it ignored
    try:
        before = probe.read_all(["signals"])["signals"]
        signal.signal(signal.SIGUSR2, wait_for)
        assert left(probe, "signals", before) == {"SIGUSR2": f"{__name__}.wait_for"}
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        assert left(probe, "signals", before) == {"SIGUSR2": "ignored"}
        signal.signal(signal.SIGUSR2, signal.SIG_DFL)
        assert left(probe, "signals", before) == {"SIGUSR2": "default"}
    finally:
        signal.signal(signal.SIGUSR2, old)


def test_native_signal_handlers_are_seen(probe):
    import ctypes

    before, libc = probe.read_all(["signals"])["signals"], ctypes.CDLL(None)
    libc.signal.restype, libc.signal.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
    old = libc.signal(signal.SIGURG, ctypes.cast(libc.abs, ctypes.c_void_p))
    try:
        assert left(probe, "signals", before) == {"SIGURG": "native handler"}
    finally:
        libc.signal(signal.SIGURG, old)


def test_directory(probe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert probe.read_all(["directory"])["directory"] == {"directory": str(tmp_path)}


def test_environment_shows_changes_and_no_values(probe, monkeypatch):
    before = probe.read_all(["environment"])["environment"]
    monkeypatch.setenv("ZOO_TOKEN", "hunter2")
    added = left(probe, "environment", before)
    assert set(added) == {"ZOO_TOKEN"}
    assert "hunter2" not in str(probe.read_all(["environment"]))
    monkeypatch.setenv("ZOO_TOKEN", "hunter3")
    assert left(probe, "environment", before) != added


def test_random_states(probe):
    import numpy as np

    before = probe.read_all(["random"])["random"]
    assert left(probe, "random", before) == {}
    random.random()
    assert set(left(probe, "random", before)) == {"random"}
    np.random.rand()  # noqa: NPY002
    assert set(left(probe, "random", before)) == {"random", "numpy.random"}


def test_stdout_counts_bytes(home):
    script = textwrap.dedent("""
        import ctypes, sys
        from envdoctor.probe.sensors import Context, Sensors
        probe = Sensors(Context(sys.argv[1]))
        print("hello")
        ctypes.CDLL(None).printf(b"native")
        sys.stderr.write(str(probe.read_all(["stdout"])))
    """)
    with open(home / "stdout", "w") as out:
        done = subprocess.run(
            [sys.executable, "-c", script, str(home)],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
            check=True,
        )
    assert done.stderr == "{'stdout': {'stdout': '12 bytes'}}"


def test_reading_a_hundred_times_changes_nothing(tmp_path):
    """Exactly nothing, after what is made once was made: in a process where nobody else makes
    anything.
    """
    moved = run(
        """
        from array import array
        from envdoctor.probe.growth.settle import leave_out_what_is_there, settle
        from envdoctor.probe.sensors import Context, Sensors

        probe = Sensors(Context(os.path.dirname(os.environ["TMPDIR"])))
        names = ("python-blocks", "python-objects", "descriptors", "threads")
        values = [array("q", [0] * 100) for _ in names]
        stranger = "/dev/shm/envdoctor-test-%d" % os.getpid()  # other programs come and go
        open(stranger, "wb").close()
        for turn in range(-10, 100):
            settle()
            if turn == 50:
                os.unlink(stranger)
            reading = probe.read_all()
            for name, series in zip(names, values):
                series[max(turn, 0)] = reading[name] if isinstance(reading[name], int) else len(reading[name])
        tell({name: sorted(set(series)) for name, series in zip(names, values) if len(set(series)) > 1})
    """,
        tmp_path,
    )
    assert moved == {}


def test_collector_is_read_as_the_environment_leaves_it(home):
    read = Sensors(Context(str(home))).read_all
    before = read(["collector"])["collector"]
    try:
        gc.disable()
        gc.set_threshold(7, 5, 5)
        gc.freeze()
        changed = read(["collector"])["collector"]
    finally:
        gc.enable()
        gc.unfreeze()
        gc.set_threshold(*map(int, before["gc.get_threshold()"].strip("()").split(",")))
    assert before["gc.isenabled()"] == "True"
    assert changed["gc.isenabled()"] == "False"
    assert changed["gc.get_threshold()"].startswith("(7, 5")
    assert changed["gc.freeze()"] != before["gc.freeze()"]


def test_freeze_of_the_probe_itself_is_not_counted(home):
    read = Sensors(Context(str(home))).read_all
    before = read(["collector"])
    leave_out_what_is_there()
    gc.unfreeze()
    assert read(["collector"]) == before


def test_loop_is_read_while_it_runs(home):
    read = Sensors(Context(str(home))).read_all

    async def inside():
        return read(["running-loop"])["running-loop"]

    assert "EventLoop" in asyncio.run(inside())["running event loop"]
    assert read(["running-loop"])["running-loop"] == {}


class Plots(dict):
    """matplotlib's settings: to read them as a dictionary chooses nothing."""

    def _get_backend_or_none(self) -> str:
        raise AssertionError("nothing is asked that may choose")

    def __getitem__(self, key):
        raise AssertionError("to ask for it chooses a backend")


@pytest.mark.parametrize(
    ("first", "now", "variable", "read"),
    [
        (None, None, "", "automatic"),
        (None, "Agg", "", "agg"),
        ("tkagg", "tkagg", "", "automatic"),
        ("tkagg", "agg", "", "agg"),
        (None, "agg", "Agg", "agg"),
        (None, "svg", "Agg", "svg"),
    ],
    ids=["unset", "chosen", "found or in a file", "chosen over a file", "variable", "over it"],
)
def test_backend_of_plots_is_read_where_it_was_chosen(
    probe, monkeypatch, first, now, variable, read
):
    matplotlib = ModuleType("matplotlib")
    matplotlib.rcParams, matplotlib.rcParamsOrig = Plots(backend=now), Plots(backend=first)
    monkeypatch.setitem(sys.modules, "matplotlib", matplotlib)
    monkeypatch.setenv("MPLBACKEND", variable)
    reading = probe.read_all(["thread-settings"])["thread-settings"]
    assert reading["matplotlib.get_backend()"] == read


def test_setting_of_a_library_has_its_default_before_the_import(probe, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    reading = probe.read_all(["thread-settings"])["thread-settings"]
    assert reading["torch.get_default_dtype()"] == "torch.float32"
    assert reading["matplotlib.get_backend()"] == "automatic"
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    torch = sys.modules["torch"]
    torch.get_default_dtype = lambda: "torch.float64"
    assert left(probe, "thread-settings", reading) == {"torch.get_default_dtype()": "torch.float64"}
