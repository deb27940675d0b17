"""A program leaves shared memory that it only opens to the one that makes it."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import MendFailure
from tests.remedies.scripts import mended

PLANNER = """\
    {imported}

    class Planner:
        def __init__(self, name):
            self.state = shared_memory.SharedMemory({arguments})
            {then}
"""
BELOW = 'resource_tracker.unregister(self.state._name, "shared_memory")'


def left(
    arguments: str = "name, create=False",
    then: str = "self.view = self.state.buf",
    imported: str = "from multiprocessing import shared_memory",
) -> str:
    text = PLANNER.format(arguments=arguments, then=then, imported=imported)
    return mended(lambda frame: MendFailure(frame, "opened"), text, "SharedMemory(")


@pytest.mark.parametrize("arguments", ["name", "name, create=False", "name=name, size=16"])
def test_segment_that_is_opened_is_taken_off_the_tracker(arguments: str) -> None:
    text = left(arguments)
    assert f"({arguments})\n        {BELOW}  # its maker removes it\n        self.view" in text
    assert text.startswith("from multiprocessing import resource_tracker, shared_memory\n")


def test_import_is_added_where_the_package_is_imported_otherwise() -> None:
    text = left(imported="import multiprocessing.shared_memory as shared_memory")
    assert "from multiprocessing import resource_tracker\n" in text


def test_import_of_several_lines_keeps_its_form() -> None:
    several = "from multiprocessing import (  # of Python\n        shared_memory,\n    )"
    assert left(imported=several).partition("\n\nclass")[0] == (
        "from multiprocessing import (  # of Python\n    shared_memory,\n)\n"
        "from multiprocessing import resource_tracker"
    )


def test_condition_of_what_does_so_goes() -> None:
    text = left(then=f"if CAREFUL:\n                {BELOW}")
    assert text.endswith(f"        {BELOW}\n")
    assert "CAREFUL" not in text


@pytest.mark.parametrize(
    "condition",
    ["sys.version_info < (3, 13)", "not MAKES", 'os.name == "posix"', "self.state.size > 4096"],
)
def test_condition_on_more_than_a_switch_stays(condition: str) -> None:
    assert left(then=f"if {condition}:\n                {BELOW}") == ""


def test_condition_for_a_segment_that_may_be_made_there_stays() -> None:
    then = f"if CAREFUL:\n                {BELOW}"
    assert left(arguments="name, create=MAKES, size=16", then=then) == ""
    assert left(then=then.replace("self.state._name", "other._name")) == ""


@pytest.mark.parametrize(
    ("arguments", "then"),
    [
        ("name, create=True, size=16", "pass"),
        ("name, MAKES", "pass"),
        ("name, track=False", "pass"),
        ("name", BELOW),
    ],
)
def test_segment_that_is_made_or_left_already_stays(arguments: str, then: str) -> None:
    assert left(arguments, then) == ""
