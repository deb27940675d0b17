"""Command lines that a report shows repeat what the user gave, so that they can be pasted."""

from __future__ import annotations

import shlex
import sys

from envdoctor.model.actions import ActionSource
from envdoctor.model.subject import FILE, Subject
from envdoctor.request.command_lines import command_of
from envdoctor.request.specs import parse_kwargs


def test_all_that_says_what_is_built_and_played_is_repeated() -> None:
    subject = Subject(
        "my arm.py:Arm",
        FILE,
        kwargs={"size": 3},
        imports=("talk",),
        directory="/project",
        script="/project/train.py",
        script_arguments=("--seed", "1"),
        action=ActionSource("{message = 'hi'}", {"message": "hi"}),
    )
    words = shlex.split(command_of(subject, "/usr/bin/python3.8"))
    assert words[:5] == ["my arm.py:Arm", "-k", "size=3", "--import", "talk"]
    assert words[5:7] == ["--script", "train.py --seed 1"]
    assert words[7:] == ["--action", "{message = 'hi'}", "--python", "/usr/bin/python3.8"]


def test_a_function_of_actions_is_repeated() -> None:
    subject = Subject(
        "Talk-v0", FILE, action=ActionSource("talk.py:say", name="say", path="/talk.py")
    )
    assert command_of(subject, sys.executable) == "Talk-v0 --actions talk.py:say"


def test_arguments_are_read_back_as_they_were() -> None:
    kwargs = {
        "map": 'the "town"\n\U0001f600',
        "rate": float("inf"),
        "small": 1e-9,
        "on": True,
        "sizes": [1, [2.5]],
        "nested": {"a b": {"deep": "x"}},
    }
    words = shlex.split(command_of(Subject("Arm-v0", FILE, kwargs=kwargs), sys.executable))
    assert words[0] == "Arm-v0"
    assert parse_kwargs(words[2::2]) == kwargs
