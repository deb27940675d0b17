from pettingzoo.utils.env import AECEnv


class parallel_to_aec_wrapper(AECEnv):  # noqa: N801
    """Collects an action of each agent, and then steps."""

    def __init__(self, env):
        self.env, self.actions = env, {}

    def reset(self, seed=None, options=None):
        self.env.reset(seed=seed, options=options)

    def step(self, action):
        self.actions[self.env.possible_agents[len(self.actions)]] = action
        if len(self.actions) == len(self.env.possible_agents):
            self.env.step(self.actions)
            self.actions = {}

    def close(self):
        return self.env.close()
