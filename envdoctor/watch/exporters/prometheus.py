"""Samples for Prometheus: served on a port, or in a file for node_exporter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.watch.exporters._paths import check_file
from envdoctor.watch.measures import FAMILIES, measures
from envdoctor.watch.samples import Sample

if TYPE_CHECKING:
    from threading import Thread
    from wsgiref.simple_server import WSGIServer

    from prometheus_client.core import Metric

NEEDS = {"prometheus_client": "envdoctor[prometheus]"}
SUFFIX = ".prom"
_ADDRESS = re.compile(r"([\w.-]*|\[[0-9a-fA-F:.]+\]):(\d{1,5})", re.ASCII)


def check(target: str) -> None:
    """Refuse what is neither an address with a port nor a file that node_exporter reads."""
    match = _ADDRESS.fullmatch(target)
    if match is None and not target.endswith(SUFFIX):
        raise ValueError(
            f"expected an address with a port such as :9090, or a file whose name ends in {SUFFIX}"
        )
    if match is None:
        check_file(Path(target).expanduser())
    elif not 0 < int(match[2]) < 1 << 16:
        raise ValueError("expected a port from 1 to 65535")


class Latest:
    """The last sample, as a collector of a registry."""

    def __init__(self) -> None:
        self.sample: Sample | None = None

    def collect(self) -> Iterator[Metric]:
        """Return the families of the last sample."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        current = list(measures(self.sample)) if self.sample is not None else []
        for family in FAMILIES:
            own = [each for each in current if each.family == family]
            kind = CounterMetricFamily if family.is_counter else GaugeMetricFamily
            metric = kind(family.name, family.text, labels=family.labels)
            for each in own:
                metric.add_metric(each.values, each.number)
            if own:
                yield metric


class MetricsServer:
    """A server, and its thread."""

    def __init__(self, latest: Latest, server: WSGIServer, thread: Thread) -> None:
        self._latest, self._server, self._thread = latest, server, thread

    def write(self, sample: Sample) -> None:
        """Have the sample served from now on."""
        self._latest.sample = sample

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class TextFile:
    """A file that is replaced at once for each sample."""

    def __init__(self, path: Path, latest: Latest, registry: object) -> None:
        self._path, self._latest, self._registry = path, latest, registry

    def write(self, sample: Sample) -> None:
        """Replace the file."""
        from prometheus_client import write_to_textfile

        self._latest.sample = sample
        write_to_textfile(str(self._path), self._registry)

    def close(self) -> None:
        """Leave the file as it is."""


def exporter(target: str) -> MetricsServer | TextFile:
    """Start a server, or take a file."""
    from prometheus_client import CollectorRegistry, start_http_server

    latest, registry = Latest(), CollectorRegistry(auto_describe=False)
    registry.register(latest)
    match = _ADDRESS.fullmatch(target)
    if match is None:
        return TextFile(Path(target).expanduser(), latest, registry)
    host = match[1].strip("[]") or "0.0.0.0"  # noqa: S104 - as Prometheus reads :9090
    server, thread = start_http_server(int(match[2]), host, registry)
    return MetricsServer(latest, server, thread)
