"""Every reset builds a new handle, and the old one is not given back.

What it does
    Follows the attributes of the environment that have a close(), stop(), disconnect(),
    terminate(), release() or shutdown(), and those that are files, sockets, threads or processes,
    across resets: by numbers that are never given twice, since an address is. It is reported when
    each reset put a new object there and what the old ones held is still there a second later: an
    open file, a running thread, a living process. What was released, and what merely was built anew
    and holds nothing, is not.

Why it matters
    One thread, socket or simulator more for every episode. It ends with "too many open files" or
    with a machine that is slow for no reason, hours after the start, and long after the line that
    is to blame.

How to fix it
    Build it once:

        if self._client is None:
            self._client = Client(self._address)
        self._client.restart()

    or give the old one back before the new one takes its place:

        if self._client is not None:
            self._client.close()
        self._client = Client(self._address)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.environment_aims import ReleaseOld
from envdoctor.model.facts import FollowedHandle, Handles
from envdoctor.model.finding import Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, instance, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.reuse import convention, in_words
from envdoctor.rules.reuse.rus001_instance_not_reused import SCRIPT, changes
from envdoctor.rules.wording.leftovers import listing

# Replacements in the three resets of the scenario, where the first reset builds the first one.
EVERY = 2


def unreleased(run: Trace) -> list[FollowedHandle]:
    """The attributes that every reset renewed without giving the old object back, without those
    that stand inside another.
    """
    followed_handles = [
        handle
        for handle in (run.fact(Handles) or Handles()).handles
        if handle.rebuilt >= EVERY and handle.unreleased == handle.replaced >= EVERY
    ]
    names = {handle.name for handle in followed_handles}
    return [
        handle
        for handle in followed_handles
        if not any(handle.name.startswith((f"{name}.", f"{name}[")) for name in names)
    ]


@rule(
    "RUS005",
    "handle-rebuilt-every-reset",
    severity="warning",
    where=DIRECT_ONLY,
    needs=("reuse",),
    verb="reset",
    looks_at={"reuse": "reset close?"},
)
def handle_rebuilt_every_reset(view: View) -> Iterator[Finding]:
    run = view.trace("reuse")
    if run is None or changes(run):  # all of it is new: RUS001 and RUS002
        return
    for handle in unreleased(run):
        until = " until the garbage collector runs" if handle.collectable else ""
        yield handle_rebuilt_every_reset.finding(
            f"reset() puts a new {handle.type} into self.{handle.name} each time and does not"
            f" release the old one: {listing(handle.left)}"
            f" {'stays' if len(handle.left) == 1 else 'stay'}{until}",
            remedy(view, handle),
            aim=ReleaseOld(handle.name, handle.releases),
            location=view.locate("reset"),
            evidence={
                "attribute": handle.name,
                "replaced": handle.replaced,
                "left": list(handle.left),
                "script": SCRIPT,
            },
        )


def remedy(view: View, handle: FollowedHandle) -> str:
    """Release the old one first, with the method that it has."""
    text, known = f"build it once in {view.class_name} and keep it", convention(view)
    if known:
        text = in_words(known.build_once_short, view)
    if not handle.releases:
        return f"{text}, or end the old one before the new one takes its place."
    return f"{text}, or call its {handle.releases[0]}() before the new one takes its place."


def _client(
    rebuilt: int = 2, gone: int = 0, name: str = "_client", **more: object
) -> Mapping[str, object]:
    left = ["thread 'reader'"] * (2 - gone)
    return {
        "name": name,
        "type": "Client",
        "releases": ["close"],
        "resets": 3,
        "rebuilt": rebuilt,
        "replaced": rebuilt,
        "unreleased": rebuilt - gone,
        "left": left,
        "collectable": False,
        "kept": 0,
        **more,
    }


def _reuse(*handles: Mapping[str, object], bases: tuple[int, ...] = (1, 1, 1)) -> View:
    resets = [instance("reset", base=base) for base in bases]
    return direct_view(
        trace(
            *resets,
            verb("reset", at=2),
            fact("handles", list(handles)),
            name="reuse",
            script=SCRIPT,
        )
    )


_MESSAGE = (
    "reset() puts a new Client into self._client each time and does not release the old one: thread"
    " 'reader', thread 'reader' stay"
)

EXAMPLES = (
    Example(
        "a client with a reader thread", _reuse(_client(), _client(name="_client.thread")), _MESSAGE
    ),
    Example(
        "a cycle", _reuse(_client(collectable=True)), f"{_MESSAGE} until the garbage collector runs"
    ),
    Example("the old ones are closed", _reuse(_client(gone=2))),
    Example("the one before the last is closed later", _reuse(_client(gone=1))),
    Example("the same one all the time", _reuse({**_client(rebuilt=0), "left": []})),
    Example(
        "the whole environment is new: instance-not-reused", _reuse(_client(), bases=(1, 2, 3))
    ),
)
