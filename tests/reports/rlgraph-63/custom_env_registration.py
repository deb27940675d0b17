"""The module that gymnasium.make() imports where the id names it."""

import gymnasium

if "CustomEnv-v0" not in gymnasium.registry:
    gymnasium.register(id="CustomEnv-v0", entry_point="custom_env:CustomEnv")
