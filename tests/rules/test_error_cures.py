"""Cures of exceptions that end a training, by what their types and messages say."""

from __future__ import annotations

import pytest

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training import SPAWNED, Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.evidence.training_deaths import CONNECTION
from envdoctor.rules.remedies.training_failures import mend_empty, mend_failure
from envdoctor.rules.training.trn004_process_died import process_died
from envdoctor.rules.wording.error_cures import MEND, plain_cure

AT = Location("/train.py", 12, "main")
MODULE = Location("/train.py", 5, "<module>")
INSTALLED = Location("/usr/lib/python3.11/site-packages/gymnasium/core.py", 130, "step")
AGAIN = "Trying to backward through the graph a second time (or directly access saved tensors"
IN_PLACE = "one of the variables needed [...] has been modified by an inplace operation: [...]"
NOT_REAL = "to satisfy the constraint IndependentConstraint(Real(), 1), but found invalid values:"
ARRAY = "Unable to allocate 257. TiB for an array with shape (10, 84) and data type uint8"


@pytest.mark.parametrize(
    ("name", "message", "cure"),
    [
        ("gymnasium.error.ResetNeeded", "Cannot call env.step()", "call reset() of the"),
        ("numpy._core._exceptions._ArrayMemoryError", ARRAY, "take less there"),
        ("OSError", "[Errno 98] Address already in use", "bind port 0"),
        ("OSError", "[Errno 28] No space left on device: '/psm_1'", "see with `df -h`"),
        ("OSError", "[Errno 24] Too many open files: '/dev/null'", "close what each step"),
        ("ConnectionRefusedError", "[Errno 111] Connection refused", "start what listens"),
        ("sqlite3.OperationalError", "database is locked", "commit() or close() each"),
        ("RuntimeError", AGAIN, "compute the loss of each update"),
        ("RuntimeError", IN_PLACE, "call backward() of all losses"),
        ("RuntimeError", "Expected all tensors to be on the same device, but", "to the device"),
        ("ValueError", NOT_REAL, "where the first NaN comes from"),
        ("ImportError", "you need `pip install 'shimmy>=2.0'`", "pip install 'shimmy>=2.0'"),
        ("gymnasium.error.DependencyNotInstalled", "run `pip install pygame`", "install pygame"),
        ("ModuleNotFoundError", "No module named 'pygame'", "install what provides pygame"),
        ("ImportError", "libGL.so.1: cannot open shared object file", "brings libGL.so.1"),
    ],
)
def test_type_and_message_leave_a_cure(name: str, message: str, cure: str) -> None:
    assert cure in plain_cure(Raised(name, message, AT))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MemoryError", ""),
        ("ValueError", "Address already in use"),
        ("sqlite3.OperationalError", "no such table: trades"),
        ("ValueError", "a scale to satisfy the constraint GreaterThan(lower_bound=0.0), but"),
        ("OSError", "[Errno 2] No such file or directory"),
        ("RuntimeError", "the task asks the agent to `pip install pygame`"),
        ("AttributeError", "No module named 'pygame'"),
    ],
)
def test_other_exceptions_are_to_be_mended_where_they_are_raised(name: str, message: str) -> None:
    assert plain_cure(Raised(name, message, AT)) == MEND


def test_call_in_which_a_framework_raised_is_named() -> None:
    error = Raised("AssertionError", "no", AT, within="stable_baselines3.common.vec_env")
    assert plain_cure(error).startswith("mend the call at train.py:12: stable-baselines3 raised it")


@pytest.mark.parametrize(
    "error",
    [
        Raised("EOFError", "", AT, within=CONNECTION),
        Raised("AssertionError", "", AT, within="my_arm.spaces"),
        Raised("AssertionError", "", INSTALLED, within="gymnasium.core"),
        Raised("AssertionError", "", None, within="gymnasium.core"),
    ],
)
def test_call_is_named_only_where_the_users_line_made_it(error: Raised) -> None:
    assert plain_cure(error) == MEND


def _ended(error: Raised, *instances: Instances) -> Finding:
    process = TrainingProcess(1, code=1, raised=error)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), instances)))
    return finding


def test_cure_stands_in_the_finding() -> None:
    arm = Instances(1, 1, "arm.Arm", AT, step=Calls(4, 4))
    finding = _ended(Raised("numpy._core._exceptions._ArrayMemoryError", ARRAY, AT), arm)
    assert finding.severity == NOTE
    assert finding.remedy.text.startswith("take less there")


@pytest.mark.parametrize(
    ("kind", "names", "words", "cure"),
    [
        ("older-seed", ("TimeLimit",), "and TimeLimit has none", "`env.reset(seed=SEED)`"),
        ("both", ("obs",), ": obs is (observation, info)", "`obs, info = env.reset()`"),
        (
            "other-library",
            ("gym", "gymnasium"),
            ": it is registered with gym",
            "gymnasium.register(",
        ),
    ],
)
def test_difference_of_interfaces_is_a_known_cause(
    kind: str, names: tuple[str, ...], words: str, cure: str
) -> None:
    finding = _ended(Raised("ValueError", "", AT, detail=ErrorDetail(kind, names)))
    assert finding.severity == WARNING
    assert words in finding.message
    assert cure in finding.remedy.text


def test_lambda_that_is_sent_is_to_be_a_function_although_nothing_was_made() -> None:
    message = "Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> failed"
    finding = _ended(Raised("_pickle.PicklingError", message, AT, "send", called_at=AT))
    assert "train.py:12 in main sends it to another process" in finding.message
    assert finding.remedy.text.startswith("define the function that is sent with `def`")


AGAIN = Raised("RuntimeError", "context has already been set", MODULE)


def _spawned(error: Raised) -> Finding:
    fatal = Raised("EOFError", "", AT, within=CONNECTION, at=5.0)
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=fatal, exits=5.1)
    worker = TrainingProcess(2, 1, SPAWNED[0], code=1, ended=4.1, raised=error, exits=4.0)
    arm = Instances(1, 1, "arm.Arm", AT, closed=1)
    training = Training((), 1, 1, 9.0, (trainer, worker), (arm,))
    (finding,) = process_died.judge(watched_view(training))
    return finding


def test_script_that_sets_the_start_method_again_has_no_guard() -> None:
    finding = _spawned(AGAIN)
    assert "the script, which calls set_start_method() there again: it has no `if" in str(finding)
    assert finding.remedy.text == 'put the work of the script below `if __name__ == "__main__":`.'
    aim = mend_empty(AGAIN)
    assert aim is not None
    assert aim.kind == "guard"
    assert mend_failure(AGAIN) is None


def test_function_that_sets_it_twice_is_another_matter() -> None:
    assert "it has no `if" not in str(_spawned(Raised(AGAIN.type, AGAIN.message, AT)))


def test_module_that_a_worker_did_not_import_is_named() -> None:
    name = "gymnasium.error.NameNotFound"
    finding = _spawned(Raised(name, "`Mine`", AT, detail=ErrorDetail("registrar", ("mine",))))
    assert "mine was not imported, and its import registers that id; after that" in str(finding)
    assert "`mine:ID`, which workers understand, too." in finding.remedy.text
