"""What was played, in words."""

from __future__ import annotations

from envdoctor.model.actions import FUNCTION, TOOLS, VALUE, PlayedActions


def played_actions(told: PlayedActions) -> str:
    """`EchoAction(message='hi') at each step (--action)`."""
    if told.kind == FUNCTION:
        return f"what {told.text} gives (--actions), first {told.example}"
    if told.kind == VALUE:
        return f"{told.example} at each step (--action)"
    if told.kind == TOOLS:
        return f"calls of its tools, first {told.example}; it has no step()"
    return f"made of the fields of {told.type}, first {told.example}"
