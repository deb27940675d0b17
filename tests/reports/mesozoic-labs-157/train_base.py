"""A curriculum: a robot is evaluated beside its training, in an environment of its own."""

import sys

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecNormalize,
    sync_envs_normalization,
)

FIXED = "fixed" in sys.argv


class Raptor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-50.0, 50.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed, self.steps = self.np_random.uniform(4.0, 6.0), 0.0, 0
        return self.look(), {}

    def look(self):
        return np.array([self.height, self.speed, self.steps / 10.0], np.float32)

    def step(self, action):
        self.speed += float(action[0]) - 0.1 * (self.height - 5.0)
        self.height = min(max(self.height + 0.1 * self.speed, 0.0), 10.0)
        self.steps += 1
        info = {"forward_vel": self.speed}
        return self.look(), 10.0 - abs(self.height - 5.0), False, self.steps == 40, info


class CurriculumCallback(BaseCallback):
    """Looks now and then whether the next stage can begin."""

    def __init__(self, eval_env, eval_freq, min_avg_reward):
        super().__init__()
        self.eval_env, self.eval_freq = eval_env, eval_freq
        self.min_avg_reward = min_avg_reward

    def _on_step(self):
        if self.n_calls % self.eval_freq == 0:
            rewards = self.evaluate()
            advances = np.mean(rewards) >= self.min_avg_reward
            print(f"{self.num_timesteps}: {np.mean(rewards):.1f}, next stage: {advances}")
        return True

    def evaluate(self):
        sync_envs_normalization(self.training_env, self.eval_env)
        if FIXED:
            self.eval_env.training = False
            self.eval_env.norm_reward = False
        rewards = []
        for _ in range(5):
            obs, done, total = self.eval_env.reset(), False, 0.0
            while not done:
                action, _ = self.model.predict(obs, deterministic=True)
                obs, reward, dones, _ = self.eval_env.step(action)
                total += float(reward[0])
                done = bool(dones[0])
            rewards.append(total)
        return rewards


def make_env(seed):
    env = VecNormalize(DummyVecEnv([Raptor]), norm_obs=True, norm_reward=True)
    env.seed(seed)
    return env


def main():
    train_env, eval_env = make_env(1), make_env(2)
    model = PPO(
        "MlpPolicy", train_env, n_steps=200, batch_size=50, n_epochs=2, device="cpu", seed=1
    )
    model.learn(1200, callback=CurriculumCallback(eval_env, 300, 350.0))
    train_env.close()
    eval_env.close()


if __name__ == "__main__":
    main()
