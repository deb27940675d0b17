"""The path of close() through the wrappers of an environment."""

from __future__ import annotations

from envdoctor.model.environment_aims import PassOn
from envdoctor.model.facts import CloseLayer, CloseLayers
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.records import InnerRecord
from envdoctor.model.remedy import Aim
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import closes

FOLLOWED_IN = "reuse"  # the scenario that follows it


@dataclass(frozen=True)
class StoppingWrapper:
    """A wrapper whose close() ran last, and the environment under it, whose own never ran."""

    wrapper: CloseLayer
    inner: CloseLayer

    @property
    def place(self) -> Location | None:
        """The place of the close() that stops."""
        return self.wrapper.place

    @property
    def call(self) -> str:
        """The call that is missing."""
        return "super().close()" if self.wrapper.inherits else "self.env.close()"

    @property
    def remedy(self) -> str:
        """The sentence that says what to change."""
        return (
            f"let {self.wrapper.name}.close() call {self.call} at its end, which leads to"
            f" {self.inner.name}.close()."
        )

    def aim(self, inner: Aim | None = None) -> PassOn:
        """The code for that, and for what is still to be done in the close() that it leads to."""
        return PassOn(self.wrapper.name, self.call, None if isinstance(inner, PassOn) else inner)


def stopping_wrapper(view: View) -> StoppingWrapper | None:
    """The wrapper in which a close() that went well stopped; nothing where it came through, where
    what is wrapped has nothing to close, or where it was not followed.
    """
    trace = view.direct.trace(FOLLOWED_IN)
    followed = trace.fact(CloseLayers) if trace else None
    if trace is None or followed is None or followed.inner.idle:
        return None
    went_well = [close.state == "ended" for close in closes(trace)]
    ran = [layer for layer in followed.layers if layer.called]
    reached = any(trace.records(InnerRecord, what="closed"))
    return (
        StoppingWrapper(ran[-1], followed.inner)
        if ran and ran[-1].place and went_well and all(went_well) and not reached
        else None
    )
