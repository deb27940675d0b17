"""The keeper of every instance, in words: a container, `atexit`, a signal's handler, or the cache
of a method's results.
"""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.kept_chains import BY_AT_EXIT, BY_CACHE, BY_HANDLER
from envdoctor.rules.wording.leftovers import listing

CLOSE_FIGURES = (
    "call plt.close(figure) when it was drawn, or clear() one figure and draw on it again: pyplot"
    " keeps each figure that is not closed."
)


@dataclass(frozen=True)
class KeptBy:
    """The words for a holder, and for the change that lets go of it."""

    holder: str
    remedy: str


def keeper(chains: Sequence[str], name: str) -> KeptBy:
    """The keeper of instances of the class `name`, by the chains that lead to them."""
    if not chains:
        return KeptBy(
            "no holder was found in Python",
            f"release in {name}.close() every callback and handle that __init__() or reset() gave"
            " to a native library, or to atexit with the environment among the arguments.",
        )
    chain = chains[0]
    if match := BY_AT_EXIT.fullmatch(chain):
        call, below = match.groups()
        function = f"self.{call.rpartition('.')[2]}" if below == ".__self__" else "..."
        return KeptBy(
            f"held by atexit, which calls {call}() when Python exits",
            f"take the callback back in {name}.close(), by atexit.unregister({function}); or let it"
            " know what has to be released at the exit, and not the environment.",
        )
    if match := BY_HANDLER.fullmatch(chain):
        return KeptBy(
            f"held by the handler of {match[1]}, {chain}",
            f"restore the earlier handler in {name}.close(), or leave the signal to the script.",
        )
    if match := BY_CACHE.fullmatch(chain):
        return KeptBy(
            f"held by the results that lru_cache keeps of {match[1]}(), which has it among its"
            " arguments",
            "cache a function that does not take self, or give each instance a cache of its own:"
            " one at the method is that of the class, and keeps every instance.",
        )
    return KeptBy(
        f"held by {listing(chains)}",
        f"let go of it in {name}.close(): remove it from {chain}, or store it there by a weak"
        " reference.",
    )
