"""A game of OpenSpiel through Shimmy, in PettingZoo's AEC API."""

from shimmy import OpenSpielCompatibilityV0


def tictactoe():
    return OpenSpielCompatibilityV0(game_name="tic_tac_toe")
