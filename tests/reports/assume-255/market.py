"""A market for electricity, in which five plants offer what they produce."""

import sys

import gymnasium
import numpy as np
from learning_role import Learning

Learning.stores_all_units = "fixed" in sys.argv
UNITS = 5


class Market(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (UNITS, 3), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (UNITS, 1), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.costs = self.np_random.uniform(0.1, 0.9, UNITS)
        self.hour, self.price = 0, 0.5
        return self.look(), {}

    def look(self):
        demand = 0.5 + 0.4 * np.sin(self.hour / 24.0 * 2.0 * np.pi)
        return np.array([[demand, self.price, cost] for cost in self.costs], np.float32)

    def step(self, action):
        bids = self.costs + 0.2 * action[:, 0]
        load = int(self.np_random.integers(1, UNITS + 1))
        self.price = float(np.sort(bids)[load - 1])
        rewards = np.where(bids <= self.price, self.price - self.costs, 0.0)
        self.hour += 1
        info = {"rewards": rewards.astype(np.float32)}
        return self.look(), float(rewards.sum()), False, self.hour == 24 * 7, info


def main():
    env = Market()
    learning_role = Learning(UNITS, obs_dim=3, act_dim=1)
    obs, _ = env.reset(seed=1)
    for step in range(3000):
        actions = learning_role.get_actions(obs).astype(np.float32)
        next_obs, _reward, terminated, truncated, info = env.step(actions)
        learning_role.save_buffer({"data": (obs, actions, info["rewards"])})
        obs = env.reset()[0] if terminated or truncated else next_obs
        if step > 50 and step % 5 == 0:
            learning_role.update_policy()
    print(f"weights {learning_role.weights.round(3).tolist()}")
    env.close()


if __name__ == "__main__":
    main()
