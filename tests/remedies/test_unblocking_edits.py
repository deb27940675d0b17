"""An instance leaves modules and classes as they were before it: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import BlockingPlace, Unblock
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source
from tests.remedies.test_edits import FILE, applied, source

ARM = source("""\
    import sim

    TASKS = {"walk": {"low": 0}}
    PORTS = []
    handle = None


    class Simulator:
        in_use = False


    def settings(name):
        return TASKS[name]


    class Arm(Base):
        def __init__(self, limits={"low": 0}):
            self.low = TASKS.get("walk")["low"]
            self.port = len(PORTS)
            PORTS.append(self.port)
            self.high = sim.LIMITS["arm"]["high"].pop()

        def close(self):
            super().close()


    class Other(Base):
        def __init__(self):
            self.low = TASKS["walk"]
""")


def unblocked(*places: BlockingPlace) -> str:
    return applied(Unblock(places), ARM)


def test_flag_of_a_class_is_set_back_in_close() -> None:
    text = unblocked(BlockingPlace("class", "arm.Simulator.in_use", before="False"))
    assert "        super().close()\n        Simulator.in_use = False\n" in text


def test_variable_of_the_module_is_declared_and_set_back() -> None:
    text = unblocked(BlockingPlace("module", "arm.handle", before="None"))
    assert "        global handle\n        super().close()\n        handle = None\n" in text


def test_variable_that_close_declares_is_declared_once() -> None:
    place = BlockingPlace("module", "arm.handle", before="None")
    body = "    global handle\n        super().close()\n"
    declares = source(f"handle = None\nclass Arm(Base):\n    def close(self):\n    {body}")
    assert applied(Unblock((place,)), declares).count("global handle") == 1
    without = source("handle = None\nclass Arm(Base):\n    size = 3\n")
    assert applied(Unblock((place,)), without).count("global handle") == 1


def test_variable_of_another_module_is_set_back() -> None:
    text = unblocked(BlockingPlace("module", "sim.in_use", before="False"))
    assert "        super().close()\n        sim.in_use = False\n" in text


def test_entry_of_a_container_of_the_module_is_copied() -> None:
    text = unblocked(BlockingPlace("module", "arm.TASKS"))
    assert text.startswith("import copy\n\nimport sim\n")
    assert "    return copy.deepcopy(TASKS[name])\n" in text
    assert '        self.low = copy.deepcopy(TASKS.get("walk"))["low"]\n' in text
    assert '        self.low = TASKS["walk"]\n' in text  # another environment's


def test_container_of_another_module_is_copied() -> None:
    text = unblocked(BlockingPlace("module", "sim.LIMITS"))
    assert '        self.high = copy.deepcopy(sim.LIMITS["arm"]["high"]).pop()\n' in text


def test_default_is_made_in_each_call() -> None:
    text = unblocked(BlockingPlace("default", "limits of Arm.__init__()", FILE, 17))
    assert "    def __init__(self, limits=None):\n" in text
    assert '        if limits is None:\n            limits = {"low": 0}\n' in text


@pytest.mark.parametrize(
    "place",
    [
        BlockingPlace("module", "arm.PORTS"),  # the entries of others are in it
        BlockingPlace("module", "elsewhere.in_use", before="False"),
        BlockingPlace("class", "elsewhere.Simulator2.in_use", before="False"),
    ],
)
def test_other_places_are_left(place: BlockingPlace) -> None:
    assert not list(candidates(Unblock((place,)), ARM))


LIBRARY = """\
connections = {{}}


def start(label):
    connections[label] = Connection(label)


def get(label):
    return connections[label]


def {name}({arguments}):
    {removes}
"""
CROSSING = """\
import traffic


class Crossing(Base):
    def reset(self):
        traffic.start({label})
        self.connection = traffic.get(self.label)

    def close(self):
        if self.connection is not None:
            self.connection.{end}()
            self.connection = None
"""


def taken_out(
    removes: str = "connections.pop(label).close()",
    name: str = "close",
    arguments: str = "label",
    label: str = "self.label",
    end: str = "close",
) -> str:
    """The line with which close() ends a connection that a module keeps; empty without code."""
    library = LIBRARY.format(name=name, arguments=arguments, removes=removes)
    texts = {"/traffic.py": library, FILE: CROSSING.format(label=label, end=end)}
    where = Source({path: File(path, text) for path, text in texts.items()}, "Crossing", FILE)
    aim = Unblock((BlockingPlace("module", "traffic.connections"),))
    edits = next(candidates(aim, where), ())
    assert {edit.file for edit in edits} <= {FILE}
    return "".join(line for edit in edits for line in edit.lines)


def test_connection_is_closed_by_the_module_that_keeps_it() -> None:
    assert taken_out() == "traffic.close(self.label)"
    assert taken_out("del connections[label]", name="forget") == "traffic.forget(self.label)"


@pytest.mark.parametrize(
    "changes",
    [
        {"removes": "connections[label].close()"},
        {"arguments": ""},
        {"label": "label=self.label"},
        {"end": "flush"},
    ],
)
def test_connection_of_which_the_end_is_not_known_is_left(changes: dict[str, str]) -> None:
    assert taken_out(**changes) == ""
