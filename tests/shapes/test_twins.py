"""One illness in one shape: each is found, named as what it is, and nothing else is blamed for it."""

from __future__ import annotations

import pytest

from tests.shapes.examined import OTHERS, SHAPES, spec, together
from tests.support.zoo import messages_of

#: What each illness of envs/illnesses.py is, and what the finding says.
FOUND = {
    "Process": ("CLS008", "leaves 1 process"),
    "Thread": ("CLS007", "leaves 1 thread"),
    "Descriptor": ("CLS006", "leaves 1 descriptor"),
    "Port": ("CLS009", "leaves 1 port"),
    "File": ("CLS010", "leaves 1 temporary file"),
    "Raising": ("CLS001", "close() raises RuntimeError: the door is stuck"),
    "Hanging": ("CLS004", "close() "),
    "Held": ("CLS012", ""),
    "Missing": ("CLS007", "1 thread"),
    "Growing": ("LEK001", "keeps"),
}
#: Where nothing calls a close(), none raises or hangs, and a socket goes with its instance.
NEVER_CLOSED = {("tools", "Raising"), ("tools", "Hanging"), ("tools", "Port")}
CASES = [
    (shape, illness)
    for shape in SHAPES | OTHERS
    for illness in FOUND
    if (shape, illness) not in NEVER_CLOSED
]


@pytest.mark.everything
@pytest.mark.parametrize(("shape", "illness"), CASES)
def test_each_illness_is_found_in_each_shape(shape: str, illness: str) -> None:
    code, words = FOUND[illness]
    subject = spec(shape, illness)
    asked = ("--select", "CLS,LEK001") if illness == "Growing" else ("--select", "CLS")
    exit_code, document = together(subject, arguments=asked)
    found = {one["code"]: one["message"] for one in document["findings"]}
    assert words in found[code]
    errors = messages_of(document, "error")
    assert bool(errors) == bool(exit_code), errors
