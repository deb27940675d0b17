"""A task of ScienceWorld, whose simulator is a process of Java."""

from scienceworld import ScienceWorldEnv


def boil():
    task = ScienceWorldEnv()
    task.load("boil", 0, "easy")
    return task
