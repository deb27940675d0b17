"""The working directory, signals and ports are left to the process: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    FreePort,
    LeaveSignals,
    LimitInMainThread,
    NameBeside,
    StayInDirectory,
)
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, frame, source

STAYS = """\
    import os
    from pathlib import Path

    HERE = Path("/data")

    class Arm(Env):
        def reset(self, *, seed=None):
            os.chdir({folder})
            self.level = Path("levels", "a.txt").read_text()
            with open(f"{{self.name}}.txt") as file:
                self.names = file.read()
            self.goal = open("/etc/goal").read()
            {other}
"""


def staying(folder: str = "HERE", other: str = "pass") -> Source:
    return source(STAYS.format(folder=folder, other=other))


def test_files_are_named_in_the_folder() -> None:
    where = staying()
    text = applied(StayInDirectory(frame(where, "chdir")), where)
    assert "os.chdir" not in text
    assert 'Path(HERE, "levels", "a.txt").read_text()' in text
    assert 'open(os.path.join(HERE, f"{self.name}.txt"))' in text
    assert 'open("/etc/goal")' in text


def test_condition_of_the_change_goes_with_it() -> None:
    where = source("""\
        import os

        class Arm(Env):
            def reset(self, *, seed=None):
                if self.folder:
                    os.chdir(self.folder)
                open("log", "a").close()
    """)
    text = applied(StayInDirectory(frame(where, "chdir")), where)
    assert "if self.folder" not in text
    assert 'open(os.path.join(self.folder, "log"), "a").close()' in text


@pytest.mark.parametrize(
    ("folder", "other"),
    [("folder", "pass"), ("HERE", "self.start = os.getcwd()"), ("HERE", "open(self.path)")],
)
def test_directory_that_something_else_needs_stays(folder: str, other: str) -> None:
    where = staying(folder, other)
    assert not list(candidates(StayInDirectory(frame(where, "chdir")), where))


def test_directory_of_an_engine_stays() -> None:
    where = source("""\
        import os

        class Arm(Env):
            def reset(self, *, seed=None):
                os.chdir(self.folder)
                self.engine.start()
    """)
    assert not list(candidates(StayInDirectory(frame(where, "chdir")), where))


HANDLES = source("""\
    import signal

    class Arm(Env):
        def __init__(self):
            signal.signal(signal.SIGINT, self.save)
            self.earlier = signal.signal(signal.SIGTERM, self.save)
            library.start()
""")


def test_handler_is_not_installed() -> None:
    text = applied(LeaveSignals((frame(HANDLES, "SIGINT"),)), HANDLES)
    assert "SIGINT" not in text
    assert "SIGTERM" in text


@pytest.mark.parametrize("line", ["SIGTERM", "library"])
def test_other_lines_stay(line: str) -> None:
    assert not list(candidates(LeaveSignals((frame(HANDLES, line),)), HANDLES))


def test_limit_is_set_in_the_main_thread_only() -> None:
    where = source("""\
        import signal

        def limited(seconds):
            \"\"\"A limit.\"\"\"
            signal.signal(signal.SIGALRM, on_alarm)
            signal.alarm(seconds)
            try:
                yield
            finally:
                signal.alarm(0)
    """)
    text = applied(LimitInMainThread(frame(where, "SIGALRM")), where)
    assert text.startswith("import signal\nimport threading\n")
    assert (
        "    in_main_thread = threading.current_thread() is threading.main_thread()\n"
        "    if not in_main_thread:\n"
        '        warnings.warn("no time limit outside of the main thread", stacklevel=2)\n'
        "    if in_main_thread:\n"
        "        signal.signal(signal.SIGALRM, on_alarm)\n"
        "        signal.alarm(seconds)\n"
        "    try:\n"
    ) in text
    assert "    finally:\n        if in_main_thread:\n            signal.alarm(0)\n" in text


def test_thread_is_asked_for_above_all_that_the_function_does() -> None:
    where = source("""\
        import signal

        def limited(seconds):
            \"""Interrupt what runs for longer.\"""
            started = clock()
            signal.alarm(seconds)
            return started
    """)
    assert applied(LimitInMainThread(frame(where, "alarm")), where).partition("\n\n")[2] == (
        "def limited(seconds):\n"
        '    """Interrupt what runs for longer."""\n'
        "    in_main_thread = threading.current_thread() is threading.main_thread()\n"
        "    if not in_main_thread:\n"
        '        warnings.warn("no time limit outside of the main thread", stacklevel=2)\n'
        "    started = clock()\n"
        "    if in_main_thread:\n"
        "        signal.alarm(seconds)\n"
        "    return started\n"
    )


def test_handler_that_is_used_elsewhere_gets_no_code() -> None:
    where = source("""\
        import signal

        def limited(call):
            earlier = signal.signal(signal.SIGALRM, on_alarm)
            return call(earlier)
    """)
    assert not list(candidates(LimitInMainThread(frame(where, "SIGALRM")), where))


PORTS = """\
    import socket

    class Arm(Env):
        def __init__(self):
            self.server = socket.socket()
            self.server.bind(("localhost", 5005 + self.number))
            self.server.listen()
            {last}
"""


def test_free_port_is_bound_where_the_socket_is_asked_for_it() -> None:
    where = source(PORTS.format(last="start(self.server.getsockname())"))
    text = applied(FreePort(frame(where, "listen")), where)
    assert 'self.server.bind(("localhost", 0))' in text


@pytest.mark.parametrize("last", ["start(5005)", "start(self.other.getsockname())"])
def test_port_that_another_program_knows_stays(last: str) -> None:
    where = source(PORTS.format(last=last))
    assert not list(candidates(FreePort(frame(where, "listen")), where))


READS = """\
    from pathlib import Path

    class Arm(Env):
        levels = Path({folder})

        def __init__(self):
            self.level = (self.levels / "town.txt").read_text()
            self.names = open({file}).read()
            self.log = open("log.txt", "w")
"""


def test_file_that_is_missing_is_looked_for_beside_the_code() -> None:
    where = source(READS.format(folder='"levels"', file='"levels/names.txt"'))
    text = applied(NameBeside("levels/town.txt"), where)
    assert 'levels = Path(os.path.dirname(__file__), "levels")' in text
    assert 'open("levels/names.txt")' in text
    text = applied(NameBeside("levels/names.txt"), where)
    assert 'open(os.path.join(os.path.dirname(__file__), "levels/names.txt"))' in text
    assert 'open("log.txt", "w")' in text


@pytest.mark.parametrize("folder", ["FOLDER", '"level"', '"/levels"', 'b"levels"'])
def test_other_paths_stay(folder: str) -> None:
    where = source(READS.format(folder=folder, file="NAMES"))
    assert list(candidates(NameBeside("levels/town.txt"), where)) == []


SERVES = """\
    import asyncio

    class Arm(Env):
        def __init__(self, port={port}):
            self.port = port

        async def start(self):
            self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)

        def seats(self):
            return {seats}
"""


@pytest.mark.parametrize(
    ("port", "seats", "is_freed"),
    [("9099", "4", True), ("9099", "9099", False), ("PORT", "9099.0", False), ("9100", "4", False)],
)
def test_port_that_stands_in_one_place_is_a_free_one(port: str, seats: str, is_freed: bool) -> None:
    where = source(SERVES.format(port=port, seats=seats))
    aim = FreePort(frame(where, "start_server"), 9099)
    made = [edits for edits in candidates(aim, where) if edits]
    assert bool(made) is is_freed
    if is_freed:
        assert "def __init__(self, port=0):" in applied(aim, where)


BINDS = """\
    import socket

    {constant}

    class Arm(Env):
        def __init__(self, size=3, port={default}):
            self.size, self.port = size, {kept}

        def reset(self):
            self.server = socket.{call}
"""


@pytest.mark.parametrize(
    ("constant", "default", "kept", "call", "after"),
    [
        ("", "4711", "port", 'create_server(("", self.port))', "port=0"),
        ("PORT = 4711", "1", "port", 'create_server(("", PORT))', "PORT = 0"),
        ("", "1", "port", 'create_server(("", 4711))', '("", 0)'),
        ("", "1", "4711", 'create_server(("", self.port))', "size, 0"),
        ("SEATS = 4711", "4711", "port", 'create_server(("", self.port))', ""),
        ("", "4711", "port", 'create_server(("", self.port + 1))', ""),
        ("", "4711", "port", "create_server(self.address)", ""),
        ("", "PORT", "port", 'create_server(("", self.port))', ""),
    ],
)
def test_port_of_an_argument_or_a_constant_is_a_free_one(
    constant: str, default: str, kept: str, call: str, after: str
) -> None:
    where = source(BINDS.format(constant=constant, default=default, kept=kept, call=call))
    aim = FreePort(frame(where, "self.server"))
    assert bool([edits for edits in candidates(aim, where) if edits]) is bool(after)
    if after:
        assert after in applied(aim, where)
