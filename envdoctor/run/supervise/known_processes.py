"""Processes that Python itself starts below a probe."""

from __future__ import annotations

#: Words of its command line. It ends when it is not used any more.
RESOURCE_TRACKER = "multiprocessing.resource_tracker"
