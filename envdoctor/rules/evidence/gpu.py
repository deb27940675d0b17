"""What the driver told of GPU memory, for the rules on it."""

from __future__ import annotations

from envdoctor.model import gpu
from envdoctor.rules.engine.view import View

ONE_LIFECYCLE = (
    "only one lifecycle was played: what a GPU's driver keeps once in a process would be counted"
)


def left_on_gpu(view: View, point: str) -> dict[str, int]:
    """{pid: bytes} that the last life shows at a point and that were not there before it. The
    first one is never judged: a context, once opened, stays until the process ends.
    """
    life = view.last_life()
    return gpu.left_on_gpu(life, point) if life is not None and life.number else {}


def not_told(view: View) -> str:
    """Why the driver did not say how much memory a process holds, or nothing."""
    played = view.direct.trace("life")
    reasons = (gpu.not_told(life) for life in (played.lives if played else ()))
    return next(filter(None, reasons), "")
