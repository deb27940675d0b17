"""Samples as scalars of TensorBoard, with remarks and findings as texts."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envdoctor.watch.measures import Measure, measures
from envdoctor.watch.samples import Sample

NEEDS = {"tensorboard": "envdoctor[tensorboard]"}
TEXT, REMARKS, FINDINGS = "text", "envdoctor/remarks", "envdoctor/findings"


def check(target: str) -> None:
    """Refuse a file."""
    if Path(target).expanduser().is_file():
        raise ValueError("expected a directory, and this is a file")


def tag(measure: Measure) -> str:
    """Return the name of a scalar: `environment/steps/CartPoleEnv/fork 12`."""
    labels = dict(measure.labels)
    class_name = labels.pop("environment", "").rsplit(".", 1)[-1]
    process = " ".join(filter(None, (labels.pop("role", ""), labels.pop("pid", ""))))
    return "/".join(filter(None, (measure.family.path, class_name, *labels.values(), process)))


class Events:
    """An event file of its own in a directory."""

    def __init__(self, folder: Path, now: float) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        folder.mkdir(parents=True, exist_ok=True)
        host = socket.gethostname()
        name = f"events.out.tfevents.{now:.6f}.{host}.{os.getpid()}.envdoctor"
        self._path = folder / name
        self._file = self._path.open("ab")
        self._records = RecordWriter(self._file)
        self._remarked: set[tuple[str, int]] = set()
        if not self._file.tell():
            self._records.write(_event(now, file_version="brain.Event:2").SerializeToString())

    def write(self, sample: Sample) -> None:
        """Append a sample: its step is the number of steps of all environments."""
        if not self._path.exists():
            raise FileNotFoundError("the directory was removed")
        values = [_scalar(tag(each), each.number) for each in measures(sample)]
        event = _event(sample.time, sample.totals.steps, values + list(self._texts(sample)))
        self._records.write(event.SerializeToString())
        self._records.flush()

    def _texts(self, sample: Sample) -> Iterator[object]:
        """Texts on what needs a look, the first time that it does."""
        for each in sample.remarks:
            key = (each.kind, each.pid)
            if key not in self._remarked:
                self._remarked.add(key)
                yield _text(f"{REMARKS}/{each.kind} {each.pid}", each.text)
        for finding in sample.findings:
            where = f" ({finding.place})" if finding.place else ""
            text = f"{finding.severity} {finding.code}: {finding.message}{where}"
            yield _text(f"{FINDINGS}/{finding.code} {finding.fingerprint}", text)

    def close(self) -> None:
        """Close the file."""
        self._records.close()


def _event(now: float, step: int = 0, values: object = (), file_version: str = "") -> Any:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    if file_version:
        return Event(wall_time=now, file_version=file_version)
    return Event(wall_time=now, step=step, summary=Summary(value=values))


def _scalar(name: str, number: float) -> object:
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary.Value(tag=name, simple_value=number)


def _text(name: str, text: str) -> object:
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    data = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=TEXT))
    tensor = TensorProto(dtype=DT_STRING, string_val=[text.encode()])
    return Summary.Value(tag=name, metadata=data, tensor=tensor)


def exporter(target: str) -> Events:
    """Begin an event file."""
    return Events(Path(target).expanduser(), time.time())
