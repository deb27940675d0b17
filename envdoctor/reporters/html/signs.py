"""The condition of an environment, as a sign."""

from __future__ import annotations

from envdoctor.model.finding import ERROR, WARNING
from envdoctor.reporters._condition import CLEAR, UNJUDGED
from envdoctor.reporters.html.markup import Element, tag

SIGNS = {ERROR: "✗", WARNING: "!", CLEAR: "✓", UNJUDGED: "?"}
WORDS = {ERROR: "failed", WARNING: "warned", CLEAR: "nothing found", UNJUDGED: "not judged"}


def sign(state: str) -> Element:
    """A round sign with its word for readers who do not see it."""
    return tag(
        "span",
        tag("span", SIGNS[state], aria_hidden="true"),
        tag("span", WORDS[state], class_="unseen"),
        class_=f"sign {state}",
    )
