"""What the first instance of a process leaves, so that no second one can be made, is named and
cured.
"""

from __future__ import annotations

from tests.support.zoo import examine, messages_of

ALONE = ("--managers", "direct", "--select", "MAK")


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
