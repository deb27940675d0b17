"""Calls that every environment gets and that this one refuses: reported once, and played without.

`seed(0)` where seed() takes no argument, `reset()` where it insists on a seed, a space that cannot
be sampled. The calls go on in the way that the environment takes; that it did not take the usual
one is a finding of its own.
"""

from __future__ import annotations

from typing import Callable, Dict, List

_noted: Dict[str, Dict[str, object]] = {}
_reported: List[str] = []


def note(call: str, instead: str, error: BaseException, method: str = "") -> None:
    """Remember that `call` was refused with `error`, and what was done instead. `method` is the
    environment's method that it is about.
    """
    if call not in _noted:
        _noted[call] = {
            "call": call,
            "instead": instead,
            "error": "%s: %s" % (type(error).__name__, _text(error)),
            "method": method,
        }


def _text(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:300]
    except Exception:  # its __str__ fails, too
        return ""


def tell(write: Callable[[Dict[str, object]], object]) -> None:
    """Hand out what was noted since the last time."""
    for call, refusal in _noted.items():
        if call not in _reported:
            _reported.append(call)
            write(refusal)


_values: List[int] = []  # of the first answer of step() that says nothing of an end
_written: List[int] = []


def note_end_unread(answer: object) -> None:
    """Remember an answer of step() from which the end of an episode cannot be read: what fails
    later may fail for that. Case: RLCard returns a state and a player, Safety-Gymnasium six values.
    """
    if not _values:
        _values.append(len(answer) if isinstance(answer, tuple) else 1)


def tell_end_unread(write: Callable[[Dict[str, int]], object]) -> None:
    """Hand out the number of its values, once."""
    for values in _values[len(_written) :]:
        _written.append(values)
        write({"values": values})
