"""Two games of RLCard."""

import rlcard


def blackjack():
    return rlcard.make("blackjack")


def leduc():
    return rlcard.make("leduc-holdem")
