"""Words that readings of environment variables have besides their names."""

from __future__ import annotations

SENSOR = "environment"
MISSING = ", which was missing"  # after a variable that os.environ.setdefault() has set
