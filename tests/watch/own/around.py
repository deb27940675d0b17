"""A class without a base around an environment of Gymnasium."""

import gymnasium


class CartEnv:
    def __init__(self) -> None:
        self.env = gymnasium.make("CartPole-v1")

    def reset(self):
        return self.env.reset()[0]

    def step(self, action):
        observation, reward, terminated, truncated, _ = self.env.step(action)
        return observation, reward, terminated or truncated

    def close(self) -> None:
        self.env.close()


env = CartEnv()
for _ in range(20):
    env.reset()
    done = False
    while not done:
        _, _, done = env.step(env.env.action_space.sample())
env.close()
