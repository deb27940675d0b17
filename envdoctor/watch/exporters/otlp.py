"""Samples as metrics of OpenTelemetry, sent to a collector over HTTP (OTLP)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import groupby
from urllib.parse import urlsplit

from envdoctor import __version__
from envdoctor.watch.measures import Family, Measure, measures
from envdoctor.watch.samples import Sample

NEEDS = dict.fromkeys(
    ("opentelemetry.sdk.metrics", "opentelemetry.exporter.otlp.proto.http"), "envdoctor[otlp]"
)
PATH = "/v1/metrics"
PATIENCE = 5.0  # seconds for an answer
UNITS = {"bytes": "By", "seconds": "s"}


def check(target: str) -> None:
    """Refuse what is not the address of a collector."""
    parts = urlsplit(target)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("expected the address of a collector, such as http://localhost:4318")


def address(target: str) -> str:
    """Return where metrics are sent: the usual path where none is named."""
    return target if urlsplit(target).path.strip("/") else target.rstrip("/") + PATH


class Collector:
    """A collector."""

    def __init__(self, target: str) -> None:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        # It says on stderr what fails, which is the training's.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
        self._exporter = OTLPMetricExporter(endpoint=address(target), timeout=PATIENCE)
        self._target = target

    def write(self, sample: Sample) -> None:
        """Send a sample, and wait for the answer."""
        from opentelemetry.sdk.metrics.export import MetricExportResult

        done = self._exporter.export(_data(sample), timeout_millis=PATIENCE * 1000)
        if done is not MetricExportResult.SUCCESS:
            raise ConnectionError(f"{address(self._target)} did not accept it")

    def close(self) -> None:
        """Close the connection."""
        self._exporter.shutdown(timeout_millis=0)


def exporter(target: str) -> Collector:
    """Take a collector. It is connected to for the first sample."""
    return Collector(target)


def _data(sample: Sample) -> object:
    from opentelemetry.sdk.metrics.export import MetricsData, ResourceMetrics, ScopeMetrics
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    named: dict[str, str | int] = {
        "process.command_line": " ".join(sample.command),
        "process.pid": sample.pid,
    }
    named["service.name"] = "envdoctor"
    resource = Resource(named)
    groups = groupby(
        sorted(measures(sample), key=lambda each: each.family.name), key=lambda each: each.family
    )
    metrics = [_metric(family, own, sample) for family, own in groups]
    scope = InstrumentationScope("envdoctor", __version__)
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(scope, metrics, "")], "")])


def _metric(family: Family, own: Iterable[Measure], sample: Sample) -> object:
    from opentelemetry.sdk.metrics.export import (
        AggregationTemporality,
        Gauge,
        Metric,
        NumberDataPoint,
        Sum,
    )

    now = int(sample.time * 1e9)
    began = int((sample.time - sample.seconds) * 1e9)
    points = [NumberDataPoint(each.labels, began, now, each.number) for each in own]
    kept = AggregationTemporality.CUMULATIVE
    data = Sum(points, kept, is_monotonic=True) if family.is_counter else Gauge(points)
    name = family.name.replace("_", ".", 2)
    return Metric(name, family.text, UNITS.get(family.unit, ""), data)
