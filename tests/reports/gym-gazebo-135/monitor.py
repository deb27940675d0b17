"""Records the statistics of whole episodes."""

import gymnasium


class Error(Exception):
    """A wrong use of the monitor."""


class Monitor(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.done, self.rewards, self.totals = None, [], []

    def reset(self, *, seed=None, options=None):
        if self.done is not None and not self.done and self.rewards:
            raise Error(
                "Tried to reset environment which is not done. While the monitor is active, "
                "you cannot call reset() unless the episode is over."
            )
        self.done, self.rewards = False, []
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        self.rewards.append(reward)
        self.done = terminated or truncated
        if self.done:
            self.totals.append(sum(self.rewards))
        return observation, reward, terminated, truncated, info
