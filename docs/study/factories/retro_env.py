"""The game that Stable-Retro ships with, without a display."""

import stable_retro


def airstriker():
    return stable_retro.make("Airstriker-Genesis-v0", render_mode="rgb_array")
