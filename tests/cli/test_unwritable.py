"""Outputs that cannot be written whole, and files whose end never comes: one sentence, no
traceback, and an exit code that is not success.
"""

from __future__ import annotations

import io
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import envdoctor.run.examine
from envdoctor.analysis.growth import captures
from envdoctor.cli import error_handling, streams, sweep_run, writing
from envdoctor.cli.main import app
from envdoctor.cli.streaming import JsonLines
from envdoctor.errors import UsageError
from envdoctor.model.report import Report
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.probe.growth import allocations
from envdoctor.reporters import own_formats
from envdoctor.saved.reading import read_runs
from envdoctor.saved.writing import RunFile
from envdoctor.sweep import outcomes
from envdoctor.sweep.ledger import INDEX, PAGES, RUNS, Driver, Ledger
from envdoctor.sweep.outcomes import ResultPublisher
from envdoctor.sweep.plans import Examination, Identity
from envdoctor.sweep.results import judged_of, written
from envdoctor.verdict.diagnosis import Run
from tests.reporters.sample import SAMPLE

FULL = Path("/dev/full")
TEXTS = (["--version"], ["--help"], ["check", "--help"], ["rules"], ["explain", "CLS001"])


def run(words: list[str], stdout: int) -> tuple[int, str]:
    """(exit code, stderr) of the command."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("envdoctor")), *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no full device")
@pytest.mark.parametrize("words", TEXTS)
def test_text_that_finds_no_space_is_an_error(words: list[str]) -> None:
    with FULL.open("wb") as full:
        exit_code, stderr = run(words, full.fileno())
    assert exit_code == 70
    assert stderr.startswith("envdoctor: no space is left on the device for the report")
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("words", TEXTS)
def test_reader_that_went_away_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(words, writer) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "CartPole-v1", "--baseline", "/dev/zero"],
        ["check", "CartPole-v1", "--config", "/dev/zero"],
        ["sweep", "--file", "/dev/zero"],
    ],
)
def test_file_without_an_end_is_refused(words: list[str]) -> None:
    exit_code, stderr = run(words, subprocess.DEVNULL)
    assert (exit_code, stderr.count("\n")) == (2, 1)
    assert stderr.endswith("/dev/zero: it is too large\n")


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A real limit: what is written beyond it fails, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def write(*wanted: writing.Wanted, stream: io.TextIOWrapper | None = None, **more: Any) -> None:
    """Write the sample."""
    known: dict[str, Any] = {
        "verbosity": 0,
        "directory": os.getcwd(),
        "fail_on": "error",
        "exit_code": 1,
        "anonymous": False,
        "stream": stream or io.TextIOWrapper(io.BytesIO(), "utf-8"),
    }
    writing.write_reports(SAMPLE, wanted, **known, **more)


@pytest.fixture
def full() -> Iterator[io.TextIOWrapper]:
    """A stream to a full device, as stdout is one."""
    if not FULL.is_char_device():
        pytest.skip("this system has no full device")
    with FULL.open("w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize("name", own_formats())
def test_report_that_finds_no_space_is_not_there_and_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report"
    with files_of_at_most(16), pytest.raises(UsageError) as raised:
        write(writing.Wanted(name, path, f"--output {path}"))
    assert str(raised.value) == f"--output {path}: File too large; the report went to stdout"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", own_formats())
def test_report_whose_folder_vanished_is_named_and_goes_to_stdout(
    name: str, tmp_path: Path
) -> None:
    path, stdout = tmp_path / "gone" / "report", io.TextIOWrapper(io.BytesIO(), "utf-8")
    with pytest.raises(UsageError, match=r"No such file or directory; the report went to stdout$"):
        write(writing.Wanted(name, path, f"--output {path}"), stream=stdout)
    assert stdout.buffer.tell() > 10


def test_full_stdout_is_named_beside_a_report_that_was_written(
    full: io.TextIOWrapper, tmp_path: Path
) -> None:
    file = writing.Wanted("json", tmp_path / "a", "--report json=a")
    with pytest.raises(UsageError, match=r"^stdout: No space left on device$"):
        write(writing.Wanted("terminal", None, ""), file, stream=full)
    assert (tmp_path / "a").stat().st_size > 1000
    full.flush()  # what waited in it is given up: the interpreter says nothing at its exit


def test_full_stdout_alone_is_the_error_of_the_device(full: io.TextIOWrapper) -> None:
    with pytest.raises(OSError, match="No space left"):
        write(writing.Wanted("terminal", None, ""), stream=full)


def test_report_that_fits_nowhere_is_named_twice(full: io.TextIOWrapper, tmp_path: Path) -> None:
    path = tmp_path / "gone" / "a"
    with pytest.raises(UsageError, match=r"^a: No such .*; stdout: No space left on device$"):
        write(writing.Wanted("json", path, "a"), stream=full)


def test_full_stderr_ends_no_command(full: io.TextIOWrapper) -> None:
    streams.say("still running\n", full)
    streams.say("still running\n", full)
    full.flush()


def test_no_command_writes_to_stderr_by_itself() -> None:
    folder = Path(streams.__file__).parent
    writers = (path.name for path in folder.glob("*.py") if "stderr.write" in path.read_text())
    assert list(writers) == []


def run_file(path: Path) -> RunFile:
    recorder = RunFile(path)
    recorder.begin(Run(0), ())
    return recorder


@pytest.mark.parametrize("vanish", [Path.unlink, lambda path: shutil.rmtree(path.parent)])
def test_saved_run_that_vanished_is_named_and_not_begun_anew(
    vanish: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "folder" / "run.jsonl"
    path.parent.mkdir()
    recorder = run_file(path)
    vanish(path)
    recorder.end(SAMPLE)
    assert recorder.trouble == (
        f"--save {path}: No such file or directory; the saved run ends early"
    )
    assert not path.exists()


def test_saved_run_that_finds_no_space_is_named_and_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = run_file(path)
    with files_of_at_most(path.stat().st_size + 10):
        recorder.end(SAMPLE)
    assert recorder.trouble == f"--save {path}: File too large; the saved run ends early"
    (run_read,) = read_runs([path])
    assert (run_read.complete, len(run_read.unreadable)) == (False, 1)


@pytest.fixture
def troubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine answers with the sample, and its file could not be written to the end."""

    def examine(
        _request: object, _progress: object, _ahead: object, recorder: RunFile, *_: object
    ) -> Report:
        recorder.trouble = "--save run.jsonl: No space left on device; the saved run ends early"
        return SAMPLE

    monkeypatch.setattr(envdoctor.run.examine, "examine", examine)


@pytest.mark.usefixtures("troubled")
@pytest.mark.parametrize("command", ["check", "leak"])
def test_run_that_was_not_saved_whole_is_no_success(command: str, tmp_path: Path) -> None:
    words = [command, "A-v0", "--exit-zero", "--format", "json", "--save", str(tmp_path / "r")]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, result.stderr) == (
        2,
        "envdoctor: --save run.jsonl: No space left on device; the saved run ends early\n",
    )
    assert result.stdout.startswith("{")


def begun_lines(path: Path) -> JsonLines:
    lines = JsonLines(path, lambda report: report)
    lines.begin(Run(0))
    lines.complete(SAMPLE.findings[:1])
    return lines


def test_lines_whose_file_was_removed_are_written_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = begun_lines(path)
    path.unlink()
    wanted = writing.Wanted("jsonl", path, f"--output {path}")
    write(wanted, begun={wanted: lines})
    lines.close()
    assert path.read_text().splitlines()[-1].startswith('{"type": "summary"')


def test_lines_whose_folder_vanished_are_named(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lines.jsonl"
    path.parent.mkdir()
    lines = begun_lines(path)
    shutil.rmtree(path.parent)
    wanted = writing.Wanted("jsonl", path, f"--output {path}")
    with pytest.raises(UsageError, match="No such file or directory; the report went to stdout"):
        write(wanted, begun={wanted: lines})
    lines.close()


def test_lines_that_find_no_space_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = begun_lines(path)
    wanted = writing.Wanted("jsonl", path, f"--output {path}")
    with files_of_at_most(path.stat().st_size + 10), pytest.raises(UsageError, match="too large"):
        write(wanted, begun={wanted: lines})
    lines.close()


def test_index_of_a_sweep_that_finds_no_space_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out", make=True)
    with files_of_at_most(100):
        troubles = sweep_run._write_index(ledger, (), None)
    assert troubles == [f"{tmp_path / 'out' / INDEX}: File too large"]
    assert not (tmp_path / "out" / INDEX).exists()


def test_page_and_run_that_an_examination_could_not_write_are_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out", make=True)
    examination = Examination(Identity("A-v0"), (), str(tmp_path))
    with Driver(ledger) as driver:
        publisher = ResultPublisher(ledger, driver, 0, lambda _result: None)
        text = written(judged_of(replace(SAMPLE, subjects=SAMPLE.subjects[:1])), "")
        publisher.file(examination, outcomes.JUDGED).write_text(text)
        publisher.file(examination, outcomes.SAID).write_text(
            "A-v0: still running\nenvdoctor: --output a.html: No space left on device\n"
        )
        publisher.publish(outcomes.ExaminationOutcome(examination, 2, 1))
    assert publisher.troubles == ["A-v0: --output a.html: No space left on device"]
    assert [one.label for one in ledger.results()] == ["A-v0"]
    assert not any(ledger.file(kind, examination.key).exists() for kind in (RUNS, PAGES))


def test_examination_that_wrote_all_has_no_trouble(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out", make=True)
    examination = Examination(Identity("A-v0"), (), str(tmp_path))
    with Driver(ledger) as driver:
        publisher = ResultPublisher(ledger, driver, 0, lambda _result: None)
        publisher.file(examination, outcomes.JUDGED).write_text(written(judged_of(SAMPLE), ""))
        publisher.publish(outcomes.ExaminationOutcome(examination, 1, 1))
    assert publisher.troubles == []


def test_folder_of_a_sweep_that_vanished_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out, lost = tmp_path / "out", tmp_path / "out" / "results" / "a.json"

    def vanished(*_: object) -> int:
        return len(lost.read_text())

    monkeypatch.setattr(sweep_run, "_sweep", vanished)
    nothing: Any = None
    with pytest.raises(UsageError) as raised:
        sweep_run.sweep(out, nothing, nothing, nothing, nothing)
    assert str(raised.value) == f"--out {out}: No such file or directory: {lost}"
    with pytest.raises(FileNotFoundError):  # another file is not the sweep's
        sweep_run.sweep(tmp_path / "other", nothing, nothing, nothing, nothing)


def test_temporary_file_of_a_run_that_vanished_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    for folder, says in (("envdoctor-1", "another program may have removed it"), ("a", "a bug in")):
        with pytest.raises(typer.Exit) as ended, error_handling._errors_as_sentences():
            (tmp_path / folder / "journal").read_text()
        assert ended.value.exit_code == 70
        assert says in capsys.readouterr().err


def recorded(**fact: Any) -> Report:
    """A report on a leak check in which memray was asked; without a fact, it did not answer."""
    scenario = Scenario("leak-memray", "memray:101", options=(("save", "captures"),))
    events = ({"event": "fact", "key": "allocations", "value": fact},) if fact else ()
    return replace(SAMPLE, traces=(("A-v0", Trace(scenario, Outcome(FINISHED), events)),))


def test_recording_that_was_not_kept_is_named_with_its_reason() -> None:
    full, unusable = "No space left on device", "memray is not usable in python"
    assert captures.lost(recorded(cycles=101, file=None, unsaved=full)) == full
    assert captures.lost(recorded(missing=unusable)) == unusable
    assert captures.lost(recorded()) == captures.UNFINISHED
    assert captures.lost(recorded(cycles=101, file="/tmp/captures/a.bin")) == ""


def test_nothing_is_lost_where_memray_was_not_asked() -> None:
    report = replace(SAMPLE, traces=())
    assert (captures.was_asked(report), captures.lost(report)) == (False, "")
    assert captures.was_asked(recorded(cycles=101, file="/tmp/captures/a.bin"))


def test_recording_that_finds_no_space_leaves_no_half_file(tmp_path: Path) -> None:
    path, folder = tmp_path / "memray.bin", tmp_path / "captures"
    path.write_bytes(bytes(5000))
    wish = allocations.TracingRequest(name="a.py:A", folder=str(folder))
    with files_of_at_most(4096):
        assert allocations._keep(str(path), wish) == {"file": None, "unsaved": "File too large"}
    assert list(folder.iterdir()) == []
    kept = allocations._keep(str(path), wish)
    assert kept == {"file": str(folder / "a.py-A-create.bin")}
    assert Path(kept["file"]).stat().st_size == 5000
