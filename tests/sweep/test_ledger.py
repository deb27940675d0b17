"""The ledger: one result a key, claims of the living and of the dead, what a dead driver left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from envdoctor.errors import UsageError
from envdoctor.run.supervise import abandoned
from envdoctor.run.supervise.owner import (
    ALIVE,
    DEAD,
    MARK,
    OTHER_MACHINE,
    Owner,
    owner_of,
    read_mark,
    write_mark,
)
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.sweep.ledger import (
    CLAIMS,
    LEASE_SECONDS,
    RESULTS,
    UNMARKED,
    WORK,
    Driver,
    Ledger,
)
from envdoctor.sweep.plans import Examination
from envdoctor.sweep.processors import divided
from tests.sweep.samples import finding, result

SLEEP = [sys.executable, "-c", "import time; time.sleep(120)"]
PATIENCE = 600.0


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "out", make=True)


@pytest.fixture
def driver(ledger: Ledger) -> Iterator[Driver]:
    with Driver(ledger) as driver:
        yield driver


@pytest.fixture
def dead() -> Owner:
    """The mark of a process that has ended."""
    process = subprocess.Popen(SLEEP)
    owner = owner_of(process.pid)
    process.kill()
    process.wait()
    return owner


def claimed_by(ledger: Ledger, key: str, owner: Owner) -> Path:
    path = ledger.file(CLAIMS, key)
    path.write_text(json.dumps([asdict(owner)]))
    return path


def test_a_result_is_published_once(ledger: Ledger) -> None:
    with Driver(ledger) as driver:
        assert ledger.publish(result(finding()), driver)
        assert not ledger.publish(result(), driver)
        assert os.listdir(driver.folder) == [MARK]
    (kept,) = ledger.results()
    assert kept.findings == (finding(),)
    assert list((ledger.folder / WORK).iterdir()) == []


#: A driver that is killed in the middle of what its name says.
KILLED = """
import os, sys
from pathlib import Path
from envdoctor.sweep.ledger import Driver, Ledger
from tests.sweep.samples import result

def die(*_words):
    os.kill(os.getpid(), 9)

ledger, what = Ledger(Path(sys.argv[1])), sys.argv[2]
if what == "planning":
    Path.replace = die
    ledger.plan([])
with Driver(ledger) as driver:
    assert ledger.claim(result().key, driver)
    if what == "publishing":
        os.link = die
    ledger.publish(result(), driver)
    die()
"""


@pytest.mark.parametrize(
    ("what", "results"), [("planning", 0), ("publishing", 0), ("published", 1)]
)
def test_files_of_a_killed_driver_are_removed(ledger: Ledger, what: str, results: int) -> None:
    words = [sys.executable, "-c", KILLED, str(ledger.folder), what]
    done = subprocess.run(
        words, cwd=Path(__file__).parents[2], capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == -9, done.stderr
    assert os.listdir(ledger.folder / WORK)
    assert ledger.remove_abandoned() == 1
    assert os.listdir(ledger.folder / WORK) == []
    assert len(list(ledger.results())) == results
    with Driver(ledger) as driver:  # as the key is claimed again, or has a result
        assert ledger.claim(result().key, driver) is (results == 0)
        if results == 0:
            ledger.release(result().key)
    assert [name for name in os.listdir(ledger.folder / CLAIMS) if name[0] != "."] == []


def test_of_many_who_publish_one_does(ledger: Ledger, driver: Driver) -> None:
    published: list[bool] = []
    every = [
        threading.Thread(target=lambda: published.append(ledger.publish(result(), driver)))
        for _ in range(16)
    ]
    for one in every:
        one.start()
    for one in every:
        one.join()
    assert published.count(True) == 1
    assert len(list(ledger.results())) == 1


def test_a_result_that_was_changed_is_named(ledger: Ledger, driver: Driver) -> None:
    ledger.publish(result(), driver)
    path = ledger.file(RESULTS, result().key)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(UsageError, match="is not what was written; remove it"):
        list(ledger.results())


def test_a_claim_of_a_running_driver_is_kept(ledger: Ledger, driver: Driver) -> None:
    assert ledger.claim("a", driver)
    assert not ledger.claim("a", driver)
    ledger.release("a")
    assert ledger.claim("a", driver)


def test_a_claim_of_a_dead_driver_can_be_claimed(
    ledger: Ledger, driver: Driver, dead: Owner
) -> None:
    path = claimed_by(ledger, "a", dead)
    assert ledger.claim("a", driver)
    assert read_mark(str(path)) == [driver.owner]


def test_of_many_who_take_up_a_claim_one_does(ledger: Ledger, driver: Driver, dead: Owner) -> None:
    for number in range(8):
        claimed_by(ledger, str(number), dead)
    taken: list[str] = []

    def take(own: Driver) -> None:
        taken.extend(str(number) for number in range(8) if ledger.claim(str(number), own))

    with Driver(ledger) as second, Driver(ledger) as third:
        every = [threading.Thread(target=take, args=(own,)) for own in (driver, second, third)]
        for one in every:
            one.start()
        for one in every:
            one.join()
    assert sorted(taken) == [str(number) for number in range(8)]


def test_a_claim_of_another_machine_holds_as_long_as_it_is_renewed(
    ledger: Ledger, driver: Driver
) -> None:
    elsewhere = replace(driver.owner, boot="another", machine="another")
    path = claimed_by(ledger, "a", elsewhere)
    assert not ledger.claim("a", driver)
    old = time.time() - LEASE_SECONDS - 60
    os.utime(path, (old, old))
    ledger.renew(["a"])
    assert not ledger.claim("a", driver)
    os.utime(path, (old, old))
    assert ledger.claim("a", driver)


def test_key_with_a_result_is_not_claimed(ledger: Ledger, driver: Driver) -> None:
    ledger.publish(result(), driver)
    assert not ledger.claim(result().key, driver)
    assert [name for name in os.listdir(ledger.folder / CLAIMS) if name[0] != "."] == []


def test_state_of_an_owner_follows_its_process_and_machine(dead: Owner) -> None:
    mine = owner_of(os.getpid())
    assert mine.state == ALIVE
    assert dead.state == DEAD
    assert replace(mine, start="1").state == DEAD, "another process has the number now"
    assert replace(mine, boot="earlier").state == DEAD, "the machine started again"
    assert replace(mine, boot="other", machine="other").state == OTHER_MACHINE
    assert replace(mine, room="pid:[1]").state == OTHER_MACHINE


def test_the_next_driver_ends_what_a_dead_one_started(ledger: Ledger, dead: Owner) -> None:
    left = ledger.folder / WORK / "left"
    left.mkdir()
    with subprocess.Popen(SLEEP) as child:
        write_mark(str(left), [dead])
        (left / "a.child").write_text(json.dumps([asdict(owner_of(child.pid))]))
        try:
            assert ledger.remove_abandoned() == 1
            assert child.wait(PATIENCE) != 0
        finally:
            child.kill()
    assert not left.exists()


def test_folders_of_running_or_foreign_drivers_stay(
    ledger: Ledger, driver: Driver, dead: Owner
) -> None:
    theirs = ledger.folder / WORK / "theirs"
    theirs.mkdir()
    write_mark(str(theirs), [replace(dead, user=dead.user + 1)])
    (ledger.folder / WORK / "unmarked").mkdir()
    assert ledger.remove_abandoned() == 0
    assert driver.folder.exists()
    assert theirs.exists()


def test_the_directory_of_a_driver_that_was_killed_before_its_mark(tmp_path: Path) -> None:
    """One that was just made may be another driver's, which marks it next."""
    ledger = Ledger(tmp_path / "sweep", make=True)
    for name, age in (("young", 0.0), ("old", 2 * UNMARKED)):
        (ledger.folder / WORK / name).mkdir()
        at = time.time() - age
        os.utime(ledger.folder / WORK / name, (at, at))
    assert ledger.remove_abandoned() == 1
    assert os.listdir(ledger.folder / WORK) == ["young"]


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match="it holds other files"):
        Ledger(tmp_path, make=True)
    with pytest.raises(UsageError, match="is not the folder of a sweep"):
        Ledger(tmp_path)


def test_plans_of_several_drivers_are_one(ledger: Ledger) -> None:
    one, two = (
        Examination(result(spec=spec).identity, ("check", spec), "/lab") for spec in ("a", "b")
    )
    ledger.plan([one])
    ledger.plan([one, two])
    ledger.plan([one])
    assert {each.key: each for each in ledger.planned()} == {one.key: one, two.key: two}


def test_processors_are_shared_out() -> None:
    assert divided(range(8), 2) == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert divided(range(5), 2) == ((0, 1), (2, 3))
    assert divided((3, 7), 3) == ((3,), (7,), (3,))


HOLDER = """
import os, sys, time
from envdoctor.run.supervise.run_directory import RunDirectory
run = RunDirectory()
(run.path / "big").write_text("left")
print(run.path, run._watchdog.pid, flush=True)
time.sleep(120)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks are read in /proc")
def test_the_next_run_removes_what_a_killed_doctor_and_its_watchdog_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], env=environment, stdout=subprocess.PIPE, text=True
    ) as doctor:
        assert doctor.stdout is not None
        path, watchdog = doctor.stdout.readline().split()
        os.kill(int(watchdog), 9)
        doctor.kill()
    left = {**os.environ, "ENVDOCTOR_STACKS": f"{path}/p1/stacks"}
    with subprocess.Popen(SLEEP, env=left) as probe:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        run = RunDirectory()
        try:
            assert probe.wait(PATIENCE) == -9
        finally:
            probe.kill()
            run.close()
    assert list(tmp_path.iterdir()) == []


def test_directories_that_name_nobody_stay_unless_they_are_old_and_empty(tmp_path: Path) -> None:
    for name in ("envdoctor-new", "envdoctor-old", "envdoctor-full", "other-old"):
        (tmp_path / name).mkdir()
    (tmp_path / "envdoctor-full" / "thesis.tex").write_text("")
    living = tmp_path / "envdoctor-living"
    living.mkdir()
    write_mark(str(living), [owner_of(os.getpid())])
    old = time.time() - 2 * abandoned.UNMARKED_SECONDS
    for name in ("envdoctor-old", "envdoctor-full", "other-old"):
        os.utime(tmp_path / name, (old, old))
    abandoned.remove_abandoned(str(tmp_path), "envdoctor-")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"envdoctor-new", "envdoctor-full", "envdoctor-living", "other-old"}
    assert (living / MARK).exists()
