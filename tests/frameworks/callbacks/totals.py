"""What all environments of a training counted themselves, so far."""

import os
from pathlib import Path

from tally import NAMES


def totals():
    files = Path(os.environ["TALLY"]).glob("*.tally")
    each = [memoryview(file.read_bytes()).cast("q") for file in files]
    return dict(zip(NAMES, map(sum, zip(*each, strict=True)), strict=True))
