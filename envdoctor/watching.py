"""`python -m envdoctor.watching train.py`, for launchers that start Python themselves."""

from __future__ import annotations

import sys

from envdoctor.inside import main, watching

if __name__ == "__main__":
    main(sys.argv[1:])
else:  # `envdoctor.watching` stays the function, whether this module is imported or not
    sys.modules[__name__] = watching  # type: ignore[assignment]
