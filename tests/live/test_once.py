"""What the first instance of a process leaves, so that no second one can be made, is named and
cured; and so is what an instance does to the images of another one.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.zoo import examine, messages_of

ALONE = ("--managers", "direct", "--select", "MAK")
DRAWN = ("--managers", "direct", "--select", "MAK005")
REPORTS = Path(__file__).parents[1] / "reports"


def test_dict_that_the_first_instance_empties_is_named_with_its_cure() -> None:
    exit_code, document = examine("once.py:EmptiesTask", *ALONE)
    (message,) = messages_of(document)
    assert exit_code == 1
    assert message.startswith("MAK004 ")
    assert message.endswith(
        "KeyError: 'low'; it works if once.TASKS, which the module keeps, has what it had before"
        " the first one"
    )
    (finding,) = document["findings"]
    assert finding["remedy_verified"]
    assert 'self.low = copy.deepcopy(TASKS["walk"]["limits"]).pop("low")' in "\n".join(
        finding["remedy"]["commands"]
    )


def test_copy_of_the_dict_is_not_accused() -> None:
    exit_code, document = examine("once.py:CopiesTask", *ALONE)
    assert (exit_code, messages_of(document)) == (0, [])
    assert "MAK004" in {passed["code"] for passed in document["passed"]}


@pytest.mark.parametrize(
    ("spec", "cause", "line"),
    [
        ("rllab-215/env.py:Cartpole", "rendering the second instance changes what the first", 40),
        (
            "mujoco-python-viewer-8/env.py:Humanoid",
            "collecting the first instance changes what the second",
            15,
        ),
    ],
)
def test_image_that_another_instance_changes(spec: str, cause: str, line: int) -> None:
    exit_code, document = examine(str(REPORTS / spec), *DRAWN)
    (finding,) = document["findings"]
    assert (exit_code, finding["code"], finding["severity"]) == (1, "MAK005", "error")
    assert finding["message"].startswith(f"{cause} one draws in the same process: the image of")
    assert finding["location"]["line"] == line


@pytest.mark.parametrize("report", ["rllab-215", "mujoco-python-viewer-8"])
def test_images_of_cured_twins_are_not_accused(report: str) -> None:
    exit_code, document = examine(str(REPORTS / report / "env.py:Cured"), *DRAWN)
    assert (exit_code, messages_of(document)) == (0, [])
    assert {passed["code"] for passed in document["passed"]} == {"MAK005"}


def test_images_without_a_request_for_them_are_a_note(tmp_path: Path) -> None:
    shutil.copytree(REPORTS / "rllab-215", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "env.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace('render_mode="rgb_array"):', "render_mode=None):"), encoding="utf-8"
    )
    (finding,) = examine(f"{file}:Cartpole", *DRAWN)[1]["findings"]
    assert finding["severity"] == "note"
    assert finding["message"].endswith(
        'both change glfw.CURRENT, which the module keeps, with render_mode="rgb_array" only'
    )
    assert examine(f"{file}:Cured", *DRAWN)[1]["findings"] == []
