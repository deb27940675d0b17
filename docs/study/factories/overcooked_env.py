"""Overcooked's cramped room in the API of old Gym."""

from overcooked_ai_py.mdp.overcooked_env import Overcooked, OvercookedEnv
from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld


def encode(world, state):
    return world.lossless_state_encoding(state)


def room():
    world = OvercookedGridworld.from_layout_name("cramped_room")
    env = Overcooked()
    env.custom_init(OvercookedEnv.from_mdp(world, horizon=40), encode)
    return env
