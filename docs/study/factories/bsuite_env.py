"""Two experiments of bsuite."""

import bsuite


def catch():
    return bsuite.load_from_id("catch/0")


def cartpole():
    return bsuite.load_from_id("cartpole/0")
