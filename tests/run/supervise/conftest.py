from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.run.supervise import guard
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session

FAKE = Path(__file__).with_name("fake_probe.py")
QUICK = Limits(timeout=10.0, memory=8 << 30, stacks=1.0, farewell=1.0, settle=0.3)


def misbehave(session, name=""):
    return session.play(Subject(name, FILE, name), Scenario("life", "make"), 0)


def has_begun(session, verb):
    """Return whether a verb was begun, by the journals of the session."""
    journals = [path for path in session.directory.rglob("*.jsonl") if path.is_file()]
    return any(f'"{verb}"' in journal.read_text() for journal in journals)


def processes_of(directory):
    """Those whose environment names a directory: it is in the TMPDIR of everything that a
    session starts.
    """
    pids = [row[0] for row in guard.processes() if not row[3]]
    return [pid for pid in pids if os.fsencode(directory) in guard.read(f"/proc/{pid}/environ")]


@pytest.fixture
def begin():
    """Sessions with the fake probe; afterwards nothing of them may be left."""
    sessions, before = [], children()
    with tempfile.TemporaryDirectory() as parent:

        def make(limits=QUICK, python=sys.executable):
            sessions.append(Session(python, limits, FAKE, Path(parent)))
            return sessions[-1]

        yield make
        for session in sessions:
            session.close()
        assert os.listdir(parent) == []
        assert processes_of(parent) == []
    assert children() <= before


def children():
    """Our children, zombies too. Python's own servant for shared memory may be one: other tests
    of this process need it.
    """
    return {row[0] for row in guard.processes() if row[1] == os.getpid()}
