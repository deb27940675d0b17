"""A game of TextArena for two players."""

import textarena


def tictactoe():
    return textarena.make("TicTacToe-v0")
