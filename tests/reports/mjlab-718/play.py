"""A policy is played in a window, until the window is closed."""

import gymnasium
import numpy as np
from viewer import launch_passive


class Walker(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.state = self.np_random.uniform(-0.1, 0.1, 2)
        return self.state.astype(np.float32), {}

    def step(self, action):
        self.steps += 1
        self.state = np.clip(self.state + np.array([self.state[1], action[0]]) * 0.01, -10.0, 10.0)
        return self.state.astype(np.float32), 1.0, False, self.steps == 100, {}


class NativeViewer:
    def __init__(self, env, policy):
        self.env, self.policy = env, policy
        self.viewer = launch_passive(frames=100)

    def run(self):
        observation, _ = self.env.reset(seed=1)
        steps = 0
        while self.viewer.is_running():
            observation, _, over, cut, _ = self.env.step(self.policy(observation))
            if over or cut:
                observation, _ = self.env.reset()
            steps += 1
            self.sync_env_to_viewer(steps)
        self.viewer.close()
        return steps

    def sync_env_to_viewer(self, steps):
        if self.viewer.is_running():
            self.viewer.set_texts(f"Step\t{steps}")


def main():
    env = Walker()
    viewer = NativeViewer(env, lambda observation: np.array([-observation[0]], np.float32))
    viewer.run()
    print("the window was closed", flush=True)
    env.close()


if __name__ == "__main__":
    main()
