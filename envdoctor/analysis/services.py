"""To which services an environment was connected while it lived: traces in, values for the report
out.
"""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.facts import Connections
from envdoctor.model.report import ServiceReport
from envdoctor.model.scenario import SERVICE_COUNT
from envdoctor.model.trace import Trace


def summarise(traces: Sequence[Trace]) -> tuple[ServiceReport, ...]:
    """Each address once."""
    is_counted = any(trace.scenario.option(SERVICE_COUNT) for trace in traces)
    result = {
        service.address: ServiceReport(service.address, service.listener, is_counted)
        for trace in traces
        for fact in trace.facts(Connections)
        for service in fact.services
    }
    return tuple(result.values())
