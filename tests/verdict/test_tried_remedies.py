"""Text of findings on remedies that were tried on a copy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.environment_aims import Forget
from envdoctor.model.errors import Frame
from envdoctor.model.failure_aims import RaiseEnd
from envdoctor.model.finding import Finding, Remedy
from envdoctor.model.fixes import Tried
from envdoctor.model.remedy import Change
from envdoctor.verdict.remedies import kept, tried_remedies, with_code

CHANGE = Change("/lab/arm.py", 7, 0, ("    self.log.close()",), "Arm.close()")


def finding(text: str = "close it in Arm.close().", aim: bool = True) -> Finding:
    remedy = Remedy(text, aim=Forget("arm.FLEET[0]") if aim else None)
    return Finding("CLS006", "close-leaves-descriptors", "error", "m", remedy)


def shown(tried: Tried, text: str = "close it in Arm.close().") -> Remedy:
    one = finding(text)
    return with_code(one, {one.fingerprint: tried}).remedy


@pytest.mark.parametrize(
    "text", ["close it in Arm.close()", "close it in Arm.close().", "close it in Arm.close():"]
)
def test_remedy_that_cures_shows_its_code_and_how_it_was_verified(text: str) -> None:
    remedy = shown(Tried((CHANGE,), True), text)
    assert remedy.text == (
        "close it in Arm.close(). Verified on a copy: this finding is gone, and nothing new came."
    )
    assert remedy.commands == ("# after line 6 of arm.py, in Arm.close()", "    self.log.close()")
    assert (remedy.changes, remedy.verified) == ((CHANGE,), True)


def test_remedy_that_cures_with_others_says_so() -> None:
    assert shown(Tried((CHANGE,), True, together=True)).text.endswith(
        "Verified on a copy, together with the other code that is shown: this finding is gone,"
        " and nothing new came."
    )


def test_call_that_raises_in_place_of_waiting_is_said_to_do_so() -> None:
    hang = finding("see why it ends.").but(
        remedy=Remedy("see why it ends.", aim=RaiseEnd(Frame("/lab/arm.py", 7)))
    )
    remedy = with_code(hang, {hang.fingerprint: Tried((CHANGE,), True)}).remedy
    assert remedy.text == (
        "see why it ends. Verified on a copy: the call raises that error in place of waiting for ever."
    )


def test_remedy_that_does_not_cure_stays_words() -> None:
    remedy = shown(Tried((CHANGE,), False))
    assert remedy == replace(finding().remedy, verified=False)


def test_remedy_that_was_not_tried_says_why() -> None:
    remedy = shown(Tried(reason="no time was left"))
    assert remedy.text == ("close it in Arm.close(). Code for it was not tried: no time was left.")
    assert remedy.verified is None


def test_remedy_without_an_aim_or_a_trial_stays_as_it_is() -> None:
    one, other = finding(), finding(aim=False)
    assert with_code(one, {}) == one
    assert with_code(other, {other.fingerprint: Tried((CHANGE,), True)}) == other


def test_tried_remedies_are_read_back_as_they_were_kept() -> None:
    tried = {"a": Tried((CHANGE,), True, together=True), "b": Tried(reason="no place")}
    assert tried_remedies(kept(tried)) == tried
    assert tried_remedies({}) == {}
