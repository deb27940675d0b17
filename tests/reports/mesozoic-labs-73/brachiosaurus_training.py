"""Trains a walker on normalized observations, and evaluates what was learned."""

import sys
import tempfile

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

FIXED = "fixed" in sys.argv


class Brachiosaurus(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-500.0, 500.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed, self.steps = self.np_random.uniform(90.0, 110.0), 0.0, 0
        return self.look(), {}

    def look(self):
        return np.array([self.height, self.speed, self.steps], np.float32)

    def step(self, action):
        self.speed += float(action[0]) - 0.01 * (self.height - 100.0)
        self.height = min(max(self.height + self.speed, 0.0), 200.0)
        self.steps += 1
        info = {"forward_vel": self.speed}
        return self.look(), 10.0 - abs(self.height - 100.0), False, self.steps == 40, info


def train(folder):
    train_env = VecNormalize(DummyVecEnv([Brachiosaurus] * 2), norm_obs=True, norm_reward=True)
    model = PPO(
        "MlpPolicy", train_env, n_steps=200, batch_size=50, n_epochs=2, device="cpu", seed=1
    )
    model.learn(2000)
    model.save(f"{folder}/stage3_model")
    train_env.save(f"{folder}/stage3_vecnorm.pkl")
    train_env.close()


def evaluate_with_forward_vel(model, vecnorm_path=None, num_episodes=5):
    eval_env = Brachiosaurus()
    vecnorm = None
    if vecnorm_path is not None:
        vecnorm = VecNormalize.load(vecnorm_path, DummyVecEnv([Brachiosaurus]))
        vecnorm.training = False
    rewards, velocities = [], []
    for episode in range(num_episodes):
        obs, _ = eval_env.reset(seed=episode)
        total, done = 0.0, False
        while not done:
            if vecnorm is not None:
                obs = vecnorm.normalize_obs(obs)
            action, _ = model.predict(obs, deterministic=True)
            obs, reward, terminated, truncated, info = eval_env.step(action)
            total += reward
            velocities.append(info["forward_vel"])
            done = terminated or truncated
        rewards.append(total)
    if vecnorm is not None:
        vecnorm.close()
    eval_env.close()
    return np.mean(rewards), np.mean(velocities)


def main():
    with tempfile.TemporaryDirectory() as folder:
        train(folder)
        model = PPO.load(f"{folder}/stage3_model", device="cpu")
        path = f"{folder}/stage3_vecnorm.pkl" if FIXED else None
        reward, velocity = evaluate_with_forward_vel(model, path)
    print(f"reward {reward:.1f}, forward velocity {velocity:.2f}")


if __name__ == "__main__":
    main()
