"""What was played, in words."""

from __future__ import annotations

from envdoctor.model.actions import FUNCTION, VALUE, PlayedActions


def played_actions(told: PlayedActions) -> str:
    """`EchoAction(message='hi') at each step (--action)`."""
    if told.kind == FUNCTION:
        return f"what {told.text} gives (--actions), first {told.example}"
    if told.kind == VALUE:
        return f"{told.example} at each step (--action)"
    return f"made of the fields of {told.type}, first {told.example}"
