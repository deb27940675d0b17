"""A monitor refuses reset() before the end of an episode; the training gives up after 60 steps."""

import gymnasium
import numpy as np

EPISODES, STEPS = 80, 60


class Error(Exception):
    """An error of the library."""


class Circuit(gymnasium.Env):
    """The episode ends when the robot hits a wall."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def observe(self):
        return np.array([self.offset], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = 0.0
        return self.observe(), {}

    def step(self, action):
        self.offset += float(self.np_random.normal(0.0, 0.3)) + 0.3 * (int(action) - 1)
        hit = abs(self.offset) > 2.0
        return self.observe(), -200.0 if hit else 5.0, hit, False, {}


class Monitor(gymnasium.Wrapper):
    """Records what each episode returned."""

    def __init__(self, env):
        super().__init__(env)
        self.done = True
        self.total = 0.0
        self.returns = []

    def reset(self, **arguments):
        if not self.done:
            raise Error("Tried to reset environment which is not done")
        self.done, self.total = False, 0.0
        return self.env.reset(**arguments)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += reward
        self.done = terminated or truncated
        if self.done:
            self.returns.append(self.total)
        return observation, reward, terminated, truncated, info


def learn(rng, observation, episode):
    """The robot gets better: in the end it no longer hits the walls."""
    if rng.random() > episode / 40:
        return int(rng.integers(3))
    return 1 - int(np.sign(np.round(observation[0], 1)))


def main(make=Circuit):
    rng = np.random.default_rng(0)
    env = Monitor(make())
    env.action_space.seed(0)
    for episode in range(EPISODES):
        observation, _ = env.reset(seed=episode)
        for _ in range(STEPS):
            action = learn(rng, observation, episode)
            observation, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                break
        if episode % 20 == 19:
            print(f"episode {episode + 1}: {np.mean(env.returns[-20:]):.0f}", flush=True)
    env.close()


if __name__ == "__main__":
    main()
