"""Evidence that rules read out of traces, and their common wording, by values."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE, Side
from envdoctor.analysis.growth.verdicts import FLAT, LEAK, OPEN, Block, Growth
from envdoctor.analysis.training_growth import TrainingGrowth
from envdoctor.model.environment_aims import LeaveOut, OwnRandom, SeedAll, TakeLater
from envdoctor.model.errors import Frame
from envdoctor.model.events import Event
from envdoctor.model.facts import Known
from envdoctor.model.facts.comparisons import CallDifference, Comparison
from envdoctor.model.facts.pickling import Attempt, LostException
from envdoctor.model.faults import PREFIX
from envdoctor.model.finding import Finding, Remedy, Skipped
from envdoctor.model.scenario import (
    CONFIGURED,
    FAILING_AGAIN,
    FAILING_RESET,
    RENEWED,
    WITHOUT_BUFFERS,
    Scenario,
)
from envdoctor.model.trace import EXITED, FINISHED, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.model.training import Still, Training, TrainingProcess
from envdoctor.model.training_growth import Control, Kept, Reading, Series, TrainingHolder
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.close.cls012_instance_outlives_close import _thread_of
from envdoctor.rules.close.cls015_close_never_called import _cause as cause_of_no_close
from envdoctor.rules.close.cls017_error_at_exit import words_for
from envdoctor.rules.contract.api012_collects_garbage_by_hand import Hidden
from envdoctor.rules.contract.api012_collects_garbage_by_hand import hidden_words as hides
from envdoctor.rules.engine import registry
from envdoctor.rules.engine.examples import (
    designs,
    direct_view,
    fact,
    growing,
    instance,
    life_trace,
    played_block,
    raised,
    random_events,
    random_resets,
    reading,
    suspected,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.judging import _given_way, _why_unreached, build_views
from envdoctor.rules.engine.looked_at import _ended_early, missing_evidence
from envdoctor.rules.engine.registry import (
    LEAK_CHECK_FAMILIES,
    Entry,
    Rule,
    all_rules,
    leak_check_codes,
)
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import site_of
from envdoctor.rules.evidence.beginnings import busy_groups
from envdoctor.rules.evidence.comparisons import cure
from envdoctor.rules.evidence.copies import copy_troubles
from envdoctor.rules.evidence.deaths import how_it_ended
from envdoctor.rules.evidence.episodes import managers_played, no_end, not_followed
from envdoctor.rules.evidence.exit_errors import ATEXIT, TASK, THREAD, Complaint
from envdoctor.rules.evidence.expectations import observed
from envdoctor.rules.evidence.faults import verdict as verdict_on_fault
from envdoctor.rules.evidence.framework_checkers import broken_directly
from envdoctor.rules.evidence.growth import _unjudged, unfollowed
from envdoctor.rules.evidence.hosting import MAKE, hosted_in_other_places, lightest
from envdoctor.rules.evidence.hosting import cure as cure_of_one_instance
from envdoctor.rules.evidence.payloads import _environment_raised
from envdoctor.rules.evidence.random_streams import going_on, reset_to_one_state
from envdoctor.rules.evidence.relaunches import failures
from envdoctor.rules.evidence.repeated import calls_counted
from envdoctor.rules.evidence.replay_buffers import (
    LISTED,
    NONE,
    filled,
    forecast,
    stored_view,
    turns,
)
from envdoctor.rules.evidence.reuse import let_go_in_close
from envdoctor.rules.evidence.side_by_side import _verb_of, not_reproducible, shared_generators
from envdoctor.rules.evidence.training import ATTACHED, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import _is_alone, _is_before
from envdoctor.rules.evidence.training_growth import MEMORY, not_looked
from envdoctor.rules.evidence.training_growth import not_followed as growth_not_followed
from envdoctor.rules.evidence.without_buffers import is_gone_by_itself, plays_without
from envdoctor.rules.leak.lek011_grows_until_collected import _cure as cure_of_cycles
from envdoctor.rules.processes.prc001_orphans_after_manager_close import _left_alone
from envdoctor.rules.processes.prc004_needs_children_in_daemon_worker import verified
from envdoctor.rules.remedies.launch_lines import launch_code
from envdoctor.rules.training.trn005_call_does_not_return import _standstill
from envdoctor.rules.training.trn008_memory_grows import kept_in
from envdoctor.rules.training.trn011_equal_seeds import unjudged as seeds_unjudged
from envdoctor.rules.wording.growth import cleanup, every
from envdoctor.rules.workers.vec001_worker_does_not_start import explained_otherwise
from envdoctor.rules.workers.vec004_vector_differs_from_single import _cure as cure_of_difference
from envdoctor.rules.workers.vec005_payload_not_picklable import cure as cure_of_payload
from envdoctor.rules.workers.vec006_exception_not_picklable import _untried, aim_of
from envdoctor.rules.workers.vec009_gpu_context_per_worker import _in_process as in_one_process

UNDER = {"manager": "gymnasium-async", "start_method": "spawn"}


def life_under() -> Trace:
    return trace(verb("make"), verb("close"), **UNDER)


def leak(*operations: str, side: str = LIFECYCLE) -> Leak:
    return Leak("descriptors", side, "cycle", 1.0, 231, dict.fromkeys(operations, 1.0))


def taken(verb_: str, line: int, target: str = "") -> Event:
    return {
        "event": "acquisition",
        "t": 0.0,
        "pid": 1,
        "what": "descriptor",
        "verb": verb_,
        "target": target or f"self.file{line}",
        "frame": {"file": "arm.py", "line": line, "function": "Arm.open"},
    }


def taking(*lines: Event) -> Trace:
    return trace(*lines, name="acquisitions")


def test_line_that_takes_is_that_of_the_operation_that_grows() -> None:
    view = direct_view(taking(taken("make", 7), taken("reset", 9)))
    places = {
        name: site_of(view, "descriptor", leak(name)) for name in ("create", "cycle", "reset")
    }
    lines = {name: site.frame.line for name, site in places.items() if site is not None}
    assert lines == {"create": 7, "cycle": 7, "reset": 9}


def test_line_that_takes_is_unknown_where_several_may_be() -> None:
    view = direct_view(taking(taken("reset", 7), taken("reset", 9)))
    assert site_of(view, "descriptor", leak("reset")) is None


@pytest.mark.parametrize(
    ("target", "left", "line"),
    [
        ("/dev/null", "/dev/null", 7),
        ("/dev/null", "pipe:[41]", None),
        ("/dev/null", None, 7),
        ("socket AF_UNIX", "unix socket [41]", 7),
    ],
)
def test_line_that_takes_a_file_is_not_the_one_where_something_else_is_left(
    target: str, left: str | None, line: int | None
) -> None:
    kept = {} if left is None else {"5": left}
    readings = life_trace(
        before={"descriptors": {}}, held={"descriptors": {}}, collected={"descriptors": kept}
    )
    view = direct_view(taking(taken("make", 7, target), *readings.of("reading")))
    site = site_of(view, "descriptor", leak("create"))
    assert (site and site.frame.line) == line


def test_only_line_that_takes_needs_no_operation() -> None:
    site = site_of(direct_view(taking(taken("reset", 7))), "descriptor", leak("step"))
    assert site is not None
    assert site.target == "self.file7"


def test_remedy_for_an_open_instance_is_in_reset() -> None:
    view = direct_view()
    assert cleanup(view, leak("reset", side=INSTANCE)) == "Sick.reset()"
    assert cleanup(view, leak("reset", side=LIFECYCLE)) == "Sick.close()"
    assert cleanup(view, leak("reset"), "render") == "Sick.render()"
    assert cleanup(view, leak("call")) == "Sick()"


@pytest.mark.parametrize(
    ("source", "text", "aim"),
    [
        ("self._np_random", "pass the seed on in the first line of Sick.reset()", True),
        ("numpy.random", "draw in Sick from the instance's own generator, self.np_random", True),
        ("torch", "give Sick a torch.Generator of its own, seed it in Sick.reset()", False),
        ("self.rng", "make self.rng anew in Sick.reset() where a seed is given", True),
        ("drive.GENERATOR", "draw in Sick from the instance's own generator", True),
    ],
)
def test_cure_follows_from_the_source_of_randomness(source: str, text: str, aim: bool) -> None:
    words, aimed = cure(direct_view(), [source])
    assert words.startswith(text)
    assert aimed == (OwnRandom(source) if aim else None)


def test_cure_without_a_known_source_says_where_to_look() -> None:
    assert cure(direct_view(), [])[0].startswith("look in Sick for what the seed does not reach")


@pytest.mark.parametrize(
    ("sources", "sentences", "aim"),
    [
        (
            ["self.cash", "self.starts"],
            "make self.cash and self.starts anew in Sick.reset() where a seed is given.",
            SeedAll(("self.cash", "self.starts")),
        ),
        (
            ["self.rng", "torch"],
            (
                "give Sick a torch.Generator of its own, seed it in Sick.reset(), and pass it to what"
                " draws. Make self.rng anew in Sick.reset() where a seed is given."
            ),
            OwnRandom("self.rng"),
        ),
    ],
)
def test_cure_names_all_sources_of_randomness(
    sources: list[str], sentences: str, aim: object
) -> None:
    assert cure(direct_view(), sources) == (sentences, aim)


def test_cure_names_numpys_and_pythons_generators_together() -> None:
    words, _ = cure(direct_view(), ["numpy.random", "random"])
    assert "in place of numpy.random and random, and seed it in Sick.reset()." in words


@pytest.mark.parametrize(
    ("states", "on", "back"),
    [
        (("ab", "cb", "db"), [], ["self.rng"]),  # set back, and moved by steps
        (("ab", "bc", "cd"), ["self.rng"], []),
        (("ab", "bb", "bb"), [], []),  # not drawn from
        (("ab", "cc", "dd"), ["self.rng"], []),  # by steps
        (("ab", "bc"), [], []),  # the third reset is not known
        ((), [], []),
    ],
)
def test_generators_continue_or_are_reset_to_one_state(
    states: tuple[str, ...], on: list[str], back: list[str]
) -> None:
    played = random_resets("self.rng", *states, name="other-seeds")
    assert (going_on(played), reset_to_one_state(played)) == (on, back)


def retried(*events: Event) -> Trace:
    failure = verb("reset", "raised", error=raised("ValueError", "no map"))
    return trace(*events, failure, name=RENEWED, script="make reset close", **UNDER)


def test_failure_of_a_manager_made_anew_is_reported() -> None:
    (failure,) = failures(vector_view(life_under(), retried()))
    assert (failure.name, failure.call, failure.text) == (RENEWED, "reset", "ValueError: no map")


def test_failure_after_a_close_that_raised_is_left_to_the_rules_on_close() -> None:
    close = instance("close-raised", error=raised())
    assert list(failures(vector_view(life_under(), retried(close)))) == []


def test_failure_is_not_reported_where_the_life_did_not_go_well() -> None:
    failed = trace(verb("step", "raised"), **UNDER)
    assert list(failures(vector_view(failed, retried()))) == []


def side_by_side(differs: bool, name: str) -> Trace:
    difference = {
        "call": "reset",
        "step": 0,
        "key": "observation",
        "what": "value",
        "place": None,
        "values": ["1", "2"],
    }
    alone = {"calls": 21, "unknown": [], "difference": difference if differs else None}
    return trace(fact("side-by-side", {"alone": alone, "instances": []}), name=name)


def test_instances_that_are_not_reproducible_alone_are_not_compared() -> None:
    reason = "what two instances return could not be compared: alone, it is not reproducible"
    proof, both = side_by_side(True, "undisturbed"), side_by_side(True, "two-at-once")
    assert not_reproducible(direct_view(both)).startswith(reason)
    assert not_reproducible(direct_view(side_by_side(False, "two-at-once"), proof)) != ""
    assert not_reproducible(direct_view(both, side_by_side(False, "undisturbed"))) == ""


@pytest.mark.parametrize(
    ("events", "outcome", "text"),
    [
        ((verb("step"),), FINISHED, " (verified: works with daemon=False)"),
        ((), FINISHED, " (tried: then something else fails, too)"),
        ((verb("step"),), SIGNALLED, " (tried: then something else fails, too)"),
        (
            (verb("step"), verb("close", "raised")),
            FINISHED,
            " (tried: then something else fails, too)",
        ),
    ],
)
def test_cure_of_daemonic_workers_is_verified_by_a_whole_play(
    events: tuple[Event, ...], outcome: str, text: str
) -> None:
    cured = trace(*events, outcome=outcome, name="without-daemon")
    assert verified(vector_view(cured)) == text


def test_cure_of_daemonic_workers_that_was_not_played_says_nothing() -> None:
    assert verified(vector_view()) == ""


@pytest.mark.parametrize(("state", "is_gone"), [("ended", True), ("raised", False)])
def test_failure_that_is_gone_by_itself_is_not_a_cure(state: str, is_gone: bool) -> None:
    works = trace(verb("step"), name="without-daemon")
    piped = trace(verb("step"), name=WITHOUT_BUFFERS)
    again = trace(verb("reset"), verb("step", state), name=FAILING_AGAIN)
    view = replace(vector_view(works), optional_traces=(piped, again))
    assert is_gone_by_itself(view) is is_gone
    assert plays_without(view) is not is_gone
    assert ("not verified" in verified(view)) is is_gone


@pytest.mark.parametrize(
    ("of_function", "handles", "text"),
    [
        (
            False,
            True,
            "Close it before the call that makes it returns; where the instance keeps it,",
        ),
        (False, False, "cut the cycle in Sick when it is of no use any more: clear attributes"),
        (True, True, "Close it before Sick() returns: what is closed waits for nothing."),
        (
            True,
            False,
            (
                "Cut the cycle before Sick() returns: clear attributes that refer back, or make"
                " them weak references."
            ),
        ),
    ],
)
def test_cure_of_reference_cycles(of_function: bool, handles: bool, text: str) -> None:
    played = (trace(name="first-call"),) if of_function else ()
    assert cure_of_cycles(direct_view(*played), handles).startswith(text)


def checked(kind: str) -> Trace:
    said = {"checker": "gymnasium", "version": "1", "kind": kind, "message": "", "error": None}
    return trace(fact("check", said), name="check")


def test_contract_is_broken_directly_where_a_checker_or_a_call_raises() -> None:
    assert broken_directly(direct_view(checked("raised")))
    assert broken_directly(direct_view(trace(verb("reset", "raised"))))
    assert broken_directly(direct_view(checked("warned"), trace(verb("step", "raised"))))
    assert not broken_directly(direct_view(checked("warned"), trace(verb("close", "raised"))))


def test_views_know_the_plays_with_faults_of_their_own_place() -> None:
    here, elsewhere = (
        Trace(
            Scenario(f"{PREFIX}raises@0", "make reset", "gymnasium-async", method, control=True),
            Outcome(FINISHED),
            (),
        )
        for method in ("spawn", "fork")
    )
    (view,) = build_views("Sick-v0", Known(), [life_under(), here, elsewhere])
    assert (view.faults, view.control) == ((here,), None)


# Whole episodes.


def episode(*events: Event, outcome: str = FINISHED, **fields: Any) -> Trace:
    return trace(
        *events, name="episode", script="make reset episode:2000", outcome=outcome, **fields
    )


#: An episode that came to an end.
ENDED = [{"step": 40, "how": "terminated"}]


def played_on(**keys: Any) -> Event:
    return verb("episode:2000", **{"episodes": [], "steps": 2000, "bound": "steps", **keys})


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (episode(played_on(episodes=ENDED)), ""),
        (episode(played_on()), "no episode came to an end within 2,000 steps"),
        (episode(played_on(steps=1)), "no episode came to an end within 1 step"),
        (
            episode(played_on(bound="time", seconds=8.0, steps=40)),
            "no episode came to an end within 8 s (40 steps)",
        ),
        (
            episode(verb("episode:2000", "raised", error=raised("ValueError", "no map"))),
            "the episode was not played to its end: ValueError: no map",
        ),
        (episode(outcome=TIMED_OUT), "the episode was not played to its end: it hangs"),
        (episode(outcome=SIGNALLED), "the episode was not played to its end: the process ended"),
        (episode(), "the episode was not played to its end"),
    ],
)
def test_reason_why_no_episode_came_to_an_end(played: Trace, reason: str) -> None:
    assert no_end(direct_view(played)) == reason


def test_reason_why_no_episode_was_seen_where_none_was_played() -> None:
    assert no_end(direct_view()) == "no whole episode was played"


def ended_alone(**told: Any) -> Event:
    place = {"manager": "gymnasium-async", "start_method": "spawn"}
    return fact("ended-alone", {"scenario": "episode", **place, **told})


def beside(*alone: Trace, under: tuple[Trace, ...] = ()) -> View:
    view = vector_view(*under)
    return View(view.subject, *("gymnasium-async", "spawn"), under, view.survey, other_places=alone)


def test_ends_of_episodes_are_not_followed_for_the_first_reason_there_is() -> None:
    ended = episode(played_on(episodes=ENDED))

    def reason(*told: Event, under: tuple[Trace, ...] = ()) -> str:
        return not_followed(beside(ended, trace(*told, name="episode-alone"), under=under))

    skipped = ended_alone(skipped="it draws by itself")
    both = ended_alone(alone=[40, "terminated"], under=[40, "terminated"])
    assert reason(both, skipped) == ""
    assert reason(skipped, skipped) == "it draws by itself"
    assert reason(ended_alone(alone=[40, "terminated"]), under=(ended,)) == (
        "no episode ended under the manager"
    )
    assert reason(under=(ended,)) == "nothing was compared"
    assert not_followed(direct_view(ended)) == "no episode was followed under a manager"


def test_managers_are_played_only_where_another_place_is_there() -> None:
    assert managers_played(beside(life_under()))
    assert not managers_played(beside(trace()))


# Ends.


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "ended with exit code 0"),
        (3, "ended with exit code 3"),
        (-11, "died of SIGSEGV"),
        (-99, "died of signal 99"),
    ],
)
def test_exit_codes_in_words(code: int, words: str) -> None:
    assert how_it_ended(code) == words


def outcome_in(verb_: str, kind: str, **fields: Any) -> Trace:
    return trace(outcome=kind, verb=verb_, **fields)


@pytest.mark.parametrize(
    ("played", "words"),
    [
        (outcome_in("", SIGNALLED), "the process ended between two calls (signalled)"),
        (outcome_in("step:20", TIMED_OUT), "step() hangs, so the rest was not played"),
        (
            outcome_in("step:20", TIMED_OUT, starved=True),
            "step() hangs, so the rest was not played",
        ),
        (
            outcome_in("make", SIGNALLED, signal="SIGSEGV"),
            "the process ended in the constructor (SIGSEGV), so the rest was not played",
        ),
        (
            outcome_in("drop", EXITED),
            "the process ended in the end of the instance (exited), so the rest was not played",
        ),
        (
            outcome_in("close", EXITED, starved=True),
            "the machine was too busy for close(), so the rest was not played",
        ),
    ],
)
def test_end_before_the_last_verb_in_words(played: Trace, words: str) -> None:
    assert _ended_early(played) == words


@pytest.mark.parametrize(
    ("parent", "ended", "alone", "before"),
    [
        (None, 5.0, True, True),
        (5.0, 4.0, True, True),
        (5.0, 4.9, False, True),
        (5.0, 5.0, False, False),
        (5.0, None, False, False),
    ],
)
def test_worker_that_ends_beside_its_parent_did_not_die_alone(
    parent: float | None, ended: float | None, alone: bool, before: bool
) -> None:
    worker = TrainingProcess(2, 1, ended=ended)
    training = Training((), 1, processes=(TrainingProcess(1, ended=parent), worker))
    assert (_is_alone(training, worker), _is_before(training, worker)) == (alone, before)


def test_worker_whose_parent_is_not_followed_is_alone() -> None:
    worker = TrainingProcess(2, 1, ended=5.0)
    assert _is_alone(Training((), 1, processes=(worker,)), worker)


# Words.


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "every"),
        (2, "every other"),
        (3, "every 3rd"),
        (4, "every 4th"),
        (11, "every 11th"),
        (21, "every 21st"),
        (22, "every 22nd"),
        (112, "every 112th"),
    ],
)
def test_ordinals(number: int, words: str) -> None:
    assert every(number) == words


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        (THREAD, "physics", "the thread physics"),
        (THREAD, "", "a thread"),
        (TASK, "poll", "the task poll()"),
        (ATEXIT, "Arm.park", "Arm.park(), which atexit calls,"),
        (ATEXIT, "", "what atexit calls"),
        ("", "Arm.__del__", "Arm.__del__()"),
        ("", "", "a finalizer"),
    ],
)
def test_errors_at_exit_are_read(what: str, name: str, words: str) -> None:
    assert words_for(Complaint(what, name, "", ())) == words


@pytest.mark.parametrize(("memory", "is_named"), [(999, False), (1000, True), (4000, True)])
def test_memory_that_calls_hide_is_named_from_a_thousand_bytes(memory: int, is_named: bool) -> None:
    words = hides(Hidden(objects=9, memory=memory, cycles=7, chain=""))
    assert (" with " in words) == is_named


def test_calls_that_hide_nothing_say_through_how_many_cycles() -> None:
    assert hides(None) == ""
    assert hides(Hidden(objects=0, memory=0, cycles=7, chain="")) == (
        "; it hides nothing: without it, nothing waited for the collector in 7 cycles"
    )


# Pickling.


def test_part_that_does_not_travel_is_kept_out_of_the_info() -> None:
    attempt = Attempt(False, path="info['lock']", call="step")
    text, member = cure_of_payload(direct_view(), "info", attempt)
    assert (text, member) == (
        "keep info['lock'] out of what Sick.step() returns, or put plain data there.",
        LeaveOut("lock"),
    )


def test_part_of_another_payload_is_not_called_info() -> None:
    attempt = Attempt(False, path="observation['lock']", call="step")
    text, _ = cure_of_payload(direct_view(), "observation", attempt)
    assert text.startswith("keep what cannot be pickled out of what Sick.step() returns: arrays")


def test_attribute_that_does_not_travel_is_left_out_by_its_owner() -> None:
    attempt = Attempt(False, path="env._lock", owner="arm.Arm", attribute="_lock")
    text, member = cure_of_payload(direct_view(), "env", attempt)
    assert text.startswith("say in Arm what of it travels; _lock has to be made anew")
    assert member is not None
    assert member.owner == "Arm"


@pytest.mark.parametrize(
    ("step", "lost", "has_aim"),
    [
        ("rebuilt", {"parameters": ("a",), "required": ("a",), "kept": True}, True),
        ("again", {"parameters": ("a",), "required": ("a",), "kept": True}, False),
        ("rebuilt", {"parameters": ("a", "b"), "required": ("a", "b"), "kept": True}, False),
        ("pickled", {"parameters": ("a", "b"), "required": ("a", "b"), "kept": True}, True),
        ("rebuilt", {"parameters": ("a",), "required": ("a",), "kept": False}, False),
        ("rebuilt", {"kept": True}, False),
    ],
)
def test_exception_is_given_a_method_where_that_is_enough(
    step: str, lost: dict[str, Any], has_aim: bool
) -> None:
    assert (aim_of("Broken", step, LostException("arm.Broken", {}, **lost)) is not None) == has_aim


def test_exceptions_of_the_package_are_untried_where_nothing_was_sent() -> None:
    tried = trace(fact("exceptions", []), name="close-twice")
    managers = {"gymnasium-async": {"available": True}}

    def reason(*alone: Trace, **survey: Any) -> str:
        view = vector_view(**survey)
        return _untried(
            View(view.subject, view.manager, "spawn", (), view.survey, other_places=alone)
        )

    assert reason(tried, managers=managers) == ""
    assert reason(trace(), managers=managers) == (
        "the errors that its package raises were not sent through pickle"
    )
    assert reason(tried) == "it is not known what this manager sends"


# Construction.


@pytest.mark.parametrize(
    ("kind", "message", "text", "commands"),
    [
        (
            "builtins.TypeError",
            "Arm.__init__() missing 1 required positional argument: 'size'",
            "give the constructor the arguments that it asks for with -k.",
            ("envdoctor check Sick-v0 -k size=VALUE",),
        ),
        (
            "builtins.ModuleNotFoundError",
            "No module named 'arms'",
            (
                "install what provides arms for the interpreter that is examined, and declare it as"
                " a dependency of the environment's package."
            ),
            (),
        ),
        (
            "builtins.ValueError",
            "no map",
            "repair the line that is shown; nothing else of the environment can be examined before.",
            (),
        ),
    ],
)
def test_remedy_of_a_constructor_that_fails(
    kind: str, message: str, text: str, commands: tuple[str, ...]
) -> None:
    failed = trace(verb("make", "raised", error=raised(kind, message)))
    (finding,) = all_rules()["MAK001"].judge(direct_view(failed))
    assert (finding.remedy.text, finding.remedy.commands) == (text, commands)


def hosting(*pids: int, **fields: Any) -> Trace:
    made = (instance("made", pid=pid, parent=False) for pid in pids)
    return trace(
        *made, verb(fields.pop("last", "step:20"), **fields.pop("state", {})), **UNDER, **fields
    )


def test_manager_hosts_two_where_each_worker_kept_an_instance() -> None:
    def places(*played: Trace) -> list[tuple[str, str | None]]:
        return hosted_in_other_places(beside(*played))

    assert places(hosting(7, 8), hosting(7, 8)) == [("gymnasium-async", "spawn")]
    assert places(hosting(7)) == []
    assert places(hosting(7, 8, control=True)) == []
    assert places(hosting(7, 8, options=(("shared_memory", False),))) == []
    assert places(hosting(7, 8, state={"state": "raised"})) == []


# Growth that was not followed.


def side(name: str = LIFECYCLE, cycles: int = 231, unit: str = "cycle", **fields: Any) -> Side:
    growths = fields.pop("growths", {"objects": Growth(FLAT, 0.0, cycles)})
    return Side(name, unit, (Block(cycles, fields.pop("deltas", {})),), growths, **fields)


@pytest.mark.parametrize(
    ("followed", "reason"),
    [
        (side(), ""),
        (side(growths={}), "the meter objects was not read"),
        (side(cycles=14), "14 of 15 whole lifecycles fitted into the time"),
        (
            side(cycles=14, seconds=0.25),
            "14 of 15 whole lifecycles fitted into the time; one takes 0.2 s",
        ),
        (
            side(cycles=14, ended="it hangs"),
            "14 of 15 whole lifecycles fitted into the time: it hangs",
        ),
        (
            side(calls={"reset": 1.0, "step": 20.0}, raised={"step": 4620}),
            "step() raises each time: growth in whole lifecycles cannot be judged",
        ),
        (side(calls={"step": 20.0}, raised={"step": 4619, "close": 9999}), ""),
        (
            side(raised={"create": 231}),
            "the constructor raises each time: growth in whole lifecycles cannot be judged",
        ),
        (
            side(unit="call", raised={"create": 231}),
            "it raises each time: growth in whole lifecycles cannot be judged",
        ),
        (
            side(growths={"objects": Growth(OPEN, 0.0, 231)}),
            (
                "in 231 whole lifecycles, which are too few to tell, the number of Python objects"
                " did not change"
            ),
        ),
        (
            side(growths={"objects": Growth(OPEN, 0.0, 231)}, deltas={"objects": 5}),
            ("in 231 whole lifecycles, the number of Python objects changed at no steady pace"),
        ),
        (
            side(growths={"elements": Growth(LEAK, 1.0, 231)}),
            (
                "in 231 whole lifecycles, growth of the number of elements in containers is that of a container"
                " that was not found"
            ),
        ),
    ],
)
def test_reason_why_growth_is_not_judged(followed: Side, reason: str) -> None:
    meters = ("elements",) if "elements" in followed.growths else ("objects",)
    assert _unjudged(followed, meters, "whole lifecycles") == reason


def test_growth_without_a_cycle_is_not_judged_for_the_reason_that_is_known() -> None:
    assert unfollowed(direct_view(), ("objects",)) == "no cycle was played"
    reason = unfollowed(direct_view(**{"left-out": {"leak": "reset() hangs"}}), ("objects",))
    assert reason == "reset() hangs, so no cycle was played"


# What gives way, what is missing.


def finding(code: str, **fields: Any) -> Finding:
    place = {"subject": "Sick-v0", "manager": "gymnasium-async", "start_method": "spawn"}
    return Finding(code, code.lower(), "error", code, Remedy(""), **{**place, **fields})


def test_rule_that_gives_way_is_skipped_in_its_place() -> None:
    cause, effect = finding("CLS007"), finding("CLS012", explained_by=("CLS001", "CLS007"))
    (skipped,) = _given_way([cause, effect], [cause])
    assert skipped == Skipped(
        "CLS012", "Sick-v0", "gymnasium-async", "explained by CLS007", "spawn"
    )
    assert list(_given_way([cause, effect], [cause, effect])) == []


def test_verb_was_not_reached_for_the_last_reason_there_is() -> None:
    view = direct_view(lacks=["render"])
    stopped = trace(outcome=TIMED_OUT, verb="step:20")
    assert _why_unreached(view, "render", [stopped]) == "it has no render()"
    assert _why_unreached(view, "close", [stopped]) == "step() hangs, so the rest was not played"
    assert _why_unreached(view, "close", []) == "close was never reached"


def test_scenario_of_another_place_is_not_missed_under_a_manager() -> None:
    wanted = (("life", "close"), ("reuse", "reset"))
    whole = trace(verb("make"), verb("close"), **UNDER)
    assert missing_evidence(vector_view(whole), wanted) == ""
    assert missing_evidence(direct_view(trace(verb("close"))), wanted) != ""
    assert missing_evidence(vector_view(), wanted) != ""


# Trainings.


def born(pid: int, steps: int, group: str = "", **fields: Any) -> Instances:
    return Instances(pid, 1, "arm.Arm", step=Calls(steps, steps), group=group, **fields)


def groups(*instances: Instances) -> list[list[int]]:
    training = Training((), 1, instances=instances)
    return [[each.pid for each in group] for group in busy_groups(training)]


def test_vectorizers_with_several_stepped_instances_are_compared() -> None:
    assert groups(born(2, 40, "a"), born(3, 40, "a")) == [[2, 3]]
    assert groups(born(2, 40, "a"), born(3, 0, "a")) == []
    assert groups(born(2, 40, "a"), born(3, 40, "a"), born(4, 200)) == []
    assert groups(born(2, 40), born(3, 40)) == []


def test_training_without_calls_has_no_growth_to_judge() -> None:
    view = watched_view(Training((), 1))
    assert growth_not_followed(view, MEMORY) == (
        "no environment was made in a process that reports"
    )
    assert growth_not_followed(watched_view(Training((), 1, attached=True)), MEMORY) == ATTACHED
    assert growth_not_followed(watched_view(Training((), 1, attached=True)), ("threads",)) == (
        "no environment was made in a process that reports"
    )
    assert not_looked(watched_view(Training((), 1, attached=True))) == ATTACHED
    assert not_looked(view) == "no environment was made in a process that reports"


LAUNCHER, SCRIPT = TrainingProcess(1), TrainingProcess(2, raised=Raised("ImportError", "no arms"))


def test_script_that_fails_below_a_launcher_says_how() -> None:
    training = Training((), 1, 1, processes=(LAUNCHER, SCRIPT))
    assert not_looked(watched_view(training)) == (
        "no environment was made: the script ended by ImportError: no arms"
    )


@pytest.mark.parametrize(
    ("training", "how"),
    [
        (Training((), 1, 3), "; the training ended with exit code 3"),
        (Training((), 1, -9), "; the training was killed by SIGKILL"),
        (Training((), 1, 3, over=False), ""),
        (Training((), 1, 0, processes=(LAUNCHER, SCRIPT)), ""),
    ],
)
def test_training_that_fails_before_it_makes_an_environment_says_how(
    training: Training, how: str
) -> None:
    assert not_looked(watched_view(training)) == (
        f"no environment was made in a process that reports{how}"
    )


def test_view_without_a_training_has_an_empty_one() -> None:
    training = training_of(direct_view())
    assert (training.command, training.created_here, training.attached) == ((), (), False)


# Processes.


def test_processes_that_stay_without_a_manager_as_well_are_the_environments() -> None:
    left = {"processes": {"9": "simulator --port 4242"}}
    alone = life_trace(before={"processes": {}}, held=left)
    assert _left_alone(beside(alone), {"31": "simulator --port 7"})
    assert not _left_alone(beside(alone), {"31": "simulator --port 7", "32": "server"})
    assert not _left_alone(beside(), {"31": "simulator --port 7"})


# The catalogue.


def test_plug_in_that_cannot_be_imported_is_a_rule_that_crashes() -> None:
    rule = Entry("ACM001", "acme-rule", "no_such_module", added=True).load()
    reason = "its plug-in no_such_module failed with ModuleNotFoundError"
    assert rule.manual.startswith(f"ACM001 cannot be used: {reason}")
    with pytest.raises(RuntimeError, match=reason):
        list(rule.judge(direct_view()))
    with pytest.raises(ModuleNotFoundError):
        Entry("CLS999", "own-rule", "no_such_module").load()


def test_leak_check_judges_its_families_and_the_rules_that_say_so() -> None:
    declared = [rule.code for rule in all_rules().values() if rule.in_leak_check]
    assert leak_check_codes() == ("LEK", "HNG", "DOC", *declared)
    assert {"MAK001", "REG001", "CLS012"} <= {*declared}
    assert not any(code.startswith(LEAK_CHECK_FAMILIES) for code in declared)


def test_rule_of_a_plug_in_says_that_it_is_judged_in_a_leak_check(monkeypatch) -> None:
    plug_in = replace(all_rules()["CLS001"], code="ACM001", in_leak_check=True)
    entries = tuple(
        SimpleNamespace(
            code=code, added=True, load=lambda said=said: replace(plug_in, in_leak_check=said)
        )
        for code, said in (("ACM001", True), ("ACM002", False))
    )
    monkeypatch.setattr(registry, "catalogue", lambda: entries)
    assert leak_check_codes.__wrapped__() == (*LEAK_CHECK_FAMILIES, "ACM001")


def test_zombies_of_workers_are_not_reported_where_close_failed() -> None:
    workers = {"event": "workers", "t": 0.0, "pid": 1, "pids": [9]}
    left = {"zombies": {"9": "python worker", "11": "simulator"}}

    def reported(state: str) -> list[str]:
        life = life_trace(before={"zombies": {}}, held=left, collected=left)
        close = verb("close", state, error=raised())
        rule = all_rules()["PRC002"]
        played = Trace(life.scenario, life.outcome, (workers, close, *life.events))
        return [found.message for found in rule.judge(vector_view(played))]

    assert reported("raised") == ["close() leaves 1 zombie: simulator"]
    assert reported("ended") == ["close() leaves 2 zombies: python worker, simulator"]


def test_two_workers_that_share_an_instance_are_found_in_either_play() -> None:
    same = [instance("made", serial, base=7) for serial in (1, 2)]
    rule = all_rules()["RUS004"]
    for name in ("two-at-once", "life"):
        (found,) = rule.judge(vector_view(trace(*same, name=name, **UNDER)))
        assert found.message == "two instances in one process are the same Sick object"
    assert list(rule.judge(vector_view(trace(*same, name="reuse", **UNDER)))) == []


def test_one_gpu_context_is_one_worker() -> None:
    worker = {"pid": 7, "gpu": 0, "name": "H1", "total": 8 * 2**30, "free": 2**30, "used": 2**29}
    life = trace(verb("make"), verb("step:20"), fact("gpu-memory", [worker]), **UNDER)
    view = View("Sick-v0", "gymnasium-async", "spawn", (life,), Known(), other_places=(life,))
    (found,) = all_rules()["VEC009"].judge(view)
    assert found.message.startswith("1 worker has a GPU context of its own")


def test_storage_that_grows_as_the_environment_does_gives_way_to_the_rules_on_growth() -> None:
    grows = turns(objects=2000)
    alone = filled(NONE, past=grows)
    beside_it = replace(alone.scenario, options=(*alone.scenario.options, ("beside", LISTED)))
    alone = replace(alone, scenario=beside_it)
    stored = stored_view(forecast(), filled(past=grows), alone)
    (found,) = all_rules()["BUF002"].judge(stored)
    assert found.explained_by == ("LEK001", "LEK002", "LEK003", "LEK004", "LEK011")


# What single rules say.


def test_errors_of_environments_are_those_of_calls_before_close() -> None:
    played = trace(instance("made"), instance("step-raised"), instance("close-raised"))
    assert _environment_raised(played) == ["step-raised"]
    assert _environment_raised(None) == []


def test_managers_in_one_process_are_listed() -> None:
    view = vector_view()
    assert len(view.framework.in_process) > 0
    assert in_one_process(view) == f" ({', '.join(view.framework.in_process)})"
    several = vector_view(manager="torchrl-parallel")
    assert in_one_process(several) == f" ({', '.join(several.framework.in_process)})"


def test_launch_that_is_shown_is_that_of_the_environments_api() -> None:
    commands = {api: cure_of_one_instance(direct_view(api=api))[1] for api in ("gymnasium", "ding")}
    assert commands["gymnasium"] != commands["ding"]
    assert commands["ding"] == launch_code(
        (lightest(direct_view(api="ding")), "spawn"), MAKE, api="ding"
    )


@pytest.mark.parametrize(
    ("chain", "thread"),
    [
        ("<thread 'physics'>._target", "thread 'physics'"),
        ("<thread 'physics'>._args[<Lock 'a'>]", "thread 'physics'"),
        ("sick.OPEN[1]", "sick.OPEN[1]"),
    ],
)
def test_thread_is_the_first_word_of_a_chain(chain: str, thread: str) -> None:
    assert _thread_of(chain) == thread


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (instance("make-raised"), ": the constructor of another one failed"),
        (instance("close-raised"), ": close() of an earlier one raised"),
        (verb("make", "raised"), ": its launch failed"),
        (verb("make"), ""),
    ],
)
def test_cause_of_instances_that_are_never_closed(event: Event, why: str) -> None:
    assert cause_of_no_close(trace(event, **UNDER), vector_view())[0] == why


def test_instances_of_one_process_that_draw_from_the_same_generator_are_given_their_own() -> None:
    drawing = random_resets("numpy.random", "ab", "bc", "cd", name="life")
    shared = vector_view(manager="gymnasium-sync", start_method=None)
    shared = replace(shared, other_places=(drawing,))
    assert cure_of_difference(shared)[1] == OwnRandom("numpy.random")
    alone = replace(
        shared, other_places=(random_resets("numpy.random", "aa", "aa", "aa", name="life"),)
    )
    assert cure_of_difference(alone)[1] is None
    assert "the other instances of the process" in cure_of_difference(alone)[0]
    assert "a worker process" in cure_of_difference(vector_view())[0]


def test_launch_fails_for_the_reason_that_two_cannot_live_in_one_process() -> None:
    played = trace(verb("make", "raised"), manager="gymnasium-sync")
    alone = trace(verb("make"))

    def explained(*two: Event, start_method: str | None = None) -> bool:
        both = trace(*two, name="two-at-once")
        view = vector_view(played, manager="gymnasium-sync", start_method=start_method)
        return explained_otherwise(replace(view, other_places=(alone, both)), played)

    assert explained(verb("make", "raised"))
    assert explained(verb("reset", "raised"))
    assert not explained(verb("step", "raised"))
    assert not explained(verb("make", "raised"), start_method="spawn")


def test_seeds_of_a_training_that_was_attached_to_are_not_compared() -> None:
    assert seeds_unjudged(watched_view(Training((), 1, attached=True))) == ATTACHED
    assert seeds_unjudged(watched_view(Training((), 1))) == (
        "no vectorizer with several instances was seen"
    )


def test_parameters_of_reset_are_used_at_the_end_of_an_episode_as_well() -> None:
    view = vector_view(manager="ding-base", start_method=None)
    assert let_go_in_close(view, CONFIGURED).endswith(
        " hands reset_param on to it, also at the end of an episode."
    )


def test_calls_are_counted_in_every_block_but_those_that_look_for_causes() -> None:
    (causes,) = designs("objects", reset=1)
    blocks = growing(objects=1)
    failed, calls = calls_counted(direct_view(causes, *blocks), "reset")
    assert (failed, calls) == (0, 231)


def test_difference_shows_in_the_step_that_reaches_it() -> None:
    first, second = verb("step:5@0", at=3, steps=5), verb("step:5@0", at=7, steps=5)
    reset = verb("reset@0", at=1)
    played = trace(reset, first, second, name="two-at-once")

    def at(step: int) -> int:
        difference = CallDifference("observation", "value", ("1", "2"), None, "step", step)
        return _verb_of(played, 0, Comparison(10, (), difference))

    assert [at(step) for step in (1, 5, 6, 10)] == [3, 3, 7, 7]


def test_process_that_stands_still_in_no_known_line_is_named_without_one() -> None:
    still = (Still(1, 58.0), Still(2, 61.0))
    training = Training(
        (), 1, processes=(TrainingProcess(1), TrainingProcess(2, 1)), attached=True, still=still
    )
    (found,) = _standstill(training)
    assert found.message == "nothing in the training ran for 58 s"


def test_zombies_of_a_control_are_counted() -> None:
    played = trace(verb("make"), fact("zombies", 3), fact("pinned", 6), **UNDER)
    shown = observed(played, 0)
    assert (shown["zombies"], shown["pins"]) == (3, 6)


def test_fault_is_reported_in_its_place() -> None:
    scenario = Scenario(f"{PREFIX}raises@1", "make reset step close", "gymnasium-async", "spawn")
    played = Trace(scenario, Outcome(FINISHED), (verb("step", "raised", error=raised()),))
    (report,) = verdict_on_fault(played, {"gymnasium": "1.2"})
    assert (report.manager, report.start_method) == ("gymnasium-async", "spawn")
    assert (report.fault, report.worker, report.call) == ("raises", 1, "step")


def test_memory_of_a_training_that_grows_by_instances_is_that_of_making_them() -> None:
    kept = (Kept("objects", "create", 3.0), Kept("objects", "reset", 5.0))
    control = Control("Arm-v0", 231, kept)
    grown = {
        per: kept_in(control, TrainingGrowth("blocks", "grows", per))
        for per in ("instance", "reset")
    }
    assert grown == {"instance": 3.0, "reset": 5.0}


def test_reason_of_several_instances_that_were_skipped_is_the_first() -> None:
    told = (ended_alone(skipped="it draws by itself"), ended_alone(skipped="it hangs"))
    ended = episode(played_on(episodes=ENDED))
    view = beside(ended, trace(*told, name="episode-alone"))
    assert not_followed(view) == "it draws by itself"


def test_generators_are_shared_where_resets_see_other_states() -> None:
    same = random_events("random", "aa", "aa")
    assert shared_generators(trace(*same)) == []
    assert shared_generators(trace(*random_events("random", "aa", "ab"))) == ["random"]
    states = {"before": {"random": "x"}, "after": {"random": "y"}}
    made = instance("made", random=states)
    assert shared_generators(trace(made, *same)) == []


@pytest.mark.parametrize(
    ("continued", "messages"),
    [
        (
            [fact("continued-copy", {"calls": 3, "unknown": [], "difference": None})],
            ["using a deep copy of an instance breaks it: ValueError: no client"],
        ),
        ([], []),  # it cannot be copied: it broke by itself
    ],
)
def test_second_copy_may_fail_because_of_the_first(
    continued: list[Event], messages: list[str]
) -> None:
    copied = fact("copied", {"failed": "ValueError: no client"})
    broken = verb("step:6", "raised", at=4, error=raised("ValueError", "no client"))
    run = trace(
        verb("copy", at=3), *continued, copied, broken, name="copied", script="make reset copy step"
    )
    view = replace(direct_view(trace(verb("step:20", at=2))), optional_traces=(run,))
    assert [trouble.message for trouble in copy_troubles(view)] == messages


def test_generator_that_is_seeded_and_not_drawn_from_is_not_named() -> None:
    seeded = instance(
        "reset",
        resets=1,
        random={
            "before": {"numpy.random": "a", "random": "a"},
            "after": {"numpy.random": "b", "random": "c"},
        },
    )
    later = instance(
        "reset",
        resets=2,
        random={
            "before": {"numpy.random": "b", "random": "c"},
            "after": {"numpy.random": "b", "random": "d"},
        },
    )
    assert shared_generators(trace(seeded)) == ["numpy.random", "random"]
    assert shared_generators(trace(seeded, later)) == ["random"]


def test_caches_that_fill_are_named() -> None:
    filling = [played_block(cycles, {"objects": rise}) for cycles, rise in FILLING_OBJECTS]
    view = direct_view(*filling, suspected({"int": 7}, cache="sick.lookup (lru_cache)"))
    (found,) = all_rules()["LEK012"].judge(view)
    assert found.message.startswith("something fills (sick.lookup (lru_cache)")


FILLING_OBJECTS = ((7, 60), (7, 40), (7, 30), (14, 40), (28, 50), (56, 60), (112, 70))


def test_rule_is_what_its_decorator_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RULES", {})
    flags = (
        "judges_rendered",
        "reports_render_modes",
        "compares_pairs",
        "in_leak_check",
        "of_functions",
        "last_resort",
        "rare_use",
        "cured_in_close",
        "blames_itself",
    )

    def registered(code: str, **arguments: Any) -> Rule:
        return registry.rule(code, "it-is-so", **arguments)(lambda _view: iter(()))

    plain = registered("ZZZ000")
    assert not any(getattr(plain, name) for name in flags)
    assert (plain.severity, plain.where, plain.needs) == ("error", registry.EVERYWHERE, ("life",))
    for number, name in enumerate(flags, 1):
        made = registered(f"ZZZ{number:03}", **{name: True})
        assert [each for each in flags if getattr(made, each)] == [name]
    texts = {"verb": "close drop", "compares": "mirrored", "grows": "threads", "about": "gpu"}
    for number, (name, text) in enumerate(texts.items(), 100):
        assert getattr(registered(f"ZZZ{number}", **{name: text}), name) == text
    lists = ("sensors", "meters", "start_methods", "follow_ups", "needs")
    for number, name in enumerate(lists, 200):
        made = registered(f"ZZZ{number}", **{name: ("one", "two")})
        assert [each for each in lists if getattr(made, each) == ("one", "two")] == [name]


def test_constructor_that_takes_a_descriptor_is_shown_the_line_to_move() -> None:
    nothing: dict[str, Any] = {"descriptors": {}}
    held: dict[str, Any] = {"descriptors": {"7": "socket:[5]"}}
    life = life_trace(before=nothing, made=held, stepped=held, held=nothing)
    (found,) = all_rules()["MAK002"].judge(direct_view(life, taking(taken("make", 7))))
    assert found.remedy.aim == TakeLater((Frame("arm.py", 7, "Arm.open"),))
    (found,) = all_rules()["MAK002"].judge(direct_view(life))
    assert found.remedy.aim == TakeLater(())


def test_reset_that_fails_and_is_never_closed_says_only_what_is_left() -> None:
    nothing, left = {"processes": {}}, {"processes": {"7": "simulator"}}
    full = raised("OSError", "[Errno 24] Too many open files", function="reset")
    denied = {"life": 1, "asked": 2, "taken": ["processes"], "what": "open", "error": full}
    failing = trace(
        reading("before", nothing),
        reading("collected", nothing),
        reading("before", nothing, 1),
        fact("denied", denied),
        reading("collected", left, 1),
        *(verb(word, at=at) for at, word in enumerate(("make", "count", "make", "deny"))),
        name=FAILING_RESET,
    )
    plain = life_trace(before=nothing, made=nothing, reset=left, held=nothing)
    view = replace(direct_view(plain), optional_traces=(failing,))
    (found,) = all_rules()["CLS020"].judge(view)
    assert found.message.endswith("leaves 1 process where the instance is given up: simulator")


def test_growth_of_which_no_container_is_known_is_reported_first() -> None:
    readings = tuple(
        Reading(t, 1, 10 * t, 100 * t, 1, 100_000, 5_000_000 + 16_000 * t) for t in range(64)
    )
    calls = Calls(640, 640)
    arm = Instances(2, 1, "arm.Arm", None, "gymnasium-async", reset=calls, step=calls)
    held = TrainingHolder("main() returns", "list", 64, 640, 64, 640, "float")
    training = Training(
        (),
        1,
        0,
        9.0,
        (TrainingProcess(1), TrainingProcess(2, 1)),
        (arm,),
        series=(Series(2, readings, (held,)), Series(1, readings)),
    )
    messages = [found.message for found in all_rules()["TRN008"].judge(watched_view(training))]
    assert ["the trainer's process" in message for message in messages] == [True, False]
