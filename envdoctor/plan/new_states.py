"""Resets of an open instance, each with another seed: what grows only where states are new."""

from __future__ import annotations

from envdoctor.analysis.growth.new_states import grows_with_states
from envdoctor.analysis.growth.sides import INSTANCE, NEW_STATES
from envdoctor.analysis.growth.verdicts import UNIT
from envdoctor.plan.leak_session import LeakSession

#: Blocks, in units, that show whether anything grows; and those that decide on its pace.
FIRST, DECIDING = (1, 1, 1), (1, 1, 1, 2, 4)


def follow_new_states(session: LeakSession) -> None:
    """A few blocks, which a healthy environment ends with; then a census and those that decide."""
    most = (sum(FIRST) + sum(DECIDING) + 3) * UNIT
    if session.unit != UNIT or session.fitting(session.per_episode, 1.0) < most:
        return
    trace = session.play_scenario(NEW_STATES, _script(session, FIRST))
    if trace is not None and grows_with_states(trace, session.side(INSTANCE)):
        census = f"suspects:{session.size(UNIT)} "
        session.play_scenario(NEW_STATES, _script(session, DECIDING, census))


def _script(session: LeakSession, blocks: tuple[int, ...], before: str = "") -> str:
    sizes = " ".join(f"block:{session.size(times * UNIT)}" for times in blocks)
    return f"open:seeds warm:{session.size(session.warm)} {before}{sizes} shut"
