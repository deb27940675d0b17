"""A seed reaches what it is given for: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.remedy import AcceptZero, PassSeed
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source


@pytest.mark.parametrize(
    ("parameters", "handed_on"),
    [
        ("*, seed=None, options=None", "seed=seed, options=options"),
        ("seed=None", "seed=seed"),
        ("**kwargs", "**kwargs"),
        ("*, seed=None, **others", "seed=seed, **others"),
    ],
)
def test_wrapper_hands_on_what_its_reset_takes(parameters: str, handed_on: str) -> None:
    text = applied(
        PassSeed("Frames"),
        source(f"""\
            class Frames(Wrapper):
                def reset(self, {parameters}):
                    view, info = self.env.reset()
                    self.camera.reset(3)
                    return view, info
        """),
    )
    assert f"view, info = self.env.reset({handed_on})" in text
    assert "self.camera.reset(3)" in text


@pytest.mark.parametrize(
    ("name", "reset"),
    [
        ("Frames", "def reset(self):\n        return self.env.reset()"),
        ("Frames", "def reset(self, seed=None):\n        return self.env.reset(seed=1)"),
        ("Frames", "def step(self, action):\n        return self.env.step(action)"),
        ("Other", "def reset(self, seed=None):\n        return self.env.reset()"),
    ],
)
def test_wrapper_that_has_no_seed_to_hand_on_gets_no_code(name: str, reset: str) -> None:
    where = source(f"class Frames(Wrapper):\n    {reset}\n")
    assert list(candidates(PassSeed(name), where)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if seed:\n            self.go(seed)", "if seed is not None:"),
        ("if not seed:\n            self.go()", "if seed is None:"),
        ("self.go(1 if seed else 2)", "self.go(1 if seed is not None else 2)"),
        ("self.go(seed or draw())", "self.go(seed if seed is not None else draw())"),
        ("self.rng = seed or 7", "self.rng = (seed if seed is not None else 7)"),
        ("seed = seed or a or b", "seed = (seed if seed is not None else a or b)"),
    ],
)
def test_zero_is_a_seed(before: str, after: str) -> None:
    where = source(f"""\
class Arm(Env):
    def reset(self, seed=None, a=1, b=2, draw=int):
        {before}
""")
    assert after in applied(AcceptZero(), where)


def test_seed_that_is_compared_with_none_gets_no_code() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self, seed=None):
                if seed is not None and self.seeds:
                    self.go(seed)
    """)
    assert list(candidates(AcceptZero(), where)) == []
