"""The files of a folder that are read, and the names of their modules."""

from __future__ import annotations

import json
from pathlib import Path

from envdoctor.discovery.files import LARGEST, cells, source_files


def fill(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_modules_are_named_from_where_their_packages_stand(tmp_path: Path) -> None:
    fill(tmp_path, "src/rob/__init__.py", "src/rob/arms/__init__.py", "src/rob/arms/one.py")
    fill(tmp_path, "scripts/train.py")
    named = [(file.path, file.root, file.module) for file in source_files(tmp_path, tmp_path)]
    assert named == [
        ("scripts/train.py", "scripts", "train"),
        ("src/rob/__init__.py", "src", "rob"),
        ("src/rob/arms/__init__.py", "src", "rob.arms"),
        ("src/rob/arms/one.py", "src", "rob.arms.one"),
    ]


def test_paths_are_relative_to_where_the_user_is(tmp_path: Path) -> None:
    fill(tmp_path, "a/one.py", "b/two.py")
    (file,) = source_files(tmp_path / "a", tmp_path / "b")
    assert (file.path, file.root) == ("../a/one.py", "../a")
    (file,) = source_files(tmp_path / "b" / "two.py", tmp_path)
    assert (file.path, file.module) == ("b/two.py", "two")


def test_tests_tools_and_the_packages_of_others_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "arm.py", "tests/arm.py", "test_arm.py", "conftest.py", ".hidden/arm.py")
    fill(tmp_path, "env/pyvenv.cfg", "env/lib/arm.py", "build/arm.py", "node_modules/arm.py")
    assert [file.path for file in source_files(tmp_path, tmp_path)] == ["arm.py"]


def test_unreadable_file_is_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "large.py", text="#" * (LARGEST + 1))
    (tmp_path / "latin.py").write_bytes(b"name = '\xe9'")
    (tmp_path / "lost.py").symlink_to(tmp_path / "nowhere")
    assert list(source_files(tmp_path, tmp_path)) == []


def test_cells_have_the_lines_of_python() -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": ["# An arm"]},
            {"cell_type": "code", "source": ["%pip install arm\n", "import arm\n", "!ls"]},
            {"cell_type": "code", "source": "arm.run()"},
        ]
    }
    assert cells(json.dumps(notebook)).split() == ["import", "arm", "arm.run()"]
    assert cells("{}") == cells("no notebook") == cells('{"cells": [1]}') == ""
