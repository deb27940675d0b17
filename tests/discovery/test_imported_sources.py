"""The files that an environment is made of, and whether they changed."""

from __future__ import annotations

import pytest

from envdoctor.discovery.sources import SourceGraph, is_changed

FILES = {
    "src/rob/__init__.py": "from .maze import Maze\nfrom .arm import Arm as Long\n",
    "src/rob/base.py": "import gymnasium, logging\nclass Base(gymnasium.Env): ...\n",
    "src/rob/maze.py": "from .base import Base\nclass Maze(Base): ...\n",
    "src/rob/arm.py": "from rob import tools\ntools.grip.close()\n",
    "src/rob/tools/__init__.py": "from . import grip, hook\n",
    "src/rob/tools/grip.py": "",
    "src/rob/tools/hook.py": "",
    "src/rob/logging.py": "",
    "src/rob/lazy.py": "import importlib\nimportlib.import_module('.hidden', __package__)\n",
    "src/rob/hidden.py": "",
    "apps/a/env.py": "import util\nfrom rob import Long\n",
    "apps/a/util.py": "",
    "apps/b/util.py": "",
    "apps/b/env.py": "import rob\ngetattr(rob, 'Maze')\n",
    "space/one/env.py": "from space.two.parts import *\n",
    "space/two/parts.py": "",
    "typed.py": """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from square import Square
else:
    import apps.b.util
def area(square: Square): return square.side
""",
    "circle.py": "import square\n",
    "square.py": "import circle\n",
}
SOURCES = SourceGraph(FILES, FILES.__getitem__)


def made_of(path: str) -> set[str]:
    return {each.removeprefix("src/rob/") for each in SOURCES.reached([path])} - {"__init__.py"}


@pytest.mark.parametrize(
    ("path", "others"),
    [
        ("src/rob/base.py", set()),  # the standard library's logging
        ("src/rob/maze.py", {"base.py"}),
        ("src/rob/arm.py", {"tools/__init__.py", "tools/grip.py"}),
        ("src/rob/lazy.py", {"hidden.py"}),
        ("apps/a/env.py", {"apps/a/util.py", "arm.py", "tools/__init__.py", "tools/grip.py"}),
        ("apps/b/env.py", {"maze.py", "base.py", "arm.py", "tools/__init__.py", "tools/grip.py"}),
        ("space/one/env.py", {"space/two/parts.py"}),
        ("typed.py", {"apps/b/util.py"}),
        ("circle.py", {"square.py"}),
        ("src/rob/hidden.py", set()),
    ],
)
def test_an_environment_is_made_of_what_it_imports(path: str, others: set[str]) -> None:
    assert made_of(path) == others | {path.removeprefix("src/rob/")}


def test_of_an_id_its_registration_counts_and_what_its_class_is_made_of() -> None:
    made = SOURCES.of("src/rob/__init__.py", "rob.Maze")
    assert made == {"src/rob/__init__.py", "src/rob/maze.py", "src/rob/base.py"}
    without_entry = SOURCES.of("src/rob/__init__.py", "elsewhere.Maze")
    assert "src/rob/arm.py" in without_entry


def test_modules_of_others_have_no_sources() -> None:
    assert SOURCES.named("gymnasium.Env") == SOURCES.reached(["gone.py"]) == frozenset()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("src/rob/base.py", True),
        ("src/rob/__init__.py", True),
        ("src/rob/arm.py", False),
        ("apps/a/util.py", False),
        ("src/rob/walls.xml", True),
        ("src/rob/meshes/wall.stl", True),
        ("src/rob/tools/grip.stl", False),  # a package of its own
        ("src/rob/README.md", False),
        ("src/rob/.gitignore", False),
        ("src/rob", True),  # a repository in the repository
        ("pyproject.toml", True),
        ("requirements-dev.txt", True),
        ("apps/a/setup.py", False),
        ("data.bin", False),
    ],
)
def test_sources_data_beside_them_and_manifests_above_them_count(
    changed: str, expected: bool
) -> None:
    assert is_changed(SOURCES.reached(["src/rob/maze.py"]), [changed], SOURCES) is expected
