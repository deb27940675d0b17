"""A class whose instances cannot be copied although it says how gets what is taken there."""

from __future__ import annotations

import pytest

from envdoctor.model.failure_aims import KeepArguments, MakeAnew
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, frame, source

ROBOT = """\
    import numpy
    from gymnasium.utils import EzPickle

    class Base(Env, EzPickle):
        def __init__(self, sim):
            EzPickle.__init__(self, sim)
            self.sim = sim

    class Arm(Base):
        def __init__(self, {arguments}):
            {line}
"""
KEPT = "EzPickle.__init__(self, sim)"


def robot(arguments: str, line: str = "super().__init__(Sim(path))") -> str:
    where = source(ROBOT.format(arguments=arguments, line=line))
    aim = KeepArguments(frame(where, KEPT))
    return applied(aim, where) if any(candidates(aim, where)) else ""


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ('path="arm.xml"', "self, path"),
        ("path, *more, size=3, **options", "self, path, *more, size=size, **options"),
    ],
)
def test_ezpickle_keeps_what_the_constructor_takes(arguments: str, kept: str) -> None:
    assert robot(arguments).endswith(
        f"        super().__init__(Sim(path))\n        EzPickle.__init__({kept})\n"
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("path", "path = find(path); super().__init__(Sim(path))"),  # not what it was given
        ("path", "super().__init__(Sim(path)); EzPickle.__init__(self, path)"),
    ],
)
def test_constructor_that_changes_or_keeps_them_is_left(arguments: str, line: str) -> None:
    assert robot(arguments, line) == ""


def test_constructor_that_is_given_the_simulator_has_no_other_arguments_to_keep() -> None:
    text = ROBOT.partition("\n    class Arm(")[0].replace("class Base", "class Arm")
    where = source(text)
    assert list(candidates(KeepArguments(frame(where, KEPT)), where)) == []


@pytest.mark.parametrize("line", ["EzPickle.prepare(self, sim)", "prepare(self, sim)"])
def test_other_calls_in_a_base_class_keep_no_arguments(line: str) -> None:
    text = ROBOT.format(arguments="path", line="super().__init__(Sim(path))")
    where = source(text.replace(KEPT, line))
    assert list(candidates(KeepArguments(frame(where, line)), where)) == []


REDUCED = """\
    def generator_of({taken}):
        return Generator()

    class Generator:
        def __reduce__(self):
            state = self.state()
            return {returned}

    class Arm(Env):
        def __getattr__(self, name):
            {lookup}
"""


def reduced(taken: str, returned: str, lookup: str = 'return getattr(self.env, "x" + name)') -> str:
    where = source(REDUCED.format(taken=taken, returned=returned, lookup=lookup))
    aim = MakeAnew("Generator", frame(where, "state = self.state()"))
    return applied(aim, where) if any(candidates(aim, where)) else ""


@pytest.mark.parametrize(
    ("taken", "returned", "becomes"),
    [
        ("name", "generator_of, (self.name, state), state", "generator_of, (self.name,), state"),
        ("name, size=3", "generator_of, (a, b, state)", "generator_of, (a, b)"),
    ],
)
def test_maker_is_given_as_many_arguments_as_it_takes(
    taken: str, returned: str, becomes: str
) -> None:
    assert f"        return {becomes}\n" in reduced(taken, returned)


@pytest.mark.parametrize(
    ("taken", "returned"),
    [
        ("name", "generator_of, (self.name,), state"),
        ("*names", "generator_of, (self.name, state)"),
        ("name", "make_one, (self.name, state)"),
        ("name", "generator_of, (*self.names, state)"),
        ("", "generator_of, (self.name, state)"),  # what it needs is not known
        ("name", "self.reduced"),
    ],
)
def test_arguments_that_are_taken_or_not_known_stay(taken: str, returned: str) -> None:
    assert reduced(taken, returned) == ""


def test_wrapper_that_asks_a_copy_for_what_it_lacks_is_guarded_beside_it() -> None:
    arguments = ("name", "generator_of, (self.name, state)")
    for lookup, guarded in (
        ("return getattr(self.env, name)", 2),
        ("raise AttributeError(name)", 1),
    ):
        taken, returned = arguments
        where = source(REDUCED.format(taken=taken, returned=returned, lookup=lookup))
        aim = MakeAnew("Generator", frame(where, "state = self.state()"))
        assert len(list(candidates(aim, where))) == guarded
