"""A package as a team has one: it registers its environment when it is imported."""

import gymnasium

gymnasium.register("MyEnv-v0", "mypkg.env:MyEnv", max_episode_steps=100)
