"""An id is registered where the module of its environment is imported, in each process."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import MendFailure, RegisterWithout
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source
from tests.remedies.scripts import mended

SCRIPT = """\
from gymnasium.envs.registration import register
import arm
{top}
def main():
    env_id = "Arm-v0"
    register({arguments})
    train({used})
"""
ARM = """\
{imported}

class Arm(gymnasium.Env):
    pass
"""
ARGUMENTS = 'id=env_id, entry_point="arm:Arm", max_episode_steps=9'


def moved(
    arguments: str = ARGUMENTS,
    used: str = "env_id",
    top: str = "",
    imported: str = "import gymnasium",
) -> tuple[str, str]:
    """The module and the script with the edits; empty texts without any."""
    texts = {
        "/arm.py": ARM.format(imported=imported),
        "/train.py": SCRIPT.format(arguments=arguments, used=used, top=top),
        "/actor.py": "env = gymnasium.make(name)\n",
    }
    files = {path: File(path, text) for path, text in texts.items()}
    source = Source(files, "", "/train.py")
    edits = next(candidates(MendFailure(Frame("/actor.py", 1), "id"), source), ())
    made = changes(edits, source)
    first, second = (
        changed(files[path], [each for each in made if each.file == path]) if edits else ""
        for path in ("/arm.py", "/train.py")
    )
    return first, second


def test_module_registers_its_class_and_the_id_names_it() -> None:
    module, script = moved()
    assert module.endswith(
        "    pass\n\n\n"
        'gymnasium.register(id="Arm-v0", entry_point="arm:Arm", max_episode_steps=9)\n'
    )
    assert script == ('import arm\n\ndef main():\n    env_id = "arm:Arm-v0"\n    train(env_id)\n')


def test_code_that_is_shown_has_the_call_alone() -> None:
    text = ARM.format(imported="import gymnasium") + "# the end\n"
    files = {
        "/arm.py": File("/arm.py", text),
        "/train.py": File("/train.py", SCRIPT.format(arguments=ARGUMENTS, used="env_id", top="")),
    }
    source = Source(files, "", "/train.py")
    edits = next(candidates(MendFailure(Frame("/train.py", 1), "id"), source))
    shown = [each.lines for each in changes(edits, source) if each.file == "/arm.py"]
    call = 'gymnasium.register(id="Arm-v0", entry_point="arm:Arm", max_episode_steps=9)'
    assert shown == [("", "", call)]


def test_id_that_is_written_twice_is_named_where_it_is_used() -> None:
    module, script = moved('"Arm-v0", "arm:Arm"', '"Arm-v0"')
    assert 'gymnasium.register(id="Arm-v0", entry_point="arm:Arm")' in module
    assert '    train("arm:Arm-v0")\n' in script


def test_module_imports_the_package_where_it_does_not() -> None:
    assert "import gymnasium\n" in moved(imported="import numpy")[0]
    assert "gym.register(id=" in moved(imported="import gymnasium as gym")[0]


def test_import_that_has_another_use_stays() -> None:
    assert "import register\n" in moved(top="print(register.__name__)")[1]


@pytest.mark.parametrize(
    ("arguments", "top"),
    [
        ('id=env_id, entry_point="other:Arm"', ""),  # a module that is not known
        ('id=env_id, entry_point="arm:Leg"', ""),
        ("id=env_id, entry_point=arm.Arm", ""),
        ('id=env_id, entry_point="arm:Arm", kwargs={"size": SIZE}', "SIZE = 3"),
        (ARGUMENTS, 'register(id="Leg-v0", entry_point="arm:Leg")'),  # which one
        ('id=name(), entry_point="arm:Arm"', ""),
    ],
)
def test_registration_that_only_the_script_can_make_stays(arguments: str, top: str) -> None:
    assert moved(arguments, top=top) == ("", "")


BUILDER = """\
import gymnasium


class Builder:
    def build(self):
        extra = {extra}
        kwargs = {kwargs}
        {more}
        gymnasium.register(id=self.name, entry_point=Arm, kwargs={argument})
        return gymnasium.make(self.name, **extra)
"""
EXTRA = '{"recorder": Recorder()}'


def registered(
    kwargs: str = '{"size": 3}', more: str = "self.count = 0", argument: str = "kwargs"
) -> str:
    """The lines that have no recorder any more; empty without edits."""
    text = BUILDER.format(extra=EXTRA, kwargs=kwargs, more=more, argument=argument)
    done = mended(lambda place: RegisterWithout(place, "recorder"), text, "register(")
    return "\n".join(line for line in done.splitlines() if line not in text.splitlines()) or (
        "gone" if done else ""
    )


def test_id_is_registered_without_what_make_is_given() -> None:
    both = '{"size": 3, "recorder": Recorder()}'
    assert registered(both) == '        kwargs = {"size": 3}'
    assert registered(argument=both).endswith('entry_point=Arm, kwargs={"size": 3})')
    assert registered(more="kwargs.update(extra)") == "gone"
    text = BUILDER.format(extra=EXTRA, kwargs="{}", more="kwargs.update(extra)", argument="kwargs")
    assert mended(lambda place: RegisterWithout(place, "recorder"), text, "register(") == (
        text.replace("        kwargs.update(extra)\n", "")
    )


@pytest.mark.parametrize(
    "more",
    ["self.count = 0", "kwargs.update(extra, size=4)", "other.update(extra)", "kwargs.clear()"],
)
def test_id_that_is_registered_otherwise_is_left(more: str) -> None:
    assert registered(more=more) == ""
