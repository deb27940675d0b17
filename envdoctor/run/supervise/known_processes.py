"""Processes that Python itself starts below a probe."""

from __future__ import annotations

#: Words of its command line. It ends when nobody uses it any more.
RESOURCE_TRACKER = "multiprocessing.resource_tracker"
