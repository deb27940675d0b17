"""Safety-Gymnasium in its own API: step() returns six values."""

import safety_gymnasium


def make():
    return safety_gymnasium.make("SafetyPointGoal1-v0")
