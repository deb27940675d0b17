# overcooked-ai: MAK001: the environment of old Gym asks its layout for an attribute that it lacks
from overcooked_ai_py.mdp.overcooked_env import Overcooked, OvercookedEnv
from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld

world = OvercookedGridworld.from_layout_name("cramped_room")
base = OvercookedEnv.from_mdp(world, horizon=40)
try:
    Overcooked().custom_init(base, lambda world, state: world.lossless_state_encoding(state))
except AttributeError as error:
    print(f"custom_init(): AttributeError: {error}")
else:
    raise AssertionError("it can be made")
