"""The wording that the rules on leftovers share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from envdoctor.frameworks import profile_of_api
from envdoctor.model.errors import Acquisition, ErrorValue, Frame, Wire
from envdoctor.model.facts import Afterwards
from envdoctor.model.finding import ERROR, NOTE, Location
from envdoctor.model.records import AcquisitionRecord
from envdoctor.model.units import duration
from envdoctor.rules.engine.view import View, kind_of

MAX_LISTED = 3  # items named in a sentence; the evidence has them all
MAX_TEXT = 100  # characters of one of them: a command line can be long

#: Which sensors show what a line of code took.
SENSOR_OF = {
    "descriptor": ("descriptors",),
    "thread": ("threads",),
    "process": ("processes",),
    "file": ("files",),
    "port": ("ports", "descriptors"),
    "segment": ("shared-memory",),
}

POINTS_IN_LIFE = (("made", "the constructor"), ("reset", "reset()"), ("stepped", "step()"))


def count(items: Collection[object], noun: str, plural: str = "") -> str:
    """`1 descriptor`, `3 descriptors`, `2 processes` (plural given)."""
    return f"{len(items)} {noun if len(items) == 1 else plural or noun + 's'}"


def listing(texts: Iterable[str]) -> str:
    """The first few texts, long ones cut, and how many more there are."""
    texts = [text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..." for text in texts]
    more = len(texts) - MAX_LISTED
    return ", ".join(texts[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


def pronoun(items: Collection[object]) -> str:
    """`it` for one thing, `them` for several."""
    return "it" if len(items) == 1 else "them"


def has_close(view: View) -> bool:
    """Return True if the environment offers close(); an object that only resembles one may not."""
    return "close" not in view.survey.lacks


def leaves(view: View) -> str:
    """Begin a sentence on leftovers."""
    if has_close(view):
        return "close() leaves"
    why = (
        "close() is a tool that the model may call, and nothing else calls it"
        if "close" in view.survey.methods
        else "the environment has no close()"
    )
    return f"{why}: once given up, it leaves"


def is_never_closed(view: View) -> bool:
    """Return True if trainers never call close() on environments of this API."""
    profile = profile_of_api(view.survey.api)
    return profile is not None and not profile.closes


def last_call(view: View) -> str:
    """`Sick.close()`, or what ends an instance that nothing closes."""
    if is_never_closed(view):
        return f"what {view.class_name} gives weakref.finalize()"
    return f"{view.class_name}.close()"


def its_close(view: View) -> str:
    """Name the last call, or say that it has to be written first."""
    if is_never_closed(view):
        return f"{view.class_name}.reset() before the next is taken, and in {last_call(view)}"
    return last_call(view) + ("" if has_close(view) else ", which has to be written")


def still_there(view: View, sensor: str) -> tuple[dict[str, str], str]:
    """Return what a closed environment still has of `sensor`, and a clause that says if dropping it
    helps. Under a manager that runs workers, the closed object is the manager's, and what it pins
    until it is dropped is its affair: only leftovers after the drop count there. The same holds for
    an environment without close(), which is in use until it is given up.
    """
    held, collected = view.left(sensor, "held"), view.left(sensor, "collected")
    if ends_by_itself(view, sensor):
        return collected, f" until {duration(_afterwards(view).seconds)} after it"
    if collected or view.start_method is not None or not has_close(view):
        return {key: text for key, text in collected.items() if not _ended(view, sensor, key)}, ""
    collector = bool(view.left(sensor, "dropped"))
    return held, (
        " until the garbage collector runs" if collector else " until the closed object is dropped"
    )


def severity(view: View, sensor: str) -> str:
    """A note where what is left ends by itself: close() has it stopped in the background."""
    return NOTE if ends_by_itself(view, sensor) else ERROR


def ends_by_itself(view: View, sensor: str) -> bool:
    """Return whether all that a closed environment had left of `sensor` ended by itself, since
    close() began something that stops it.
    """
    left = view.left(sensor, "collected")
    return bool(left) and all(_ended(view, sensor, key) for key in left)


def begun_in_close(view: View) -> dict[str, str]:
    """The processes that close() began and that outlasted the wait for their end: whether they stop
    the rest is not known.
    """
    life = view.last_life()
    points = [point for point, _ in POINTS_IN_LIFE if life and life.has("processes", point)]
    if life is None or not points:
        return {}
    earlier = {key for point in points for key in life.left("processes", point)}
    return {
        key: text
        for key, text in view.left("processes", "collected").items()
        if key not in earlier and not _ended(view, "processes", key)
    }


def ended_by_itself(view: View, sensor: str) -> Mapping[str, str]:
    """Return what did, by key, with its text."""
    return _afterwards(view).ended.get(sensor, {})


def _ended(view: View, sensor: str, key: str) -> bool:
    return key in ended_by_itself(view, sensor)


def _afterwards(view: View) -> Afterwards:
    trace = view.trace("life")
    return (trace.fact(Afterwards) if trace else None) or Afterwards(0, 0.0, {})


def verb_words(view: View, sensor: str) -> str:
    """` (taken in reset())`, when the readings between the verbs tell; else nothing."""
    life = view.direct.last_life()
    left = view.direct.left(sensor, "held")
    for point, words in POINTS_IN_LIFE:
        if life is not None and left and any(key in life.left(sensor, point) for key in left):
            return f" (taken in {words})"
    return ""


def acquisition_lines(view: View, what: str) -> list[Acquisition]:
    """Every line of code that took such things while they were watched, with the verb."""
    trace = view.direct.trace("acquisitions")
    events = trace.records(AcquisitionRecord, what=what) if trace else ()
    return [event.acquisition for event in events if event.acquisition]


def acquired_at(view: View, what: str) -> list[Wire]:
    """The lines of code that took such things, as evidence holds them."""
    return [line.wire for line in _each_once(acquisition_sites(view, what))]


def left_evidence(view: View, sensor: str, what: str, left: Mapping[str, str]) -> dict[str, object]:
    """Evidence of what is left after close(): what still is when garbage was collected, and the
    lines that took such things, where those are known.
    """
    lines = acquired_at(view, what) if what else []
    return {"held": left, "collected": view.left(sensor, "collected"), "taken_at": lines}


def acquisition_sites(view: View, what: str) -> list[Acquisition]:
    """The lines of code that took such things, as the scenario `takings` saw them: those whose
    acquisitions were left by that very play, or all of them when names do not tell. Empty if it was
    not played.
    """
    return _left_by_name(view, what) or _all_sites(view, what)


def _all_sites(view: View, what: str) -> list[Acquisition]:
    return [line for line in acquisition_lines(view, what) if not _reads_folders(what, line.frame)]


def _reads_folders(what: str, frame: Frame) -> bool:
    """Return True if a descriptor was opened in close(): shutil.rmtree() opens the folders that it
    removes, and closes them.
    """
    return what == "descriptor" and frame.function.rpartition(".")[2] == "close"


def _left_by_name(
    view: View, what: str, like: Mapping[str, str] | None = None
) -> list[Acquisition]:
    """The lines whose acquisitions were left by that very play. Who made the folder of what is left
    stands for all that is in it. `like` is what another play left: where names of files are the
    same in both, lines that took other ones are left out.
    """
    trace = view.direct.trace("acquisitions")
    if trace is None:
        return []
    left = {
        item.removeprefix("$TMPDIR/")
        for life in trace.lifecycles
        for sensor in SENSOR_OF[what]
        for item in _items(life.left(sensor, "held"))
    }
    if what == "file" and like:
        names = {_file_name(path) for path in like}
        left = {path for path in left if _file_name(path) in names} or left
    sites = [(line.target.removeprefix("$TMPDIR/"), line) for line in _all_sites(view, what)]
    folders = tuple(
        f"{name}/" for name, _ in sites if any(item.startswith(f"{name}/") for item in left)
    )
    within = [line for name, line in sites if f"{name}/" in folders]
    return within + [line for name, line in sites if name in left and not name.startswith(folders)]


def left_for_good(view: View, what: str) -> list[str]:
    """Texts of what the lives of that very play left when garbage was collected."""
    trace = view.direct.trace("acquisitions")
    return [
        item
        for life in (trace.lifecycles if trace is not None else ())
        for sensor in SENSOR_OF[what]
        for item in _items(life.left(sensor, "collected"))
    ]


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _items(left: Mapping[str, str]) -> tuple[str, ...]:
    return (*left, *left.values())


def place_of(error: ErrorValue | None) -> Location | None:
    """Return the place of an error: the user's frame of it, or None when it has no frames."""
    frame = error.user_frame if error else None
    return Location.at(frame) if frame else None


def shown_line(view: View, error: ErrorValue | None) -> str:
    """`the line that is shown`, and where the environment's own file calls what raised elsewhere,
    the line of that: `, or the call of it at pursuit.py:30 in step()`.
    """
    known, own = error.user_frame if error else None, view.locate("step")
    calls = error.frames[: error.user] if error and known and own and known.file != own.file else ()
    own_calls = [frame for frame in calls if own is not None and frame.file == own.file]
    if not own_calls:
        return "the line that is shown"
    call = own_calls[-1]
    name = call.file.rpartition("/")[2]
    return f"the line that is shown, or the call of it at {name}:{call.line} in {call.function}()"


def site_words(view: View, sensor: str, what: str, left: Mapping[str, str]) -> str:
    """` (taken in reset(), env.py:31)`, when one line of code is known to have taken what is left;
    else what the readings between the verbs tell.

    Names differ between two plays (random file names, process numbers), so a line is also believed
    when it is the only one that took such a thing.
    """
    places = acquisition_places(view, what, left)
    if len(places) != 1:
        return verb_words(view, sensor)
    frame = places[0].frame
    caller = f", called from {spot(frame.caller)}" if frame.caller else ""
    return f" (taken in {spot(frame)}{caller})"


def acquisition_places(view: View, what: str, left: Mapping[str, str]) -> list[Acquisition]:
    """The lines of code that took things like those that are left, each once; all that took
    such things when none is alike.
    """
    lines = acquisition_sites(view, what)
    alike = [line for line in lines if any(is_alike(line.target, text) for text in _items(left))]
    return _each_once(alike or lines)


def _each_once(lines: Iterable[Acquisition]) -> list[Acquisition]:
    return list({line.place: line for line in lines}.values())


def places_left(view: View, what: str, left: Mapping[str, str]) -> list[Acquisition]:
    """The lines of code that are known to have taken what is left: the only one of its kind, or
    those whose acquisitions were left by name.
    """
    places = acquisition_places(view, what, left)
    return places if len(places) == 1 else _each_once(_left_by_name(view, what, left))


def method_of(view: View, lines: Sequence[Acquisition], method: str = "close") -> Location | None:
    """Return where the close() is that has to give back what these lines took, or another method: a
    wrapper's, where they are its own; else the environment's.
    """
    around = [view.wrapper_at(Location.at(line.frame)) for line in lines]
    first = around[0] if around else None
    theirs = first is not None and all(each is first for each in around)
    return (view.of_wrapper(first) if first and theirs else view).locate(method)


def single_site(view: View, what: str) -> Acquisition | None:
    """The line of code that took such things, where there was only one."""
    places = _each_once(acquisition_sites(view, what))
    return places[0] if len(places) == 1 else None


def spot(frame: Frame) -> str:
    """`Arm.reset(), arm.py:46`."""
    return f"{frame.function}(), {frame.file.rsplit('/', 1)[-1]}:{frame.line}"


def names_a_file(target: str) -> bool:
    """Return True for the path of a file or folder, and not for a command line."""
    return target.startswith(("/", "$TMPDIR")) and " " not in target


def is_alike(target: str, text: str) -> bool:
    """Return True if the acquired resource and the leftover are of one kind: either text holds the
    other, numbers aside. What is nothing but a number is of no kind.
    """
    item, other = kind_of(target), kind_of(text)
    both_named = not (target.isdigit() or text.isdigit()) and bool(item and other)
    return both_named and (item in other or other in item)
