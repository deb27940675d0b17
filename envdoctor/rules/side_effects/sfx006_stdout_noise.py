"""The environment writes to standard output.

What it does
    Looks at the size of standard output before the import and after each call of the first life,
    from any writer: print(), a native library, a child process. What render() writes is its job
    and is not reported.

Why it matters
    Standard output is the program's: progress bars are torn, logs of a thousand resets fill disks,
    and a tool that reads the output of the script as JSON breaks. Under sixteen workers every line
    comes sixteen times.

How to fix it
    Log, so that the user decides; libraries that greet can be asked not to:

        logger = logging.getLogger(__name__)

        def reset(self, *, seed=None, options=None):
            logger.debug("episode %d", self._episode)     # not: print(...)

        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")     # before `import pygame`
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.frameworks import PACKAGES
from envdoctor.model.environment_aims import LogPrints
from envdoctor.model.errors import Frame
from envdoctor.model.facts import ChangedByImport, Printed, as_json
from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.rules.engine.examples import direct_view, fact, raised, sensor_life, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import IMPORTED, PHASES, imported, phase_of, searched

MAX_QUOTED = 80  # characters
LIBRARY = "importing the library "

# What render() writes is its job.
SPOKEN_AT = (IMPORTED, *(point for point in PHASES if point != "rendered"))


@rule(
    "SFX006",
    "stdout-noise",
    severity=NOTE,
    where=DIRECT_ONLY,
    sensors=("stdout",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def stdout_noise(view: View) -> Iterator[Finding]:
    printed = [(_writer(view, printed), printed) for printed in _printed(view)]
    printed = [(who, printed) for who, printed in printed if who]
    if not printed:
        return
    own = any(not who.startswith(LIBRARY) for who, _ in printed)
    yield stdout_noise.finding(
        "; ".join(
            f"{who} writes {_amount(printed)} to standard output{_quote(view, printed)}"
            for who, printed in printed
        ),
        _remedy(view, own),
        aim=_log(_writing(view)) if own else None,
        location=_place(view, own),
        evidence={
            "printed": [{"phase": who, **as_json(printed)} for who, printed in printed],
            "own_code": own,
        },
    )


def _printed(view: View) -> list[Printed]:
    """Return the output of the import and the first life, except what is meant to be seen."""
    traces = [trace for trace in (view.trace("survey"), view.trace("life")) if trace]
    texts = [printed for trace in traces for printed in trace.facts(Printed)]
    return [
        printed
        for printed in texts
        if printed.point in SPOKEN_AT and printed.life == 0 and printed.lines
    ]


def _writer(view: View, printed: Printed) -> str:
    """`reset()`, `importing the library pygame`; nothing where it was a framework's import."""
    inside = _imports_within(view, printed)
    if sum(_size(charge.new) - _size(charge.old) for charge in inside) < printed.bytes:
        return phase_of(view, printed.point)
    libraries = dict.fromkeys(charge.by for charge in inside if charge.by not in PACKAGES)
    return f"{LIBRARY}{', '.join(libraries)}" if libraries else ""


def _imports_within(view: View, printed: Printed) -> list[ChangedByImport]:
    """The imports of libraries that wrote a part of it."""
    start, end = printed.at, printed.at + printed.bytes
    return [
        charge
        for charge in imported(view, "stdout")
        if not charge.users and start <= _size(charge.old) < _size(charge.new) <= end
    ]


def _size(text: str | None) -> int:
    return int(text.split()[0]) if text else 0


def _place(view: View, own: bool) -> Location | None:
    """The first line that wrote and did not import; else the one that imported the library."""
    importing = [charge.place for charge in imported(view, "stdout") if charge.place]
    if not own:
        return importing[0] if importing else None
    return next(iter(_writing(view)), view.locate("__init__"))


def _writing(view: View) -> list[Location]:
    """The lines that wrote, without those that imported what did."""
    importing = [charge.place for charge in imported(view, "stdout") if charge.place]
    imports = {(place.file, place.line) for place in importing}
    return [place for place in searched(view, "stdout") if (place.file, place.line) not in imports]


def _log(places: list[Location]) -> LogPrints | None:
    frames = tuple(Frame(place.file, place.line) for place in places)
    return LogPrints(frames) if frames else None


def _amount(printed: Printed) -> str:
    return "1 line" if printed.lines == 1 else f"{printed.lines} lines"


def _quote(view: View, printed: Printed) -> str:
    """Its first line, where that is the writer's for certain."""
    if _imports_within(view, printed) and not _writer(view, printed).startswith(LIBRARY):
        return ""
    first = printed.first
    return f": {first if len(first) <= MAX_QUOTED else first[: MAX_QUOTED - 3] + '...'}"


def _remedy(view: View, own: bool) -> str:
    if own:
        return (
            f"let {view.class_name} log instead of print, so that who runs it decides what is"
            " shown."
        )
    libraries = {charge.by for charge in imported(view, "stdout")}
    if "pygame" in libraries:
        return (
            'put os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1") above the import of'
            " pygame."
        )
    return (
        "import it inside contextlib.redirect_stdout(sys.stderr), or ask the library not to greet."
    )


_LIFE = sensor_life("stdout", before={"stdout": "0 bytes"}, held={"stdout": "9 bytes"})


_GREETING = {
    "sensor": "stdout",
    "key": "stdout",
    "old": "0 bytes",
    "new": "9 bytes",
    "by": "pygame",
    "users": False,
    "place": None,
}


def _saying(point: str, lines: int, life: int = 0, **imports: object) -> View:
    values = fact(
        "printed",
        {"point": point, "life": life, "at": 0, "bytes": 9, "lines": lines, "first": "episode 0"},
    )
    return direct_view(
        trace(*_LIFE.events, values, *(fact(key, value) for key, value in imports.items()))
    )


EXAMPLES = (
    Example(
        "each reset says so",
        _saying("reset", 1),
        "reset() writes 1 line to standard output: episode 0",
    ),
    Example(
        "a library greets",
        _saying("made", 1, imported=[_GREETING]),
        "importing the library pygame writes 1 line to standard output: episode 0",
    ),
    Example("a framework greets", _saying("made", 1, imported=[{**_GREETING, "by": "gymnasium"}])),
    Example(
        "a prompt without an answer",
        direct_view(
            trace(
                *_LIFE.events,
                verb("reset", "raised", error=raised("EOFError", "")),
                fact(
                    "printed",
                    {
                        "point": "held",
                        "life": 0,
                        "at": 0,
                        "bytes": 9,
                        "lines": 1,
                        "first": "press enter:",
                    },
                ),
            )
        ),
        "reset() or close() writes 1 line to standard output: press enter:",
    ),
    Example("a picture in letters", _saying("rendered", 7)),
    Example("an empty line", _saying("reset", 0)),
    Example("a second life is not told again", _saying("reset", 1, life=1)),
)
