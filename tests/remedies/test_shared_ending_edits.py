"""What close() calls already is not called twice: what it ends does more, or what it uses is released
after that.
"""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import EndHeld, OwnRandom, Release
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, frame, source

CLIENT = """\
    import socket, threading

    class Client:
        def __init__(self):
            self.socket = {made}
            self.reader = threading.Thread(target=self._read)
            self.reader.start()

        def _read(self):
            for line in self.socket.{reads}:
                self.line = line

        def disconnect(self):
            {ending}

    class Arm(Env):
        def __init__(self):
            self.client = Client()

        def close(self):
            {closing}
"""


def client(
    ending: str = "self.socket.close()",
    closing: str = "self.client.disconnect()",
    made: str = "socket.create_connection(PLACE)",
    reads: str = "makefile()",
) -> list[str]:
    where = source(CLIENT.format(ending=ending, closing=closing, made=made, reads=reads))
    aim = Release("thread", (frame(where, "self.reader.start()"),))
    return [applied(aim, where, number) for number in range(len(list(candidates(aim, where))))]


SHUT = (
    "        with contextlib.suppress(OSError):  # the other end may be gone\n"
    "            self.socket.shutdown(socket.SHUT_RDWR)\n"
    "        self.socket.close()\n"
    "        self.reader.join(timeout=5.0)\n"
)


def test_thread_that_reads_from_a_socket_is_ended_by_what_closes_it() -> None:
    (only,) = client()
    assert f"    def disconnect(self):\n{SHUT}" in only
    assert only.count("self.client.disconnect()") == 1
    (kept,) = client(ending="self.open = False")
    assert f"    def disconnect(self):\n        self.open = False\n{SHUT}" in kept


def test_close_gets_a_call_that_it_does_not_have() -> None:
    first, second, *_ = client(closing="self.closed = True")
    assert SHUT in first
    assert "self.client.disconnect()" in second.partition("class Arm")[2]


@pytest.mark.parametrize(
    ("made", "reads", "ending"),
    [
        ("open(PATH)", "readlines()", "self.socket.close()"),
        ("socket.create_connection(PLACE)", "lines", "self.socket.close()"),
        ("socket.create_connection(PLACE)", "makefile()", "self.reader.join()"),
    ],
)
def test_other_threads_get_no_shutdown(made: str, reads: str, ending: str) -> None:
    assert not any("shutdown" in text for text in client(ending=ending, made=made, reads=reads))


def test_environment_that_reads_from_a_socket_ends_its_own_thread() -> None:
    where = source("""\
        import socket, threading

        class Arm(Env):
            def __init__(self):
                self.socket = socket.create_connection(PLACE)
                self.reader = threading.Thread(target=self._read, daemon=True)
                self.reader.start()

            def _read(self):
                while self.socket.recv(100):
                    pass

            def close(self):
                self.socket.close()
        """)
    aim = Release("thread", (frame(where, "self.reader.start()"),))
    assert f"    def close(self):\n{SHUT}" in applied(aim, where)


LEDGER = """\
    import sqlite3

    class Arm(Env):
        def __init__(self):
            self.ledger = sqlite3.connect(PATH)

        def close(self):
            {closing}
"""


def test_resource_that_close_uses_is_released_after_that() -> None:
    where = source(LEDGER.format(closing="self.ledger.commit()"))
    aim = Release("descriptor", (frame(where, "sqlite3.connect"),))
    assert applied(aim, where).endswith(
        "        if self.ledger is not None:\n"
        "            self.ledger.commit()\n"
        "            self.ledger.close()\n"
        "            self.ledger = None\n"
    )


@pytest.mark.parametrize(
    "closing",
    ["self.ledger.commit(); self.end(self.ledger)", "self.end(self.ledger)", "self.closed = True"],
)
def test_other_uses_are_left_as_they_are(closing: str) -> None:
    where = source(LEDGER.format(closing=closing))
    aim = Release("descriptor", (frame(where, "sqlite3.connect"),))
    assert closing in applied(aim, where)


PROGRAM = """\
    import subprocess

    class Arm(Env):
        def __init__(self):
            self.engine = subprocess.Popen(COMMAND{pipes})

        def close(self):
            {closing}
"""
PIPES = ", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL"


def test_pipes_of_a_program_are_closed() -> None:
    where = source(PROGRAM.format(pipes=PIPES, closing="self.engine.kill()"))
    lines = (
        "        if self.engine is not None:\n"
        "            self.engine.stdin.close()\n"
        "            self.engine.stdout.close()\n"
    )
    assert lines in applied(EndHeld(), where)
    assert "self.engine.stdin.close()" in applied(
        Release("descriptor", (frame(where, "subprocess.Popen("),)), where
    )


@pytest.mark.parametrize(
    ("pipes", "closing"),
    [
        ("", "self.engine.kill()"),
        (PIPES, "self.engine.communicate()"),
        (PIPES, "self.engine.stdin.close()"),
    ],
)
def test_program_without_pipes_or_whose_pipes_are_closed_is_left(pipes: str, closing: str) -> None:
    where = source(PROGRAM.format(pipes=pipes, closing=closing))
    assert list(candidates(EndHeld(), where)) == []


DRAWS = """\
    import random
    import threading
    import numpy as np

    class Arm(gymnasium.Env):
        def __init__(self):
            threading.Thread(target=self._blow).start()

        def _blow(self):
            self.wind = random.random()

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return np.random.uniform(0.0, 1.0), {}

        def step(self, action):
            return random.gauss(0.0, 1.0), 0.0, False, False, {}

    class Shell(gymnasium.Wrapper):
        def reset(self, *, seed=None, options=None):
            return self.env.reset()
"""


def test_all_draws_are_from_the_own_generator_and_a_thread_has_another() -> None:
    where = source(DRAWS)
    text = applied(OwnRandom("numpy.random"), where)
    assert "        return self.np_random.uniform(0.0, 1.0), {}\n" in text
    assert "        return self.np_random.normal(0.0, 1.0), 0.0, False, False, {}\n" in text
    assert (
        "    def _blow(self):\n"
        "        rng = np.random.default_rng()  # of this thread alone\n"
        "        self.wind = rng.random()\n"
    ) in text
    assert "        return self.env.reset(seed=seed, options=options)\n" in text


def test_wrapper_is_left_where_it_hands_the_seed_on_and_single_generators_come_last() -> None:
    where = source(DRAWS.replace("self.env.reset()", "self.env.reset(seed=seed)"))
    number = len(list(candidates(OwnRandom("random"), where)))
    texts = [applied(OwnRandom("random"), where, at) for at in range(number)]
    assert ["np.random.uniform" in text for text in texts] == [False, True]
    assert all("self.env.reset(seed=seed)" in text for text in texts)
