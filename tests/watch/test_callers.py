"""Lines that called what ended a training, and messages that say what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.live.raised import _caller, _entries, _wrapped_again
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

AT, CALL = Location("/collector.py", 24, "sample"), Location("/train.py", 42, "update")


def _finding(kind: str, message: str, detail: ErrorDetail | None = None) -> tuple[str, str]:
    arm = Instances(1, 1, "arm.Arm", reset=Calls(1, 1), step=Calls(9, 9))
    process = TrainingProcess(1, code=1, raised=Raised(kind, message, AT, detail=detail))
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), (arm,))))
    return finding.message, finding.remedy.text


@pytest.mark.parametrize(
    ("kind", "message", "cure"),
    [
        ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB.", "learn from"),
        ("RuntimeError", "lost", "mend what raises there."),
        ("ValueError", "You need to add `_agent_ids` to your env", "do what its message asks for"),
    ],
)
def test_message_leads_to_the_cure(kind: str, message: str, cure: str) -> None:
    _, remedy = _finding(kind, message)
    assert remedy.startswith(cure)


def test_line_of_another_file_that_called_is_named() -> None:
    said, _ = _finding("ValueError", "no", ErrorDetail("caller", (), CALL))
    assert "(collector.py:24 in sample), called at train.py:42 in update, after 9 steps" in said


def test_caller_is_the_innermost_line_of_another_file(tmp_path: Path) -> None:
    library = tmp_path / "buffers.py"
    library.write_text("def sample():\n    return draw()\ndef draw():\n    raise ValueError\n")
    sys.path.insert(0, str(tmp_path))
    try:
        import buffers  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("buffers", None)
    with pytest.raises(ValueError, match=r"^$") as raised:
        buffers.sample()
    frame = _caller(raised.value)["frame"]
    assert isinstance(frame, dict)
    assert (frame["file"], frame["function"]) == (
        __file__,
        "test_caller_is_the_innermost_line_of_another_file",
    )
    with pytest.raises(ValueError, match=r"^$") as alone:
        raise ValueError
    assert _caller(alone.value) == {}


@pytest.mark.parametrize(
    ("message", "text", "sentence"),
    [
        ("", "assert space.contains(action)", "AssertionError: assert space.contains(action) (c"),
        ("too far", "assert space.contains(action)", "AssertionError: too far (collector.py:24"),
        ("", "raise AssertionError", "AssertionError (collector.py:24 in sample)"),
    ],
)
def test_assertion_that_says_nothing_is_quoted(message: str, text: str, sentence: str) -> None:
    assert Raised("AssertionError", message, AT, text=text).sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("reset", "step", "is_said"),
    [
        (Calls(), Calls(1, 1), True),
        (Calls(1, 1), Calls(1, 1), False),
        (Calls(), Calls(9, 9), False),  # the constructor made what step() works with
    ],
)
def test_step_without_a_reset_is_said(reset: Calls, step: Calls, is_said: bool) -> None:
    error = Raised("AttributeError", "no state", AT, "step")
    arm = Instances(1, 1, "arm.Arm", raised=1, error=error, reset=reset, step=step)
    process = TrainingProcess(1, code=1, raised=Raised("AttributeError", "no state", AT))
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), (arm,))))
    assert ("step() of Arm, which was never reset, raised" in finding.message) == is_said
    assert finding.remedy.text.startswith("call reset() before the first step()") == is_said


def test_place_of_the_first_wrapper_is_named() -> None:
    said, remedy = _finding("ValueError", "twice", ErrorDetail("again", ("Arm",), CALL))
    assert said.endswith(": train.py:42 gives Arm an environment that is wrapped in it already")
    assert remedy == "wrap it in Arm once: leave out the one at train.py:42, or the one in it."


class Layer:
    """A wrapper that may refuse what it is given."""

    def __init__(self, env: object, refuses: bool = False) -> None:
        self.env = env
        if refuses:
            raise ValueError


class Monitor(Layer):
    """One that leaves its attributes to its base class."""

    def __init__(self, env: object, refuses: bool = False) -> None:
        super().__init__(env, refuses)


class Copied(Layer):
    """An environment that is made of another one, and wraps nothing."""

    env = None

    def __init__(self, other: object, refuses: bool = False) -> None:
        if refuses:
            super().__init__(None, refuses)


@pytest.mark.parametrize(
    ("kind", "inner", "is_known"),
    [
        (Layer, Layer(object()), True),
        (Monitor, Layer(Monitor(object())), True),
        (Monitor, Layer(object()), False),
        (Copied, Copied(object()), False),
    ],
)
def test_constructor_that_is_given_its_own_class_is_known(
    kind: type[Layer], inner: Layer, is_known: bool
) -> None:
    with pytest.raises(ValueError, match=r"^$") as raised:
        kind(inner, refuses=True)
    detail = _wrapped_again(list(_entries(raised.value)))
    assert detail.get("names", []) == [kind.__name__] * is_known
