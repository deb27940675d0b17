"""`watch --export`: samples of a training, as values and as each kind of target has them."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from envdoctor.errors import UsageError
from envdoctor.model.finding import Finding, Location, Remedy
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_calls import LongCall
from envdoctor.model.training_growth import Reading, Series
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.watch import exporters, exporting
from envdoctor.watch.exporters import jsonl, opener, otlp, prometheus, tensorboard
from envdoctor.watch.exporting import WAITING, Exports, Target, exports
from envdoctor.watch.measures import FAMILIES, measures
from envdoctor.watch.outside import Outside
from envdoctor.watch.samples import Sample, SampleCounts, Sampler
from tests.support.zoo import COMMAND

ROOT = Path(__file__).parents[2]
LIBRARY = Path(__file__).parent / "library"
PATIENCE = 60.0  # seconds

HOLDS = Outside(descriptors=9, threads=2, children=1, segments=0, rss=4096, size=3)
WORKER = Instances(11, 1, "arms.Arm", reset=Calls(3, 3), step=Calls(41, 40))
DROPPED = Instances(10, 1, "arms.Arm", number=3, gone=2, closed=1, lost=1)
TRAINING = Training(
    ("python", "train.py"),
    10,
    seconds=4.0,
    processes=(TrainingProcess(10), TrainingProcess(11, 10, started="fork")),
    instances=(DROPPED, WORKER),
    long_calls=(LongCall(11, 1, "step", seconds=9.0, still=8.0),),
    series=(Series(11, (Reading(3.0, blocks=500, malloc=600),)),),
    over=False,
)
FINDING = Finding(
    "TRN001",
    "instance-not-closed",
    "warning",
    "not closed",
    Remedy(""),
    location=Location("a.py", 3),
)


def sampler() -> Sampler:
    return Sampler(lambda _pid: HOLDS)


def a_sample() -> Sample:
    ended = replace(TRAINING, seconds=6.0, over=True, code=0)
    first = sampler()
    first.sample(TRAINING, 100.0)
    return first.sample(ended, 102.0, [FINDING])


def test_sample_has_counts_and_what_each_process_holds() -> None:
    sample = sampler().sample(TRAINING, 100.0)
    assert sample.totals == SampleCounts(4, 2, 1, 1, 3, 40, 0.75, 10.0)
    trainer, worker = sample.processes
    assert (trainer.role, worker.role) == ("trainer", "fork")
    assert (worker.blocks, worker.malloc, worker.resident, worker.descriptors) == (
        500,
        600,
        4096,
        9,
    )
    assert worker.mapped == 3 * os.sysconf("SC_PAGE_SIZE")
    assert (trainer.still, worker.still) == (0.0, 8.0)
    assert worker.environments[0].type == "arms.Arm"
    assert [each.kind for each in sample.remarks] == ["long-call"]
    assert (sample.over, sample.code, sample.findings) == (False, None, ())


def test_paces_are_those_since_the_sample_before() -> None:
    own = sampler()
    own.sample(TRAINING, 100.0)
    later = replace(WORKER, reset=Calls(5, 5), step=Calls(60, 60))
    second = own.sample(replace(TRAINING, seconds=6.0, instances=(DROPPED, later)), 102.0)
    assert (second.totals.resets_per_second, second.totals.steps_per_second) == (1.0, 10.0)
    assert second.processes[1].environments[0].counts.steps_per_second == 10.0


def test_process_that_has_ended_comes_once_more() -> None:
    own = sampler()
    own.sample(TRAINING, 100.0)
    ended = (TrainingProcess(10), TrainingProcess(11, 10, started="fork", code=-9, ended=5.0))
    second = own.sample(replace(TRAINING, seconds=6.0, processes=ended), 102.0)
    third = own.sample(replace(TRAINING, seconds=8.0, processes=ended), 104.0)
    assert [(each.pid, each.running, each.code) for each in second.processes] == [
        (10, True, None),
        (11, False, -9),
    ]
    assert [each.pid for each in third.processes] == [10]
    assert second.totals.steps == third.totals.steps == 40


def test_last_sample_has_the_exit_code_and_the_findings() -> None:
    sample = a_sample()
    assert (sample.over, sample.code) == (True, 0)
    assert [(each.code, each.severity, each.place) for each in sample.findings] == [
        ("TRN001", "warning", "a.py:3")
    ]
    assert not sample.processes[0].running


def test_line_of_json_has_the_sample(tmp_path: Path) -> None:
    target = jsonl.exporter(str(tmp_path / "samples.jsonl"))
    for _ in range(2):
        target.write(a_sample())
    first, second = map(json.loads, (tmp_path / "samples.jsonl").read_text().splitlines())
    assert first == second == json.loads(json.dumps(a_sample().as_json()))
    assert first["totals"]["steps"] == 40


def read_prometheus(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    from prometheus_client.parser import text_string_to_metric_families

    families = text_string_to_metric_families(text)
    return {
        (each.name.removesuffix("_total"), frozenset(each.labels.items())): each.value
        for family in families
        for each in family.samples
    }


def expected() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (each.family.name, frozenset(each.labels.items())): each.number
        for each in measures(a_sample())
    }


def test_text_file_for_node_exporter_is_read_by_the_parser_of_prometheus(tmp_path: Path) -> None:
    prometheus.exporter(str(tmp_path / "run.prom")).write(a_sample())
    assert read_prometheus((tmp_path / "run.prom").read_text()) == expected()
    assert os.listdir(tmp_path) == ["run.prom"]


def test_last_sample_is_served_until_the_server_is_closed() -> None:
    target = prometheus.exporter("127.0.0.1:0")
    address = f"http://127.0.0.1:{target._server.server_port}/metrics"
    target.write(a_sample())
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        text = answer.read().decode()
    target.close()
    assert read_prometheus(text) == expected()
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=PATIENCE)


def test_label_of_a_hostile_class_is_escaped(tmp_path: Path) -> None:
    name = 'arms.A"\n\\'
    seen = replace(TRAINING, instances=(replace(WORKER, type=name),))
    prometheus.exporter(str(tmp_path / "run.prom")).write(sampler().sample(seen, 100.0))
    labels = [dict(key[1]) for key in read_prometheus((tmp_path / "run.prom").read_text())]
    assert {each["environment"] for each in labels if "environment" in each} == {name}


def test_scalars_and_texts_are_read_by_tensorboard(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    target = tensorboard.exporter(str(tmp_path / "new" / "folder"))
    target.write(sampler().sample(TRAINING, 100.0))
    target.write(a_sample())
    target.close()
    events = EventAccumulator(str(tmp_path / "new" / "folder"))
    events.Reload()
    steps = events.Scalars("training/steps")
    assert [(each.wall_time, each.step, each.value) for each in steps] == [
        (100, 40, 40),
        (102, 40, 40),
    ]
    assert events.Scalars("process/descriptors/fork 11")[0].value == 9
    assert events.Scalars("environment/steps/Arm/fork 11")[0].value == 40
    texts = {
        name: [each.tensor_proto.string_val[0].decode() for each in events.Tensors(name)]
        for name in events.Tags()["tensors"]
    }
    assert len(texts.pop("envdoctor/remarks/long-call 11")) == 1  # it is the same one twice
    ((name, text),) = texts.items()
    assert name == f"envdoctor/findings/TRN001 {FINDING.fingerprint}"
    assert text == ["warning TRN001: not closed (a.py:3)"]


class Collector(BaseHTTPRequestHandler):
    """Keeps what it gets, and answers as its server says."""

    def do_POST(self) -> None:
        self.server.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.server.answer)
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def collector():
    server = HTTPServer(("127.0.0.1", 0), Collector)
    server.got, server.answer = [], 200
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(PATIENCE)


def test_collector_gets_the_measures(collector) -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )

    target = otlp.exporter(f"http://127.0.0.1:{collector.server_port}")
    target.write(a_sample())
    target.close()
    ((path, body),) = collector.got
    assert path == "/v1/metrics"
    (resource,) = ExportMetricsServiceRequest.FromString(body).resource_metrics
    assert "python train.py" in str(resource.resource)
    found = {each.name: each for scope in resource.scope_metrics for each in scope.metrics}
    assert {each.family.name for each in measures(a_sample())} == {
        name.replace(".", "_") for name in found
    }
    (steps,) = found["envdoctor.training.steps"].sum.data_points
    assert (steps.as_int, steps.time_unix_nano) == (40, 102 * 10**9)
    (finding,) = found["envdoctor.findings"].gauge.data_points
    assert ("code", "TRN001") in [
        (each.key, each.value.string_value) for each in finding.attributes
    ]


def test_collector_that_refuses_loses_the_sample(collector, capfd) -> None:
    collector.answer = 400
    target = otlp.exporter(f"http://127.0.0.1:{collector.server_port}/own/path")
    with pytest.raises(ConnectionError, match="/own/path did not"):
        target.write(a_sample())
    target.close()
    assert [path for path, _ in collector.got] == ["/own/path"]
    assert capfd.readouterr() == ("", "")


class Fake:
    """An exporter whose writes wait for a permission and may fail."""

    def __init__(self) -> None:
        self.may_write, self.waits = threading.Event(), threading.Event()
        self.fails = self.opened = self.closed = 0
        self.written: list[Sample] = []

    def open(self) -> Fake:
        self.opened += 1
        return self

    def write(self, sample: Sample) -> None:
        self.waits.set()
        assert self.may_write.wait(PATIENCE)
        if self.fails:
            self.fails -= 1
            raise OSError(28, os.strerror(28))
        self.written.append(sample)

    def close(self) -> None:
        self.closed += 1


def samples(number: int) -> list[Sample]:
    return [Sample(float(at), float(at), ("python",), 1, SampleCounts()) for at in range(number)]


def soon() -> float:
    return time.monotonic() + PATIENCE


def test_target_that_fails_is_opened_again_for_the_next_sample() -> None:
    fake = Fake()
    fake.fails = 2
    fake.may_write.set()
    target = Target("fake=x", fake.open)
    for each in samples(5):
        target.offer(each)
    target.finish(soon())
    assert [each.seconds for each in fake.written] == [2.0, 3.0, 4.0]
    assert (fake.opened, fake.closed) == (3, 3)
    assert target.warning == "warning: 2 of 5 samples lost for fake=x: No space left on device"


def test_slow_target_loses_the_oldest_samples_and_delays_none() -> None:
    fake = Fake()
    target = Target("fake=x", fake.open)
    first, *others = samples(WAITING + 4)
    target.offer(first)
    assert fake.waits.wait(PATIENCE)
    for each in others:
        target.offer(each)
    fake.may_write.set()
    target.finish(soon())
    assert [each.seconds for each in fake.written] == [
        0.0,
        *(float(at) for at in range(4, WAITING + 4)),
    ]
    assert target.warning.startswith(f"warning: 3 of {WAITING + 4} samples lost for fake=x: it is")


def test_target_that_never_answers_is_left() -> None:
    fake = Fake()
    target = Target("fake=x", fake.open)
    for each in samples(2):
        target.offer(each)
    target.finish(time.monotonic())
    assert target.warning == "warning: 2 of 2 samples lost for fake=x: it is too slow"
    fake.may_write.set()
    target.finish(soon())  # its thread ends


def test_thread_of_a_target_gets_no_signal() -> None:
    masks = []

    class Asking(Fake):
        def write(self, sample: Sample) -> None:
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    target = Target("fake=x", Asking().open)
    target.offer(samples(1)[0])
    target.finish(soon())
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGTSTP} <= masks[0]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_removed_directory_of_tensorboard_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "tb"
    target = Target("tensorboard=tb", opener("tensorboard", str(folder)))
    ended = sampler()
    first = ended.sample(TRAINING, 1.0)
    done = threading.Event()
    own = target._open

    def opened():
        made = own()
        write = made.write

        def write_and_tell(sample):
            try:
                write(sample)
            finally:
                done.set()

        made.write = write_and_tell
        return made

    target._open = opened
    for at in range(3):
        done.clear()
        target.offer(first)
        assert done.wait(PATIENCE)
        if not at:
            (event_file,) = folder.iterdir()
            event_file.unlink()
            folder.rmdir()
    target.finish(soon())
    assert target.warning == (
        "warning: 1 of 3 samples lost for tensorboard=tb: the directory was removed"
    )
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("promteus=:9090", "no exporter is called 'promteus'; did you mean prometheus?"),
        ("jsonl", "--export jsonl: name the target, as in --export jsonl=TARGET"),
        ("prometheus=9090", "invalid --export prometheus=9090: expected an address with a port"),
        ("prometheus=:99999", "expected a port from 1 to 65535"),
        ("jsonl=/nowhere/at/all.jsonl", "directory /nowhere/at not found"),
        ("jsonl=-", "expected a file: stdout is the training's"),
        ("jsonl=/tmp", "expected a file, and this is a directory"),
        ("otlp=localhost:4318", "expected the address of a collector, such as http://localhost"),
        ("tensorboard=/etc/passwd", "expected a directory, and this is a file"),
    ],
)
def test_target_that_is_spelled_wrongly_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        exports([text], 5.0)


def test_library_that_is_not_installed_is_named(monkeypatch) -> None:
    monkeypatch.setattr(prometheus, "NEEDS", {"no_such_library.at.all": "envdoctor[prometheus]"})
    sentence = "--export prometheus needs no_such_library: pip install 'envdoctor[prometheus]'"
    with pytest.raises(UsageError, match=re.escape(sentence)):
        opener("prometheus", ":9090")


def test_plug_in_adds_a_kind(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        exporters, "plugins", lambda kind: {"copy": "envdoctor.watch.exporters.jsonl"}
    )
    opener("copy", str(tmp_path / "a"))().write(a_sample())
    assert json.loads((tmp_path / "a").read_text())["totals"]["steps"] == 40


def test_plug_in_that_fails_is_named(monkeypatch) -> None:
    monkeypatch.setattr(exporters, "plugins", lambda kind: {"bad": "no_such_module_at_all"})
    with pytest.raises(UsageError, match="the exporter bad cannot be used: no_such_module_at_all"):
        opener("bad", "x")


@pytest.mark.parametrize(
    "module", [jsonl, otlp, prometheus, tensorboard], ids=lambda each: each.__name__
)
def test_library_is_imported_only_once_the_target_is_opened(module) -> None:
    libraries = {name.partition(".")[0] for name in getattr(module, "NEEDS", ())}
    body = ast.parse(Path(module.__file__).read_text()).body
    imported = {
        name.partition(".")[0]
        for node in body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert not libraries & imported


def test_dashboard_and_alerts_name_only_what_is_measured() -> None:
    known = {each.name + ("_total" if each.is_counter else "") for each in FAMILIES}
    folder = ROOT / "docs/exporting"
    dashboard = json.loads((folder / "dashboard.json").read_text())
    alerts = yaml.safe_load((folder / "alerts.yml").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    assert len(asked) > 10
    named = {name for text in asked for name in re.findall(r"envdoctor_\w+", text)}
    assert named <= known


def test_watched_command_fills_its_targets_and_keeps_its_exit_code(tmp_path: Path) -> None:
    code = (
        "import gymnasium\n"
        "env = gymnasium.make('CartPole-v1')\n"
        "for _ in range(3):\n    env.reset()\n    env.step(0)\n"
        "raise SystemExit(7)"
    )
    words = [
        "--export",
        "jsonl=samples.jsonl",
        "--export",
        "jsonl=/dev/full",
        "--export-every",
        "0.1s",
    ]
    done = subprocess.run(
        [COMMAND, "watch", *words, "--", sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 10,
        check=False,
    )
    assert done.returncode == 7
    lines = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    lost = f"{len(lines)} of {len(lines)} sample"
    assert f"warning: {lost}" in done.stderr
    assert "lost for jsonl=/dev/full: No space left on device" in done.stderr
    assert "instance made" in done.stderr  # the report follows
    last = lines[-1]
    assert (last["over"], last["code"]) == (True, 7)
    assert (last["totals"]["made"], last["totals"]["resets"], last["totals"]["steps"]) == (1, 3, 3)
    assert not any(each["over"] for each in lines[:-1])
    times = [each["seconds"] for each in lines]
    assert times == sorted(times)


def test_samples_are_offered_to_each_target() -> None:
    class Following:
        def training(self) -> Training:
            return replace(TRAINING, pid=os.getpid(), processes=(TrainingProcess(os.getpid()),))

    fakes = [Fake(), Fake()]
    for each in fakes:
        each.may_write.set()
    own = Exports([Target("fake=x", each.open) for each in fakes], 5.0)
    own.show(Following())
    assert own.finish(replace(TRAINING, over=True), [FINDING]) == []
    for each in fakes:
        assert [(sample.over, len(sample.findings)) for sample in each.written] == [
            (False, 0),
            (True, 1),
        ]
        assert each.written[0].processes[0].resident > 0
    assert exporting.exports((), 5.0) is None
