from pettingzoo.utils.env import ParallelEnv


class BaseParallelWrapper(ParallelEnv):
    def __init__(self, env):
        self.env = env
        self.possible_agents = env.possible_agents

    def reset(self, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, actions):
        return self.env.step(actions)

    def close(self):
        return self.env.close()
