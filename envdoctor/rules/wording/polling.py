"""The words on a trainer that waits by looking again and again: where, and for which threads."""

from __future__ import annotations

from envdoctor.model.finding import Location
from envdoctor.model.training import THREAD, Site, Training
from envdoctor.model.training_ends import Polling
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import of

_LIMIT = "give the wait a limit, and raise with what is missing when it expires."


def sentence_of(polling: Polling, at: Location | None, ended: list[Site]) -> str:
    """The sentence on a trainer that polled until Ctrl-C."""
    began = f"the environments began {of(polling.resets, 'episode')}"
    meanwhile = began if polling.resets else "no environment was reset"
    return (
        f"the trainer polled for {polling.seconds:.0f} s until Ctrl-C{_place_of(at, polling)}: it"
        f" slept {polling.wakes:,} times and sent nothing, while {meanwhile}{_ended_words(ended)}"
    )


def _place_of(at: Location | None, polling: Polling) -> str:
    """` in wait (viewer.py:52), called in main (play.py:43)`: the line that slept, and the
    innermost one of another file.
    """
    if at is None:
        return ""
    caller = next((each for each in reversed(polling.frames) if each.file != at.file), None)
    called = f", called in {_named(caller)}" if caller is not None else ""
    return f" in {_named(at)}{called}"


def _named(at: Location) -> str:
    return f"{at.function} ({short(at.file)}:{at.line})"


def ended_threads(training: Training, at: Location | None, polling: Polling) -> list[Site]:
    """The lines of the file that waits whose threads, all of them, had ended."""
    own = (
        each
        for each in training.sites
        if each.kind == THREAD and each.pid == training.pid and each.location is not None
    )
    return [
        each
        for each in own
        if at is not None
        and each.location is not None
        and each.location.file == at.file
        and len(each.pids) == each.made
        and polling.threads
        and not set(each.pids) & set(polling.threads)
    ]


def _ended_words(ended: list[Site]) -> str:
    """`; the thread of draw(), started at viewer.py:60 in launch(), had ended`, or nothing."""
    words = []
    for site in ended:
        name = site.function.rsplit(".", 1)[-1] or site.class_name
        threads = "the thread" if site.made == 1 else f"the {site.made} threads"
        words.append(f"; {threads} of {name}(), started at {site.place}, had ended")
    return "".join(words)


def remedy_of(ended: list[Site]) -> str:
    """The remedy where a trainer polls."""
    if ended:
        return (
            "see whether it waits for what such a thread would do: let the loop look at what ends"
            f" the thread, too, such as not thread.is_alive(); {_LIMIT}"
        )
    return f"see what it waits for there, and whether that can still come; {_LIMIT}"
