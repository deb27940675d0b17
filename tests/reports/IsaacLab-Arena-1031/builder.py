"""Builds an environment of a configuration, and makes it by its name."""

import gymnasium
from arena import ArenaEnv, VariationRecorder


class ArenaEnvBuilder:
    def __init__(self, name, objects, fixed):
        self.name, self.objects, self.fixed = name, objects, fixed

    def build_registered(self):
        env_cfg = {"objects": self.objects}
        env_kwargs = {"variation_recorder": VariationRecorder()}
        kwargs = {"env_cfg": env_cfg}
        if not self.fixed:
            kwargs.update(env_kwargs)
        gymnasium.register(
            id=self.name,
            entry_point=ArenaEnv,
            kwargs=kwargs,
            disable_env_checker=True,
        )
        return env_cfg, env_kwargs

    def make_registered(self):
        env_cfg, env_kwargs = self.build_registered()
        return gymnasium.make(self.name, env_cfg=env_cfg, **env_kwargs)
