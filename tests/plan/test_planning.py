"""Scenarios that are played first, and those that the first findings make worth playing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from envdoctor.frameworks import profile_of
from envdoctor.model.events import Event
from envdoctor.model.facts import Described, Survey
from envdoctor.model.finding import ENVIRONMENT, INTERACTION, NOTE, UNKNOWN, Finding, Remedy
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace
from envdoctor.plan import scenarios as planning
from envdoctor.plan.comparisons import comparisons, fails_alone, images
from envdoctor.plan.follow_ups import ALONE, SEPARATED, UNDISTURBED, follow_ups
from envdoctor.request.request import Request
from envdoctor.rules.engine.examples import fact, random_events, reading, trace, verb
from envdoctor.rules.engine.registry import WHERE_CHECKED, all_rules
from envdoctor.run.examine import RunContext, _wants_growth
from envdoctor.verdict.triage import GROWTH

GYMNASIUM = {"api": "gymnasium", "lacks": []}
FAR_OFF = {
    "available": False,
    "reason": "far is not installed",
    "start_methods": [None],
    "apis": ["gymnasium"],
    "on_request": True,
}
SURVEY = {
    "managers": {
        "gymnasium-async": {
            "available": True,
            "reason": "",
            "start_methods": ["fork", "forkserver", "spawn"],
            "apis": ["gymnasium"],
        },
        "gymnasium-sync": {
            "available": True,
            "reason": "",
            "start_methods": [None],
            "apis": ["gymnasium"],
        },
        "other": {
            "available": False,
            "reason": "other is not installed",
            "start_methods": [None],
            "apis": ["gymnasium"],
        },
        "far-off": FAR_OFF,
    }
}


def managed(
    managers: tuple[str, ...] = (), methods: tuple[str, ...] = (), api: str = "gymnasium"
) -> tuple[list[object], list[str]]:
    scenarios, skipped = planning.managed(
        "Env-v0",
        Survey.decode(SURVEY),
        Described.decode({**GYMNASIUM, "api": api}),
        managers,
        methods,
    )
    return [scenario.place for scenario in scenarios], [
        f"{one.manager}: {one.reason}" for one in skipped
    ]


def finding(
    code: str, manager: str = "direct", method: str | None = None, **fields: str
) -> Finding:
    return Finding(
        code=code,
        name="n",
        message="m",
        remedy=Remedy("r"),
        manager=manager,
        start_method=method,
        **{"severity": "error", **fields},
    )


def test_every_script_can_be_parsed() -> None:
    scenarios = [
        planning.SURVEY,
        planning.PLAIN,
        *planning.direct(Described.decode(GYMNASIUM)),
        planning.EXIT,
    ]
    assert all(scenario.verbs for scenario in scenarios)
    assert len({scenario.name for scenario in scenarios}) == len(scenarios)
    assert "check" not in {scenario.name for scenario in planning.direct(Described(api="duck"))}


def test_every_place_by_default() -> None:
    """A fork server's workers show nothing that spawned ones do not, until something is found."""
    places, skipped = managed()
    assert places == [
        ("gymnasium-async", "fork"),
        ("gymnasium-async", "spawn"),
        ("gymnasium-sync", None),
    ]
    assert skipped == ["other: other is not installed"]


def test_no_word_on_a_framework_that_nobody_has_or_names() -> None:
    assert (
        managed(("far-off",))[1] == managed(api="far")[1][-1:] == ["far-off: far is not installed"]
    )


@pytest.mark.parametrize(
    ("managers", "methods", "places"),
    [
        (("direct",), (), []),
        (("gymnasium-sync",), ("spawn",), [("gymnasium-sync", None)]),
        (
            ("gymnasium-async",),
            ("spawn", "fork"),
            [("gymnasium-async", "fork"), ("gymnasium-async", "spawn")],
        ),
    ],
)
def test_selected_places(
    managers: tuple[str, ...], methods: tuple[str, ...], places: list[object]
) -> None:
    assert managed(managers, methods) == (places, [])


def test_a_manager_without_the_start_method_is_left_out() -> None:
    known = {
        **SURVEY["managers"],
        "forking": {**SURVEY["managers"]["gymnasium-async"], "start_methods": ["fork"]},
    }
    scenarios, skipped = planning.managed(
        "Env-v0",
        Survey.decode({"managers": known}),
        Described.decode(GYMNASIUM),
        ("forking",),
        ("spawn",),
    )
    assert not scenarios
    assert [one.reason for one in skipped] == ["it has no start method spawn; it has fork"]


def test_environment_of_another_api_is_examined_without_a_manager() -> None:
    places, skipped = managed(api="duck")
    assert places == []
    assert all("it needs a gymnasium.Env" in reason for reason in skipped[:2])


def test_vectorizer_in_its_own_process_gets_two_lifecycles() -> None:
    assert planning.vector_life("gymnasium-sync", None).script.count("make") == 2
    assert planning.vector_life("gymnasium-async", "fork").script.count("make") == 1


@pytest.mark.parametrize(
    ("evidence", "makes", "resets"),
    [
        ({}, 1, 1),
        ({"per_cycle": 3.0}, 1, 1),
        ({"per_cycle": 0.2}, 10, 10),
        ({"per_cycle": 0.01}, 12, 12),
        ({"per_cycle": 0.25, "side": "one instance"}, 2, 9),  # the plain life as well
    ],
)
def test_lines_that_leak_rarely_are_searched_for_in_more_lives(
    evidence: dict[str, object], makes: int, resets: int
) -> None:
    left, growing = finding("CLS006"), finding("LEK005").but(evidence=evidence)
    (scenario,) = follow_ups([left, growing], [])
    words = scenario.script.split()
    assert (words[0], words.count("make"), words.count("reset")) == ("acquisitions", makes, resets)


ACQUISITIONS, CAUGHT = ((name, ("direct", None), False) for name in ("acquisitions", "caught"))


def _growing(**per_operation: float) -> Finding:
    return finding("LEK007").but(evidence={"per_operation": per_operation})


@pytest.mark.parametrize(
    ("findings", "names"),
    [
        ([finding("CLS006"), finding("CLS007")], [("acquisitions", ("direct", None), False)]),
        ([finding("CLS006", "gymnasium-sync", blame=ENVIRONMENT)], []),
        (
            [finding("CLS006", "gymnasium-sync", blame=UNKNOWN)],
            [("life", ("gymnasium-sync", None), True)],
        ),
        ([finding("CLS006", "gymnasium-sync", blame=UNKNOWN, severity=NOTE)], []),
        (
            [finding("VEC001", "gymnasium-async", "spawn", blame="interaction")],
            [
                ("failing-again", ("gymnasium-async", "spawn"), False),
                ("without-shared-memory", ("gymnasium-async", "spawn"), False),
            ],
        ),
        (
            [finding("PRC004", "gymnasium-async", "spawn", blame="interaction")],
            [
                ("failing-again", ("gymnasium-async", "spawn"), False),
                ("without-daemon", ("gymnasium-async", "spawn"), False),
            ],
        ),
        ([finding("PRC004", "other", "spawn", blame="interaction")], []),
        (
            [finding("VEC008", "torchrl-parallel", "spawn", blame="interaction")],
            [
                ("failing-again", ("torchrl-parallel", "spawn"), False),
                ("without-buffers", ("torchrl-parallel", "spawn"), False),
            ],
        ),
        (
            [
                finding("PRC003", "torchrl-serial", blame=UNKNOWN, severity=NOTE).but(
                    evidence={"built_by": "without-buffers"}
                )
            ],
            [
                ("life", ("torchrl-serial", None), True),
                ("without-buffers", ("torchrl-serial", None), True),
                ("failing-again", ("torchrl-serial", None), False),
                ("without-buffers", ("torchrl-serial", None), False),
            ],
        ),
        (
            [finding("MAK004").but(evidence={"shadowed": ("torchrl-parallel", "fork")})],
            [("without-shadow", ("torchrl-parallel", "fork"), False)],
        ),
        (
            [
                finding("PRC001", "gymnasium-async", method, blame=UNKNOWN)
                for method in ("fork", "fork", "spawn")
            ],
            [
                ("life", ("gymnasium-async", "fork"), True),
                ("life", ("gymnasium-async", "spawn"), True),
            ],
        ),
        ([_growing(reset=1.0)], [ACQUISITIONS]),
        ([_growing(reset=0.5)], [CAUGHT, ACQUISITIONS]),
        ([_growing(step=1.0)], [CAUGHT, ACQUISITIONS]),  # those with other actions may leave none
        ([_growing(create=0.5)], [ACQUISITIONS]),
        (
            [finding("DET003")],
            [
                ("other-process", ("direct", None), False),
                ("other-process-alike", ("direct", None), False),
            ],
        ),
        (
            [finding("API011").but(evidence={"unseeded": ["numpy.random"]}), finding("API011")],
            [("more-seeds", ("direct", None), False)],
        ),
        (
            [
                finding("VEC004", "gymnasium-async", "spawn", blame=UNKNOWN),
                finding("VEC004", "gymnasium-sync", blame=UNKNOWN),
            ],
            [
                ("life", ("gymnasium-async", "spawn"), True),
                ("without-shared-memory", ("gymnasium-async", "spawn"), False),
                ("life", ("gymnasium-sync", None), True),
                ("replay", ("direct", None), True),
                ("replay-of-piped", ("direct", None), False),
                ("other-process", ("direct", None), False),
                ("other-process-alike", ("direct", None), False),
            ],
        ),
    ],
)
def test_follow_ups(findings: list[Finding], names: list[object]) -> None:
    scenarios = follow_ups(findings, [])
    assert [(scenario.name, scenario.place, scenario.control) for scenario in scenarios] == names
    traces = [Trace(scenario, Outcome(FINISHED)) for scenario in scenarios]
    assert follow_ups(findings, traces) == ()  # nothing is played twice


@pytest.mark.parametrize(("code", "option"), [("VEC001", "shared_memory"), ("PRC004", "daemon")])
def test_the_cure_is_played_with_its_option(code: str, option: str) -> None:
    again, scenario = follow_ups([finding(code, "gymnasium-async", "fork", blame=INTERACTION)], [])
    assert (again.name, again.options) == ("failing-again", ())
    assert scenario.options == ((option, False),)
    assert Scenario.from_dict(scenario.as_dict()) == scenario


def test_the_cure_that_a_finding_names_is_tried_where_it_was_found() -> None:
    cure = finding("REG004", "sb3-subproc", "forkserver", blame=INTERACTION).but(
        evidence={"cure": "named:walkers"}
    )
    again, scenario = follow_ups([cure], [])
    assert (again.name, again.options) == ("failing-again", ())
    assert (scenario.name, scenario.place, scenario.options) == (
        "cured",
        ("sb3-subproc", "forkserver"),
        (("cure", "named:walkers"),),
    )
    assert follow_ups([cure], [Trace(one, Outcome(FINISHED)) for one in (again, scenario)]) == ()


def test_launch_that_hung_is_not_played_again() -> None:
    refused = finding("VEC001", "gymnasium-async", "fork", blame=INTERACTION)
    hung = Trace(planning.vector_life("gymnasium-async", "fork"), Outcome(TIMED_OUT))
    assert [one.name for one in follow_ups([refused], [hung])] == ["without-shared-memory"]


@pytest.mark.parametrize(("altered", "fresh"), [((), False), (("umask",), True)])
def test_launch_begins_in_a_process_as_its_imports_leave_it(
    altered: tuple[str, ...], fresh: bool
) -> None:
    events = [fact("process-state", {"altered": altered})] if altered else []
    earlier = [trace(*events, name="abandoned")]
    for name, control in (("life", False), ("life", True), ("failing-again", False)):
        launch = Scenario(name, "make close", "gymnasium-async", "spawn", control)
        assert planning.wants_fresh(launch, earlier) is fresh
    assert not planning.wants_fresh(Scenario("reuse", "make close"), earlier)


def test_side_effects_of_its_own_code_are_searched_for_once() -> None:
    findings = [
        finding("SFX004").but(evidence={"own_code": True}),
        finding("SFX006").but(evidence={"own_code": True}),
    ]
    (scenario,) = follow_ups(findings, [])
    assert (scenario.name, dict(scenario.options)) == ("effects", {"sensors": ("random", "stdout")})
    assert scenario.traits.fresh
    assert follow_ups([finding("SFX004").but(evidence={"own_code": False})], []) == ()


def test_no_line_is_searched_for_in_the_framework() -> None:
    described = {"event": "fact", "key": "described", "value": {"owner": "gymnasium"}}
    traces = [Trace(planning.PLAIN, Outcome(FINISHED), (described,))]
    assert follow_ups([finding("SFX001").but(evidence={"own_code": True})], traces) == ()


def threads(*names: str) -> Trace:
    return trace(
        reading("collected", {"threads": {str(number): name for number, name in enumerate(names)}})
    )


@pytest.mark.parametrize(
    ("scenario", "last", "fresh"),
    [
        (
            planning.vector_life("gymnasium-async", "fork"),
            ("python thread 'MainThread'", "native thread 'python'"),
            False,
        ),
        (
            planning.vector_life("gymnasium-async", "fork"),
            ("python thread 'MainThread'", "python thread 'Pool-0' (target pool.work)"),
            True,
        ),
        (planning.vector_life("gymnasium-async", "spawn"), ("python thread 'Pool-0'",), False),
        (
            planning.vector_life("gymnasium-async", "fork", control=True),
            ("python thread 'Pool-0'",),
            False,
        ),
        (
            Scenario("leak", "block:7x1x20", "gymnasium-async", "fork"),
            ("python thread 'Pool-0'",),
            False,
        ),
        (Scenario("effects", "effects make drop"), (), True),
    ],
)
def test_no_fork_where_threads_of_an_earlier_scenario_live(
    scenario: Scenario, last: tuple[str, ...], fresh: bool
) -> None:
    unread = trace(name="pickle")
    assert (
        planning.wants_fresh(scenario, [threads("python thread 'Old'"), threads(*last), unread])
        is fresh
    )


def compared(difference: object = None) -> Event:
    return {"event": "fact", "key": "same-seed", "value": {"difference": difference}}


#: Of the first step.
DIFFERENCE = {
    "call": "step",
    "step": 1,
    "key": "observation",
    "what": "value",
    "place": None,
    "values": ["0", "1"],
}

STEPPED: Event = verb("step:20")


@pytest.mark.parametrize(
    ("alone", "places", "described", "names"),
    [
        (
            compared(),
            [("gymnasium-async", "spawn"), ("gymnasium-sync", None)],
            {"seedable": True},
            ["replay"],
        ),
        (
            compared(),
            [("gymnasium-async", "fork")],
            {"seedable": True},
            ["replay", "other-process"],
        ),
        (compared(), [], {"seedable": True}, ["other-process"]),
        (compared(), [], {"seedable": False}, []),
        (compared(DIFFERENCE), [], {"seedable": True}, []),
    ],
    ids=[
        "a worker is another process",
        "a fork is not",
        "no manager",
        "no seed",
        "not reproducible in one process",
    ],
)
def test_a_second_process_is_started_only_where_it_can_tell_something(
    alone: Event,
    places: list[tuple[str, str | None]],
    described: dict[str, object],
    names: list[str],
) -> None:
    traces = [Trace(planning.PLAIN, Outcome(FINISHED), (alone,))]
    traces += [
        Trace(planning.vector_life(*place), Outcome(FINISHED), (STEPPED,)) for place in places
    ]
    assert [scenario.name for scenario in comparisons(Described.decode(described), traces)] == names


@pytest.mark.parametrize(
    ("places", "seconds"),
    [
        ([("gymnasium-async", "fork")], 0.0),
        ([("gymnasium-sync", None), ("torchrl-serial", None), ("torchrl-parallel", "fork")], 90.0),
    ],
)
def test_a_replay_enters_the_framework_that_it_takes_and_gets_the_time_for_it(
    places: list[tuple[str, str | None]], seconds: float
) -> None:
    traces = [
        Trace(planning.vector_life(*place), Outcome(FINISHED), (STEPPED,)) for place in places
    ]
    replay, *_ = comparisons(Described(), traces)
    assert (replay.name, replay.manager, profile_of(replay.enters).import_seconds) == (
        "replay",
        "direct",
        seconds,
    )


REUSED = Scenario("reuse", "make reset step:3 reset close drop")


def drawing(*states: str, source: str = "numpy.random") -> list[Event]:
    """The resets of two workers, with one state before and after each."""
    return [
        event
        for pid in (7, 8)
        for event in random_events(source, *states[pid - 7 :: 2], pid=pid, parent=False)
    ]


@pytest.mark.parametrize(
    ("method", "states", "wanted"),
    [
        ("fork", "ab ae cd fg", True),  # each reset() seeds it with its own seed
        ("spawn", "ab ae cd fg", False),
        ("fork", "aa aa aa aa", False),  # none draws
        ("fork", "ab ab bc bc", False),  # that they draw alike is known
    ],
)
def test_forked_workers_that_draw_from_a_library_play_without_a_seed(
    method: str, states: str, wanted: bool
) -> None:
    life = Trace(
        planning.vector_life("gymnasium-async", method),
        Outcome(FINISHED),
        (*drawing(*states.split()), STEPPED),
    )
    played = comparisons(Described(seedable=False), [life])
    assert [each.place for each in played if each.name == "unseeded"] == (
        [("gymnasium-async", "fork")] if wanted else []
    )


@pytest.mark.parametrize(
    ("states", "seedable", "wanted"),
    [
        (("aa", "ab", "bb"), True, True),
        (("aa", "ab", "bb"), False, False),
        (("xa", "ab", "ba"), True, False),  # the seed sets it
        (("aa", "aa", "aa"), True, False),
    ],
)
def test_next_episode_is_played_where_the_seed_leaves_a_generator_as_it_is(
    states: tuple[str, ...], seedable: bool, wanted: bool
) -> None:
    reused = Trace(REUSED, Outcome(FINISHED), random_events("drive.GENERATOR", *states))
    played = comparisons(Described(seedable=seedable), [reused])
    assert [each.name for each in played] == (["next-episode"] if wanted else [])


@pytest.mark.parametrize(
    ("steps", "ends", "wanted"),
    [
        (50, 1, ["make reset step:50 reseed step:50 close drop"]),
        (50, 0, []),  # the next one goes on
        (9, 1, []),  # both are short
        (1001, 1, []),  # to record it takes long
    ],
)
def test_episode_is_played_twice_where_the_next_one_is_much_shorter(
    steps: int, ends: int, wanted: list[str]
) -> None:
    first = verb("episode:2000", steps=steps, episodes=[{"step": steps, "how": "truncated"}])
    events = (first, verb("step:5", at=2, steps=5, ends=ends))
    trace = Trace(Scenario("episode", "make reset episode:2000"), Outcome(FINISHED), events)
    played = comparisons(Described(seedable=True), [trace])
    assert [each.script for each in played] == wanted
    assert comparisons(Described(seedable=False), [trace]) == ()


@pytest.mark.parametrize(
    ("repeated", "names"),
    [
        ({"calls": 1, "episodes": 1}, ["other-seeds"]),
        ({"calls": 0, "episodes": 1}, []),
        ({"calls": 1, "episodes": 1, "difference": DIFFERENCE}, []),
        (None, []),
    ],
)
def test_other_seeds_are_played_where_an_instance_begins_again_without_one(
    repeated: dict[str, object] | None, names: list[str]
) -> None:
    facts = (fact("repeated", repeated),) if repeated else ()
    traces = [Trace(REUSED, Outcome(FINISHED), facts)]
    assert [each.name for each in comparisons(Described(seedable=True), traces)] == names
    assert comparisons(Described(seedable=False), traces) == ()


PYGAME = {"pygame": True, "seeing": []}


def asides(described: dict[str, object], *traces: Trace) -> tuple[list[object], list[str]]:
    scenarios, skipped = planning.optional(
        "Env-v0", Described.decode({"toolkits": PYGAME, **described}), traces
    )
    return [(scenario.name, *dict(scenario.options).values()) for scenario in scenarios], [
        one.reason for one in skipped
    ]


DRAWN = [("rendered", "rgb_array"), ("rendered", "human"), ("two-windows", "human")]


@pytest.mark.parametrize(
    ("described", "names"),
    [
        ({}, []),
        ({"render_modes": ["ansi"]}, []),
        ({"render_modes": ["human", "rgb_array"]}, DRAWN),
        # Asked for: all else is played in it.
        ({"render_modes": ["human", "rgb_array"], "render_mode": "rgb_array"}, []),
    ],
)
def test_each_render_mode_that_nobody_asked_for(
    described: dict[str, object], names: list[object]
) -> None:
    assert asides(described) == ([("copied",), *names], [])


@pytest.mark.parametrize(
    ("described", "modes"),
    [
        ({"render_modes": ["human"]}, []),
        ({"render_modes": ["human", "rgb_array"]}, ["rgb_array"]),
        ({"render_modes": ["human", "rgb_array"], "render_mode": "human"}, []),
        ({"render_modes": ["human", "rgb_array"], "render_mode": "rgb_array"}, [""]),
        ({"render_modes": ["rgb_array"], "api": "skyrl"}, []),  # one episode an instance
    ],
)
def test_images_of_two_are_compared_where_render_returns_images(
    described: dict[str, object], modes: list[str]
) -> None:
    scenarios = images(Described.decode(described))
    assert [scenario.option("render_mode") for scenario in scenarios] == modes


@pytest.mark.parametrize(
    ("mode", "outcome", "events", "expected"),
    [
        ("rgb_array", FINISHED, [], False),
        ("rgb_array", FINISHED, [verb("render", "raised")], True),
        ("rgb_array", TIMED_OUT, [], True),
        ("human", TIMED_OUT, [], False),
    ],
)
def test_images_of_two_are_left_out_where_one_alone_has_none(
    mode: str, outcome: str, events: list[Event], expected: bool
) -> None:
    (compared,) = images(Described(render_modes=("rgb_array",)))
    rendered = Scenario("rendered", "make render", options=(("render_mode", mode),))
    traces = [Trace(rendered, Outcome(outcome), tuple(events))]
    assert fails_alone(compared, traces) is expected
    assert not fails_alone(planning.EXIT, traces)


@pytest.mark.parametrize(
    ("toolkits", "reason"),
    [
        ({"pygame": True, "seeing": ["glfw"]}, "glfw would open a window"),
        ({"pygame": False}, "is not installed"),
    ],
)
def test_no_window_on_a_screen(toolkits: dict[str, object], reason: str) -> None:
    names, reasons = asides({"render_modes": ["human", "rgb_array"], "toolkits": toolkits})
    assert names == [("copied",), DRAWN[0]]
    assert [reason in one for one in reasons] == [True]


def test_crashed_environment_is_not_drawn() -> None:
    crashed = Trace(planning.PLAIN, Outcome("signalled", signal="SIGSEGV"))
    assert asides({"render_modes": ["human"]}, crashed) == ([], [])


def test_two_instances_are_compared_with_a_life_that_is_long_enough() -> None:
    def steps(script: str, ending: str) -> int:
        return sum(
            int(verb.argument)
            for verb in Scenario("s", script).verbs
            if verb.name == "step" and str(verb).endswith(ending)
        )

    assert steps(planning.TWO_AT_ONCE, "@1") <= steps(ALONE, "") <= steps(planning.LIFE, "")
    assert steps(planning.COPIED.script, "") <= steps(planning.LIFE, "")


def test_a_change_is_proven_and_what_is_shared_is_tried() -> None:
    changed = finding("MAK005").but(evidence={"comparison": {"calls": 1}})
    assert follow_ups([changed], []) == (UNDISTURBED, SEPARATED)
    assert follow_ups([finding("MAK005")], []) == (SEPARATED,)
    assert follow_ups([finding("MAK005").but(severity=NOTE)], []) == ()


def test_a_closed_instance_that_waits_for_the_collector_is_freed_beside_the_next() -> None:
    (late,) = follow_ups([finding("CLS013").but(severity=NOTE)], [])
    assert late.script.index("close@0") < late.script.index("reset@1") < late.script.index("drop@0")
    assert follow_ups([finding("MAK005").but(evidence={"scenario": late.name})], []) == ()


def test_the_leak_check_is_played_for_those_rules_that_need_it() -> None:
    rules = [rule for rule in all_rules().values() if rule.where != WHERE_CHECKED]
    needing = {rule.code for rule in rules if "leak" in rule.needs}
    assert needing == {rule.code for rule in rules if rule.code.startswith(GROWTH)} | {"API014"}


@pytest.mark.parametrize(
    ("select", "codes", "wanted"),
    [
        ((), ("LEK001", "CLS001"), True),
        ((), ("API014", "CLS001"), False),  # --ignore LEK leaves growth out
        (("API014",), ("API014",), True),
        (("CLS",), ("CLS001",), False),
    ],
)
def test_growth_is_looked_for_where_its_rules_are_judged_or_one_that_needs_it_was_asked_for(
    select: tuple[str, ...], codes: tuple[str, ...], wanted: bool
) -> None:
    context = SimpleNamespace(rules=[all_rules()[code] for code in codes])
    assert _wants_growth(Request((), select=select), cast("RunContext", context)) is wanted
