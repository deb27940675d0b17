"""The environment sets up warnings or logging for the whole program.

What it does
    Compares the filters that apply to all warnings, the level, the handlers and the switch of the
    root logger before the import and after each call of the first life. Filters for one module or
    one message are left alone.

Why it matters
    warnings.filterwarnings("ignore") in one environment hides the deprecations of every library in
    the program, and Gymnasium's own advice to the author. logging.basicConfig() in a library makes
    the script's own call do nothing.

How to fix it
    Filter what is known, in the module that it comes from, and log to a logger of the package's
    own:

        warnings.filterwarnings("ignore", message="Overriding environment", module="my_package")

        logger = logging.getLogger(__name__)      # not: logging.basicConfig(level=logging.DEBUG)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import direct_view, life_trace
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import Effect, effects, sentence, where
from envdoctor.rules.remedies.aims import remove

LEVELS = {"10": "DEBUG", "20": "INFO", "30": "WARNING", "40": "ERROR", "50": "CRITICAL"}


@rule(
    "SFX005",
    "warning-filters",
    severity=NOTE,
    where=DIRECT_ONLY,
    sensors=("warnings", "logging"),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def warning_filters(view: View) -> Iterator[Finding]:
    texts = [
        (effect, _filters(effect)) for effect in effects(view, "warnings") if effect.new is not None
    ]
    texts += [(effect, _logging(effect)) for effect in effects(view, "logging")]
    for by in dict.fromkeys(effect.by for effect, _ in texts):
        own = [(effect, text) for effect, text in texts if effect.by == by]
        first = own[0][0]
        yield warning_filters.finding(
            f"{by} {', '.join(text for _, text in own)}{sentence(first)}",
            "narrow filters to one module or one message, and log to logging.getLogger(__name__);"
            " the root belongs to the script.",
            aim=remove(effect.place for effect, _ in own) if first.own else None,
            location=where(view, first),
            key=tuple(sorted({effect.key for effect, _ in own})),
            evidence={
                "changes": [{"what": effect.key, **effect.evidence} for effect, _ in own],
                "own_code": first.own,
            },
        )


def _filters(effect: Effect) -> str:
    """`ignores every UserWarning of the program`."""
    action, _, category = effect.key.partition(" ")
    kind = "warning" if category == "Warning" else category
    if action == "ignore":
        return f"ignores every {kind} of the program"
    return (
        f"turns every {kind} of the program into an error"
        if action == "error"
        else f"sets what is done with every {kind} to {action!r}"
    )


def _logging(effect: Effect) -> str:
    old, new = (LEVELS.get(str(text), str(text)) for text in (effect.old, effect.new))
    if effect.key == "disabled up to":
        return f"disables logging up to {new}" if new != "0" else "enables logging again"
    return f"sets the root logger's {effect.key} from {old} to {new}"


_BEFORE = {
    "warnings": {"ignore ImportWarning": "from everywhere"},
    "logging": {"level": "30", "handlers": "none", "disabled up to": "0"},
}
_SILENT = {
    "warnings": {**_BEFORE["warnings"], "ignore Warning": "from everywhere"},
    "logging": _BEFORE["logging"],
}
_LOUD = {
    "warnings": _BEFORE["warnings"],
    "logging": {"level": "10", "handlers": "StreamHandler", "disabled up to": "0"},
}

EXAMPLES = (
    Example(
        "everybody is silenced",
        direct_view(life_trace(before=_BEFORE, made=_SILENT, held=_SILENT)),
        "the constructor ignores every warning of the program",
    ),
    Example(
        "everybody is heard",
        direct_view(life_trace(before=_BEFORE, made=_BEFORE, reset=_LOUD, held=_LOUD)),
        "reset() sets the root logger's level from WARNING to DEBUG, sets the root logger's"
        " handlers from none to StreamHandler",
    ),
    Example("nothing is set", direct_view(life_trace(before=_BEFORE, made=_BEFORE, held=_BEFORE))),
)
