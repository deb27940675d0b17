"""The actions that were played, in words."""

from __future__ import annotations

from envdoctor.model.actions import FUNCTION, TOOLS, VALUE, PlayedActions


def played_actions(reported: PlayedActions) -> str:
    """`EchoAction(message='hi') at each step (--action)`."""
    if reported.kind == FUNCTION:
        return f"what {reported.text} gives (--actions), first {reported.example}"
    if reported.kind == VALUE:
        return f"{reported.example} at each step (--action)"
    if reported.kind == TOOLS:
        return f"calls of its tools, first {reported.example}; it has no step()"
    return f"made of the fields of {reported.type}, first {reported.example}"
