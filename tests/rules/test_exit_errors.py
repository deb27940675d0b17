"""CLS017 aims at the object that lacks the attribute: at a half-made one, and at no other."""

from __future__ import annotations

import pytest

from envdoctor.rules.close.cls017_error_at_exit import cure
from envdoctor.rules.engine.examples import direct_view
from envdoctor.rules.evidence.exit_errors import FINALIZER, Complaint


@pytest.mark.parametrize(
    ("name", "kind", "is_half_made"),
    [
        ("Sick.__del__", "Sick", True),
        ("Base.__del__", "Sick", True),
        ("Viewer.__del__", "Viewer", True),
        ("Sick.__init__.<locals>.Viewer.__del__", "Viewer", True),
        ("Viewer.__del__", "NoneType", False),
        ("Viewer.__del__", "Display", False),
        ("", "NoneType", False),
    ],
)
def test_only_what_is_finalized_lacks_an_attribute_of_its_own(
    name: str, kind: str, is_half_made: bool
) -> None:
    error = f"AttributeError: '{kind}' object has no attribute 'contexts'"
    text, aim = cure(direct_view(), Complaint(FINALIZER, name, error, ()))
    assert (aim is not None) is is_half_made
    assert (f"give {kind} the attribute" in text) is is_half_made
