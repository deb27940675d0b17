"""Rules as SARIF describes them: the help is the rule's own manual page."""

from __future__ import annotations

from envdoctor.model.finding import ERROR, NOTE, WARNING
from envdoctor.reporters._manual import as_markdown
from envdoctor.reporters._wording import safe_line
from envdoctor.rules.engine.registry import catalogue

#: What GitHub filters and sorts by.
PROBLEM = {ERROR: "error", WARNING: "warning", NOTE: "recommendation"}


def described(code: str, name: str) -> dict[str, object]:
    """The rule of that code; one that a saved run knows and this version does not has no more
    than its name.
    """
    entry = next((entry for entry in catalogue() if entry.code == code), None)
    if entry is None:
        return {
            "id": safe_line(code),
            "name": safe_line(name),
            "shortDescription": {"text": safe_line(name) or safe_line(code)},
        }
    rule = entry.load()
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.manual.strip(), "markdown": as_markdown(rule.manual)},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": ["reinforcement-learning", rule.code[:3]],
            "precision": "very-high",
            "problem.severity": PROBLEM[rule.severity],
        },
    }
