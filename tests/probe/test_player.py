"""The player and its instruments: what they journal, and that they are not there themselves."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.facts import InThread, ProcessState
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.run.supervise.session import Session

ENVS = Path(__file__).parents[1] / "envs"
PLAIN = Subject("plain.py:Plain", FILE, "Plain", path=str(ENVS / "plain.py"), directory=str(ENVS))
PATIENCE = 600.0  # seconds

LIFE = "make reset step:20 render close drop"
LIVES = 8
WARM = 3  # lives in which what is taken only once is taken

#: A chunk of memory may be one step larger than was asked for, where the rest would be too small
#: for a chunk of its own. So the bytes in use of the same objects differ by some steps of 16, up
#: and down, without a trend.
STEPS = 16 * 16

#: multiprocessing keeps its processes in sets, its arenas in others. The table of a small set is a
#: part of it or a block of its own, and becomes the one or the other as the addresses of its
#: members happen to collide.
TABLES = 4

PLACES = [
    ("direct", None),
    ("gymnasium-sync", None),
    ("gymnasium-async", "fork"),
    pytest.param(("gymnasium-async", "spawn"), marks=pytest.mark.everything),
]


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(sys.executable) as session:
        yield session


def play(
    session: Session, script: str, name: str = "life", subject: Subject = PLAIN, **place: Any
) -> Trace:
    trace = session.play(
        subject, Scenario(name, script, **place), 0, session.directory / "spaces.pkl"
    )
    assert trace.outcome.kind == FINISHED, trace.outcome
    return trace


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(filter(None, place)))
@pytest.mark.parametrize("control", [True, False], ids=["null", "plain"])
def test_instruments_are_invisible(
    session: Session, place: tuple[str, str | None], control: bool
) -> None:
    play(session, LIFE)  # pickles the spaces for the control
    trace = play(
        session, " ".join([LIFE] * LIVES), manager=place[0], start_method=place[1], control=control
    )
    assert list(trace.of("verb", state="raised")) == []
    assert len(trace.lifecycles) == LIVES
    for life in trace.lifecycles[WARM:]:
        for sensor, before in life.readings["before"].items():
            for point in ("held", "dropped", "collected"):
                # Workers and their pipes are the manager's until it is dropped.
                at_rest = point == "collected" or place[1] is None
                if isinstance(before, dict) and at_rest:
                    assert life.left(sensor, point) == {}, (life.number, sensor, point)
    for sensor in ("python-blocks", "native-heap"):
        if sensor in trace.lifecycles[0].readings["collected"]:
            assert_flat(
                sensor,
                [life.readings["collected"][sensor] for life in trace.lifecycles[WARM:]],
                exact=place[1] is None,
            )
    assert list(trace.of("scenario", state="ended"))[-1]["dirty"] == []


def assert_flat(sensor: str, counts: list[int], exact: bool) -> None:
    """Nothing more after any life; what was taken once may be given back at some time."""
    changes = [later - earlier for earlier, later in itertools.pairwise(counts)]
    if sensor == "native-heap":
        assert max(counts) - min(counts) <= STEPS, changes
    else:
        assert sum(change for change in changes if change > 0) <= (0 if exact else TABLES), changes


@pytest.mark.parametrize(
    ("deed", "altered", "is_dirty"),
    [
        ("os.umask(0o77)", ["umask"], True),
        ("os.environ['ARM'] = '7'", ["environment variable ARM"], False),
        ("os.environ.pop('ARM', None)", [], False),
    ],
)
def test_state_that_a_scenario_leaves_is_known(
    session: Session, tmp_path: Path, deed: str, altered: list[str], is_dirty: bool
) -> None:
    """A state that may make the next instance fail costs the probe its place; variables only
    launches.
    """
    text = f"""
        import os

        import plain


        class Arm(plain.Plain):
            def close(self):
                {deed}
        """
    (tmp_path / "arm.py").write_text(textwrap.dedent(text))
    arm = replace(PLAIN, text="arm.py:Arm", name="Arm", path=str(tmp_path / "arm.py"))
    trace = play(session, "make close drop", "close-before-reset", arm)
    told = trace.fact(ProcessState)
    assert list(told.altered if told else ()) == altered
    assert list(trace.of("scenario", state="ended"))[-1]["dirty"] == altered[: int(is_dirty)]


def test_life_in_a_thread_leaves_a_clean_probe(session: Session) -> None:
    play(session, LIFE)
    trace = play(session, "threaded:3", "in-thread")
    told = trace.fact(InThread)
    assert told is not None
    assert (told.calls, told.difference, told.failed, told.bound) == (4, None, "", "")
    assert list(trace.of("scenario", state="ended"))[-1]["dirty"] == []


def test_the_journal_has_every_verb_and_point(session: Session) -> None:
    trace = play(session, LIFE)
    verbs = [(event["verb"], event["state"]) for event in trace.of("verb")]
    assert verbs == [(verb, state) for verb in LIFE.split() for state in ("began", "ended")]
    assert trace.verbs("step", "ended")[0].steps == 20
    (life,) = trace.lifecycles
    assert list(life.readings) == [
        "before",
        "made",
        "reset",
        "stepped",
        "held",
        "dropped",
        "collected",
    ]
    assert [event["what"] for event in trace.of("instance")][:4] == [
        "making",
        "made",
        "resetting",
        "reset",
    ]
    assert [event["what"] for event in trace.of("instance")][-3:] == [
        "closing",
        "closed",
        "finalized",
    ]


def test_a_scenario_goes_on_after_an_error(session: Session, tmp_path: Path) -> None:
    (tmp_path / "ill.py").write_text(
        textwrap.dedent("""
        class Ill:
            def reset(self, seed=None):
                raise ZeroDivisionError("no")

            def step(self, action):
                return 0, 0.0, False, False, {}

            def close(self):
                raise SystemExit("no either")
    """)
    )
    subject = Subject("ill.py", FILE, path=str(tmp_path / "ill.py"), directory=str(tmp_path))
    trace = play(session, "make reset close drop", subject=subject)
    told = [
        (event["verb"], event["state"]) for event in trace.of("verb") if event["state"] != "began"
    ]
    assert told == [("make", "ended"), ("reset", "raised"), ("close", "raised"), ("drop", "ended")]
    assert [event["error"]["type"] for event in trace.of("verb", state="raised")] == [
        "builtins.ZeroDivisionError",
        "builtins.SystemExit",
    ]
    assert list(trace.of("scenario", state="ended"))[-1]["dirty"] == ["an error"]


def test_verbs_without_an_instance_are_left_out(session: Session, tmp_path: Path) -> None:
    (tmp_path / "ill.py").write_text(
        textwrap.dedent("""
        class Ill:
            def __init__(self):
                1 / 0

            def reset(self): ...

            def step(self, action): ...
    """)
    )
    trace = play(
        session,
        LIFE,
        subject=Subject("ill.py", FILE, path=str(tmp_path / "ill.py"), directory=str(tmp_path)),
    )
    assert [event["verb"] for event in trace.of("verb", state="began")] == ["make", "drop"]


# The factory, in a process of its own: it imports the subject, and journals.

HEAD = """
import gc, json, os, pickle, sys
sys.path.insert(0, {envs!r})
from envdoctor.model.subject import FILE, Subject
from envdoctor.probe.tracing.instrument import Factory
factory = Factory(Subject("plain.py:Plain", FILE, "Plain", path={plain!r}, directory={envs!r}), {journal!r}, control={control!r})
"""


def python(
    tmp_path: Path, body: str, control: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    head = HEAD.format(
        envs=str(ENVS),
        plain=str(ENVS / "plain.py"),
        journal=str(tmp_path / "journal"),
        control=control,
    )
    script = tmp_path / "main.py"
    script.write_text(head + textwrap.dedent(body))
    return subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def journal(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]


@pytest.mark.parametrize("control", [True, False], ids=["null", "plain"])
def test_no_reference_cycle(tmp_path: Path, control: bool) -> None:
    """An environment goes with its last reference, traced or not; what the collector finds
    would be ours.
    """
    done = python(
        tmp_path,
        """
        import gymnasium
        def live():
            env = factory()
            env.reset(seed=0)
            for _ in range(20):
                env.step(env.action_space.sample())
            env.close()
        live()
        gc.collect()
        gc.disable()
        live()
        print(gc.collect(), json.loads(open(factory.journal).readlines()[-1])["what"])
    """,
        control,
    )
    assert done.stdout == "0 finalized\n", done.stderr


@pytest.mark.parametrize("module", ["pickle", "cloudpickle"])
def test_the_factory_travels(tmp_path: Path, module: str) -> None:
    pytest.importorskip(module)
    done = python(
        tmp_path,
        f"""
        import {module}
        copy = pickle.loads({module}.dumps(factory))
        assert (copy.subject, copy.journal, copy.parent_pid) == (factory.subject, factory.journal, os.getpid())
        env = copy()
        print(env.reset(seed=0)[0].shape)
        env.close()
    """,
    )
    assert done.stdout == "(3,)\n", done.stderr


def test_the_factory_travels_without_envdoctor_knowing_the_subject() -> None:
    """It is sent before anybody imported the environment, and names it only."""
    from envdoctor.probe.tracing.instrument import Factory

    factory = Factory(PLAIN, "/nowhere")
    assert pickle.loads(pickle.dumps(factory)).subject == PLAIN
    assert b"Plain(" not in pickle.dumps(factory)


def test_the_journal_survives_sigkill(tmp_path: Path) -> None:
    done = python(
        tmp_path,
        """
        import signal
        env = factory()
        env.reset(seed=0)
        factory()
        os.kill(os.getpid(), signal.SIGKILL)
    """,
    )
    assert done.returncode == -signal.SIGKILL
    assert [(event["serial"], event["what"]) for event in journal(tmp_path)] == [
        (1, "making"),
        (1, "made"),
        (1, "resetting"),
        (1, "reset"),
        (2, "making"),
        (2, "made"),
        (2, "finalized"),
    ]


def test_the_journal_survives_sigkill_in_the_middle_of_a_scenario(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "dies.py").write_text(
        textwrap.dedent("""
        import os, signal

        class Dies:
            def reset(self, seed=None):
                return 0, {}

            def step(self, action):
                os.kill(os.getpid(), signal.SIGKILL)
    """)
    )
    subject = Subject("dies.py", FILE, path=str(tmp_path / "dies.py"), directory=str(tmp_path))
    trace = session.play(subject, Scenario("life", LIFE), 0)
    assert (trace.outcome.kind, trace.outcome.signal, trace.outcome.verb) == (
        "signalled",
        "SIGKILL",
        "step:20",
    )
    assert [event["verb"] for event in trace.of("verb", state="ended")] == ["make", "reset"]
    assert list(trace.lifecycles[0].readings) == ["before", "made", "reset"]


def test_the_journal_is_whole_with_many_writers(tmp_path: Path) -> None:
    done = python(
        tmp_path,
        """
        from envdoctor.probe.journal import Journal
        journal = Journal(factory.journal)
        children = []
        for child in range(4):
            pid = os.fork()
            if not pid:
                for number in range(200):
                    journal.write("fact", key="child", value=[child, number, "x" * 3000])
                os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)
    """,
    )
    assert done.returncode == 0, done.stderr
    seen = [tuple(event["value"][:2]) for event in journal(tmp_path)]
    assert sorted(seen) == [(child, number) for child in range(4) for number in range(200)]


def test_a_full_disk_is_no_error(tmp_path: Path) -> None:
    from envdoctor.probe.journal import Journal

    full, kept = Journal("/dev/full"), Journal(str(tmp_path / "journal"))
    nowhere = Journal(str(tmp_path / "nowhere" / "journal"))
    for number, each in enumerate((full, nowhere, kept)):
        each.write("fact", key="a", value=number)
    assert [event["value"] for event in journal(tmp_path)] == [2]  # and the next one is written
    assert os.listdir(tmp_path) == ["journal"]


def test_hot_path_journals_nothing(tmp_path: Path) -> None:
    done = python(
        tmp_path,
        """
        env = factory()
        env.reset(seed=0)
        size = os.path.getsize(factory.journal)
        for _ in range(9):
            env.step(0)
        print(os.path.getsize(factory.journal) - size)
    """,
    )
    assert done.stdout == "0\n", done.stderr


def test_the_probes_own_folders_have_short_names(tmp_path: Path) -> None:
    home = tmp_path / "p1"
    done = python(
        tmp_path,
        f"""
        from envdoctor.probe.journal import Journal
        Journal(factory.journal).write("fact", key="a", value="{home}/tmp/level and {home}/cwd/level")
    """,
        TMPDIR=f"{home}/tmp",
    )
    assert done.returncode == 0, done.stderr
    assert [event["value"] for event in journal(tmp_path)] == ["$TMPDIR/level and $CWD/level"]


def test_one_instance_is_given_up_and_the_other_goes_on(session: Session) -> None:
    trace = play(
        session,
        "make make reset@0 reset@1 step:3@1 close@0 drop@0 step:3@0 step:3@1 close@1 drop",
        name="two-at-once",
    )
    assert list(trace.of("verb", state="raised")) == []
    told = [event["verb"] for event in trace.of("verb", state="ended")]
    assert told == [
        "make",
        "make",
        "reset@0",
        "reset@1",
        "step:3@1",
        "close@0",
        "drop@0",
        "step:3@1",
        "close@1",
        "drop",
    ]
    assert [event["serial"] for event in trace.of("instance", what="finalized")] == [1, 2]


def test_options_are_arguments_where_no_manager_is(session: Session) -> None:
    trace = play(
        session,
        "windowless make reset step:3 render close drop",
        options=(("render_mode", "rgb_array"),),
    )
    assert trace.fact("described")["render_mode"] == "rgb_array"
    assert trace.fact("described")["toolkits"].keys() == {"pygame", "seeing"}
