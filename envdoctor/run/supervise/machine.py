"""The operating system underneath: one of two modules with the same functions. Windows has none
yet: see `_windows`.
"""

from __future__ import annotations

import sys

if sys.platform == "linux":
    from envdoctor.run.supervise import _linux as machine
else:
    from envdoctor.run.supervise import _darwin as machine

__all__ = ["machine"]
