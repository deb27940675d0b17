"""SAC on images: an arm that pushes a puck on a table, seen from above."""

import sys

import gymnasium
import numpy as np
from simple_replay_pool import OncePool, SimpleReplayPool

Pool = OncePool if "fixed" in sys.argv else SimpleReplayPool
SIZE = 48


class Pusher(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (SIZE, SIZE, 3), np.uint8)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.table = self.np_random.integers(0, 40, (SIZE, SIZE, 3), np.uint8)
        self.puck = self.np_random.uniform(10.0, 38.0, 2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        image = self.table.copy()
        row, column = self.puck.astype(int)
        image[row - 2 : row + 3, column - 2 : column + 3] = (255, self.steps, 0)
        return image

    def step(self, action):
        self.puck = np.clip(self.puck + action, 3.0, 44.0)
        self.steps += 1
        reward = -float(np.linalg.norm(self.puck - 24.0)) / 24.0
        return self.look(), reward, False, self.steps == 100, {}


def main():
    np.random.seed(1)
    env = Pusher()
    pool = Pool(env.observation_space, env.action_space, max_size=6000)
    weights, observation = np.zeros(3), env.reset(seed=1)[0]
    for timestep in range(7000):
        action = np.random.uniform(-1.0, 1.0, 2).astype(np.float32)
        following, reward, terminated, truncated, _ = env.step(action)
        pool.add_sample(observation, action, reward, terminated, following)
        observation = env.reset()[0] if terminated or truncated else following
        if timestep > 100 and timestep % 10 == 0:
            images, rewards, next_images = pool.random_batch(16)
            features = images.mean(axis=(1, 2)) / 255.0
            values = rewards[:, 0] + 0.9 * (next_images.mean(axis=(1, 2)) / 255.0) @ weights
            weights += 0.01 * (values - features @ weights) @ features
    print(f"weights {weights.round(3)}")
    env.close()


if __name__ == "__main__":
    main()
