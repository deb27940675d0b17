"""A duel: the frames in which one player kills the other are looked at."""

import sys

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack

FIXED = "fixed" in sys.argv
KILL = 9000.0


class Duel(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (8, 8, 1), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.distance, self.health = int(self.np_random.integers(3, 8)), 3
        self.steps = 0
        return self.look(), {}

    def look(self):
        frame = np.full((8, 8, 1), 20 + self.steps, np.uint8)
        frame[self.health, : self.distance] = 250
        return frame

    def step(self, action):
        self.steps += 1
        self.distance = max(1, min(7, self.distance + (int(action) - 1)))
        if self.distance == 1 and self.np_random.random() < 0.5:
            self.health -= 1
        killed = self.health == 0
        return self.look(), KILL + 1.0 if killed else 0.0, killed, self.steps == 100, {}


class VecFrameStackSaveOnKill(VecFrameStack):
    def __init__(self, venv, n_stack):
        super().__init__(venv, n_stack)
        self.saved = []

    def step_wait(self):
        self.stackedobs, rewards, dones, infos = super().step_wait()
        for number in np.flatnonzero(np.abs(rewards) > KILL):
            frames = self.stackedobs[number]
            if FIXED and dones[number]:
                frames = infos[number]["terminal_observation"]
            self.saved.append([frames[:, :, i].copy() for i in range(4)])
        return self.stackedobs, rewards, dones, infos


def main():
    env = VecFrameStackSaveOnKill(DummyVecEnv([Duel] * 2), 4)
    model = PPO("MlpPolicy", env, n_steps=200, batch_size=50, n_epochs=1, device="cpu", seed=1)
    model.learn(2000)
    black = sum(not frame.any() for frames in env.saved for frame in frames)
    print(f"{len(env.saved)} kills, {black} of {4 * len(env.saved)} frames black")
    env.close()


if __name__ == "__main__":
    main()
