"""A game of GEM."""

import gem


def guess():
    return gem.make("game:GuessTheNumber-v0-easy")
