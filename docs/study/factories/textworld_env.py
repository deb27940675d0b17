"""A small game of TextWorld, compiled once a process."""

import functools
import os
import tempfile

import textworld
import textworld.gym


@functools.lru_cache(maxsize=None)
def game():
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.quest_length = 2, 3, 2
    options.seeds = 1
    options.path = os.path.join(tempfile.gettempdir(), "study-textworld", "game.z8")
    options.force_recompile = False
    path, _ = textworld.make(options)
    return path


def make():
    infos = textworld.EnvInfos(description=True, inventory=True, admissible_commands=True)
    return textworld.gym.make(textworld.gym.register_game(game(), infos, max_episode_steps=50))
