"""What the probe and the doctor call readings of GPU memory: {pid: bytes as text}, or why the
driver did not tell.
"""

from __future__ import annotations

SENSOR = "gpu-memory"
NOT_TOLD = "not told"  # the key of the reason
