"""Ids that files put together: what an import of the files registers, and nothing else."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.cli.listing import as_text
from envdoctor.discovery.contents import CLASS, ID, contents_of
from envdoctor.discovery.files import SourceFile

HEAD = "from gymnasium import register\nimport gymnasium\n"


def ids(text: str, **others: str) -> list[str]:
    return [spec.partition(":")[2] for spec in specs(text, **others)]


def specs(text: str, **others: str) -> list[str]:
    files = [SourceFile("rob/__init__.py", ".", "rob", HEAD + text)]
    files += [
        SourceFile(f"rob/{name}.py", ".", f"rob.{name}", other) for name, other in others.items()
    ]
    return [each.spec for each in contents_of(files).environments if each.kind == ID]


@pytest.mark.parametrize(
    "text",
    [
        "for n in ('A', 'B'):\n    register(id=f'{n}-v0')",
        "for n in ['A', 'B']:\n    register(n + '-v0')",
        "for i in range(2):\n    register(id='AB'[i] + '-v%d' % 0)",
        "for n, v in {'A': 0, 'B': 0}.items():\n    register(id='-v'.join([n, str(v)]))",
        "for n in ['a', 'b']:\n    register(id='{}-v{version}'.format(n.upper(), version=0))",
        "NAMES = [n + '-v0' for n in 'AB']\nfor n in NAMES:\n    gymnasium.register(n)",
        "SPECS = [dict(id='A-v0'), {'id': 'B-v0'}]\nfor s in SPECS:\n    register(**s)",
        "def add(name, version=0):\n    register(id=f'{name}-v{version}')\nadd('A')\nadd(name='B')",
        "def add(name):\n    register(id=name)\n[add(f'{n}-v0') for n in ('A', 'B')]",
        "class A: ...\nclass B: ...\nfor c in (A, B):\n    register(id=f'{c.__name__}-v0')",
        "names = []\nnames.append('A')\nnames += ['B']\nfor n in names:\n    register(n + '-v0')",
        "import itertools\nfor n, v in itertools.product('AB', [0]):\n    register(f'{n}-v{v}')",
        "for n in ['A', 'B', 'C']:\n    if n == 'C':\n        continue\n    register(f'{n}-v0')",
        "def all_():\n    for n in 'AB':\n        register(f'{n}-v0')",
        "class Names:\n    ALL = ('A', 'B')\nfor n in Names.ALL:\n    register(f'{n}-v0')",
        "def add(n, into):\n    into(id=f'{n}-v0')\nadd('A', register)\nadd('B', gymnasium.register)",
        "import os\nif os.name == 'x':\n    register('A-v0')\nelse:\n    register('B-v0')",
        "for i in range(2):\n    register(f'{chr(ord(\"A\") + i)}-v0')",
        "for n in 'AB':\n    if any([n == 'A', n == 'B']):\n        register(f'{n}-v{sum([])}')",
    ],
)
def test_computed_ids_are_listed(text: str) -> None:
    assert ids(text) == ["A-v0", "B-v0"]


@pytest.mark.parametrize(
    "text",
    [
        "import os\nfor n in os.listdir('.'):\n    register(id=f'{n}-v0')",
        "def add(name):\n    register(id=f'{name}-v0')",
        "names = ['A']\nnames.clear()\nfor n in names:\n    register(n)",
        "name = input()\nregister(id=name + '-v0')",
        "for n in ['A']:\n    if n != 'A':\n        register(n)",
        "for n in 'AB':\n    n = load(n)\n    register(id=n)",
        "import os\nname = 'A'\nif os.environ.get('B'):\n    name = 'B'\nregister(id=name)",
        "for n in range(10**9):\n    register(id=f'{n}')",
        "register(id='a' * 10**9)",
        "register(id='%999999999d' % 3)",
        "while True:\n    pass",
        "def f():\n    f()\n    f()\nf()",
        "x = [1]\nfor i in x:\n    x.append(i)",
    ],
)
def test_ids_that_nothing_shows_are_not_listed(text: str) -> None:
    assert ids(text) == []


def test_product_with_more_items_than_a_list_may_have_is_followed() -> None:
    loop = "from itertools import product\nfor %s in product(*[range(17)] * 3):\n"
    assert len(ids(loop % "a, b, c" + "    register(f'A-{a}-{b}-{c}-v0')")) == 17**3
    assert not ids(loop % "each" + "    register('A-v0' if unknown else 'B-v0')")


def test_file_that_registers_too_many_ids_says_so() -> None:
    loop = "for a in range(900):\n    for b in range(%d):\n        register(f'{a}-{b}-v0')"
    for number, unfinished in ((900, ("rob.py",)), (1, ())):
        project = contents_of([SourceFile("rob.py", ".", "rob", HEAD + loop % number)])
        assert project.unfinished == unfinished
        text = as_text(project, Path(), 80)
        assert ("rob.py has ids that are not listed: it has too many" in text) is (number > 1)


def test_constants_and_helpers_of_other_files_are_followed() -> None:
    names = "from .more import PREFIX\nNAMES = ('A', 'B')\nVERSION = 0"
    helpers = "import gymnasium as gym\ndef add(name, v):\n    gym.register(id=f'Rob/{name}-v{v}')"
    text = "from .names import NAMES\nfrom . import names\nfrom rob.helpers import add\n"
    text += "for n in NAMES:\n    add(names.PREFIX + n, names.VERSION)"
    listed = specs(text, names=names, helpers=helpers, more="PREFIX = 'x'")
    assert listed == ["rob:Rob/xA-v0", "rob:Rob/xB-v0"]


def test_id_is_named_with_the_file_whose_import_registers_it() -> None:
    registration = "import gymnasium\ndef add_all():\n    gymnasium.register('A-v0', 'rob.arm:Arm')"
    assert specs("", registration=registration) == ["rob.registration:A-v0"]
    text = "from .registration import add_all\nadd_all()"
    assert specs(text, registration=registration) == ["rob:A-v0"]


MAIN = "if __name__ == '__main__':\n    "


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("register('A-v0')\n" + MAIN + "train()", ["arms:A-v0"]),
        (MAIN + "register('A-v0')", []),
        ("def main():\n    register('A-v0')\n" + MAIN + "main()", []),
        ("def add():\n    register('A-v0')", ["arms:A-v0"]),
    ],
)
def test_id_of_a_single_file_is_named_by_its_module(text: str, known: list[str]) -> None:
    files = [SourceFile("scripts/arms.py", "scripts", "arms", HEAD + text)]
    assert [each.spec for each in contents_of(files).environments] == known


def test_class_that_an_id_makes_is_not_examined_twice() -> None:
    arm = "import gymnasium\nclass {}(gymnasium.Env):\n    def reset(self): ...\n"
    arm += "    def step(self, action): ...\n"
    text = "for n in ('Arm', 'Leg'):\n    register(f'{n}-v0', f'{__name__}.parts:{n}')"
    parts = arm.format("Arm") + arm.format("Leg")
    files = [
        SourceFile("rob/__init__.py", ".", "rob", HEAD + text),
        SourceFile("rob/parts.py", ".", "rob.parts", parts),
    ]
    assert [each.kind for each in contents_of(files).examined] == [ID, ID]


BASE = "import gymnasium\nclass Base(gymnasium.Env):\n    def reset(self): ...\n"
BASE += "    def step(self, action): ...\n"


@pytest.mark.parametrize(
    "header",
    [
        "from rob.base import *\nclass Arm(Base): ...",
        "from .base import Base as Root\nclass Arm(Root): ...",
        "from . import base\nclass Arm(base.Base): ...",
        "import rob.base as b\nclass Arm(b.Base): ...",
        "from . import base\nRoot = base.Base\nclass Arm(Root): ...",
        "from .compat import Root\nclass Arm(Root): ...",
    ],
)
def test_base_class_of_another_file_is_followed(header: str) -> None:
    files = [
        SourceFile("rob/base.py", ".", "rob.base", BASE),
        SourceFile("rob/compat.py", ".", "rob.compat", "from . import base\nRoot = base.Base"),
        SourceFile("rob/arm.py", ".", "rob.arm", header),
    ]
    names = [each.spec for each in contents_of(files).environments if each.kind == CLASS]
    assert names == ["rob.base:Base", "rob.arm:Arm"]


TEXTS = st.text("ab-{}%'", max_size=4)
EXPRESSIONS = st.recursive(
    st.one_of(TEXTS.map(repr), st.sampled_from(["n", "v", "NAMES[0]", "str(v)", "3", "v + 1"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "%", "*", "-"]), inner).map(
            lambda parts: "({} {} {})".format(*parts)
        ),
        st.tuples(inner, inner).map(lambda parts: "{}.join([str({})])".format(*parts)),
        st.tuples(inner, st.sampled_from(["upper", "strip", "title", "split"])).map(
            lambda parts: "{}.{}()".format(*parts)
        ),
        st.tuples(inner, inner, inner).map(lambda parts: "({} if {} else {})".format(*parts)),
        inner.map(lambda part: "'{}'.format(" + part + ")"),
        inner.map(lambda part: "f'x{" + part.replace("'", '"') + "}'"),
    ),
    max_leaves=6,
)


@contextmanager
def recorder(kept: list[object]) -> Iterator[None]:
    """A module gymnasium that keeps what is registered, for files of this test alone."""
    module = types.ModuleType("gymnasium")
    module.__dict__["register"] = lambda **words: kept.append(words["id"])
    before = sys.modules.get("gymnasium")
    sys.modules["gymnasium"] = module
    try:
        yield
    finally:
        sys.modules.pop("gymnasium")
        sys.modules.update({} if before is None else {"gymnasium": before})


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, st.lists(TEXTS, min_size=1, max_size=3))
def test_listed_ids_are_those_that_python_registers(expression: str, names: list[str]) -> None:
    text = f"NAMES = {names!r}\nfor v, n in enumerate(NAMES):\n"
    text += f"    try:\n        register(id={expression})\n    except Exception:\n        pass\n"
    kept: list[object] = []
    with recorder(kept):
        try:
            exec(compile(HEAD + text, "rob", "exec"), {"__name__": "rob"})
        except SyntaxError:
            return
    texts = {each for each in kept if isinstance(each, str) and each}
    assert set(ids(text)) == texts


@settings(max_examples=100, deadline=None)
@given(st.text("abn=+:()[]{}'\"\n ,.%*-<>", max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    ids(f"for n in 'ab':\n    register(n)\n{text}")
