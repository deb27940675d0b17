"""Readings of GPU memory, as the probe and the doctor share them: {pid: bytes as text}, or why the
driver gave none.
"""

from __future__ import annotations

SENSOR = "gpu-memory"
NOT_READ = "not told"  # the key of the reason
