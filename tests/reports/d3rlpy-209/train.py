"""A task without an end: the evaluation plays one episode, and waits until it is over."""

import signal
import sys
import time

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
EPOCHS, TRIALS, LENGTH = 4, 2, 200

signal.alarm(300)  # a run that is left alone ends


class Conveyor(gymnasium.Env):
    """A robot that keeps a belt at its speed, as long as it is switched on."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1.0, 1.0, 3).astype(np.float32)
        return self.state.copy(), {}

    def step(self, action):
        time.sleep(0.0005)
        push = np.array([0.0, 0.1 * float(action[0]), 0.0], np.float32)
        noise = self.np_random.normal(0.0, 0.05, 3).astype(np.float32)
        self.state = np.clip(np.float32(0.98) * self.state + push + noise, -10.0, 10.0)
        return self.state.copy(), -float(abs(self.state[1])), False, False, {}


def recorded_episodes(rng, count):
    """Episodes that were recorded on the robot, all of one length."""
    for _ in range(count):
        observations = rng.normal(0.0, 1.0, (LENGTH, 3)).astype(np.float32)
        actions = np.clip(-observations[:, 1:2] + rng.normal(0.0, 0.1, (LENGTH, 1)), -1.0, 1.0)
        yield observations, actions.astype(np.float32)


class BC:
    def __init__(self):
        self.weights = np.zeros((3, 1), np.float32)

    def fit(self, episodes):
        observations = np.concatenate([observation for observation, _ in episodes])
        actions = np.concatenate([action for _, action in episodes])
        self.weights = np.linalg.lstsq(observations, actions, rcond=None)[0].astype(np.float32)

    def predict(self, observation):
        return np.clip(observation @ self.weights, -1.0, 1.0)


def evaluate_on_environment(env, n_trials):
    def scorer(algo):
        rewards = []
        for _ in range(n_trials):
            observation, _ = env.reset()
            episode_reward = 0.0
            while True:
                action = algo.predict(observation)
                observation, reward, terminated, truncated, _ = env.step(action)
                episode_reward += reward
                if terminated or truncated:
                    break
            rewards.append(episode_reward)
        return float(np.mean(rewards))

    return scorer


def main():
    rng = np.random.default_rng(0)
    env = Conveyor()
    if FIXED:
        env = gymnasium.wrappers.TimeLimit(env, LENGTH)
    scorer = evaluate_on_environment(env, TRIALS)
    algo = BC()
    for epoch in range(EPOCHS):
        algo.fit(list(recorded_episodes(rng, 20)))
        print(f"epoch {epoch}: fitted", flush=True)
        print(f"epoch {epoch}: environment {scorer(algo):.1f}", flush=True)
    env.close()


if __name__ == "__main__":
    main()
