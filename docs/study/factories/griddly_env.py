"""Sokoban of Griddly in the API of old Gym."""

from griddly import GymWrapper


def sokoban():
    return GymWrapper("Single-Player/GVGAI/sokoban.yaml", level=0)
