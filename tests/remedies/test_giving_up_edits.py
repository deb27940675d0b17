"""What a call leaves around which an error is caught is ended: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.failure_aims import EndFailed
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, frame, source

EXEC = """\
    import subprocess

    class Box(Env):
        def run(self, command):
            client = subprocess.Popen({words})
            try:
                return {wait}
            except subprocess.TimeoutExpired:
                client.kill()
"""
WORDS, WAIT = '["docker", "exec", self.name, *command]', "client.wait(LIMIT)"


def test_command_has_the_limit_of_who_waits_for_it() -> None:
    where = source(EXEC.format(words=WORDS, wait=WAIT), "Box")
    limited = 'Popen(["docker", "exec", self.name, "timeout", str(LIMIT), *command])'
    assert limited in applied(EndFailed(frame(where, "LIMIT")), where)
    other = source(EXEC.format(words=WORDS, wait="client.communicate(timeout=3.0)[0]"), "Box")
    assert '"timeout", str(3.0), *command' in applied(EndFailed(frame(other, "3.0")), other)


@pytest.mark.parametrize(
    ("words", "wait"),
    [
        (WORDS, "client.wait()"),
        (WORDS, "other.wait(LIMIT)"),
        ("command", WAIT),
        ("[*command]", WAIT),
        ('["docker", "exec", self.name, "ls"]', WAIT),
    ],
    ids=["no limit", "another process", "one value", "nothing before it", "no command"],
)
def test_other_commands_stay(words: str, wait: str) -> None:
    where = source(EXEC.format(words=words, wait=wait), "Box")
    assert not list(candidates(EndFailed(frame(where, "return")), where))


DELETES = """\
    class Box(Env):
        {attribute}

        def forget(self):
            name, self.box = self.box, None
            try:
                {call}
            except OSError as error:
                {handled}
            {after}
"""
DELETED = {
    "attribute": "box = None",
    "call": "CLIENT.delete(name)",
    "handled": "print(error)",
    "after": "",
}


def test_end_that_failed_is_tried_again_the_next_time() -> None:
    where = source(DELETES.format(**DELETED), "Box")
    text = applied(EndFailed(frame(where, "delete")), where)
    assert "    box = None\n    _left = []  # of all instances" in text
    assert (
        "        self._left.append(name)\n"
        "        for name in list(self._left):\n"
        "            try:\n"
        "                CLIENT.delete(name)\n"
        "            except OSError as error:\n"
        "                print(error)\n"
        "            else:\n"
        "                self._left.remove(name)\n"
    ) in text
    bare = source(DELETES.format(**DELETED | {"attribute": '"""A box."""'}), "Box")
    made = applied(EndFailed(frame(bare, "delete")), bare)
    assert (
        '"""\n\n    _left = []  # of all instances: what could not be ended yet\n\n    def' in made
    )


@pytest.mark.parametrize(
    "other",
    [
        {"call": "CLIENT.delete(name, zone)"},
        {"call": "done = [CLIENT.delete(name)]"},
        {"handled": "raise"},
        {"handled": "return"},
        {"after": "self.box = 3"},
        {"attribute": "_left = []"},
    ],
    ids=["two names", "a result", "it is raised", "it returns", "more follows", "it has a list"],
)
def test_end_that_is_more_than_a_call_stays(other: dict[str, str]) -> None:
    where = source(DELETES.format(**DELETED | other), "Box")
    assert not list(candidates(EndFailed(frame(where, "delete")), where))


AWAITED = """\
    import asyncio

    class Box(Env):
        async def run(self, box, command, limit):
            try:
                return await asyncio.wait_for({call})
            except TimeoutError:
                return 1
"""


@pytest.mark.parametrize(
    ("call", "limited"),
    [
        ("box.exec(command), limit", 'box.exec(["timeout", str(limit), *command]), limit'),
        ("box.exec(command), timeout=9", 'box.exec(["timeout", str(9), *command]), timeout=9'),
    ],
)
def test_command_of_a_call_that_is_awaited_has_its_limit(call: str, limited: str) -> None:
    where = source(AWAITED.format(call=call), "Box")
    assert f"wait_for({limited})" in applied(EndFailed(frame(where, "wait_for")), where)


@pytest.mark.parametrize("call", ["box.exec(command)", "box.exec(task), limit", "command, 9"])
def test_call_that_is_given_no_command_stays(call: str) -> None:
    where = source(AWAITED.format(call=call), "Box")
    assert not list(candidates(EndFailed(frame(where, "wait_for")), where))
