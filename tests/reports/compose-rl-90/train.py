"""Rewards are computed in a pool. What takes too long is given up, and computed on in its worker."""

import multiprocessing
import random
import sys
import time

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
EPISODES = 60
DEFAULT_REWARD = 0.0


def digits(expression):
    """The number that an expression such as 9^9^9 stands for, digit by digit."""
    *powers, last = map(int, expression.split("^"))
    terms = []
    for base in powers:
        last = base**last if last < 100 else 1 << 60
    while last:
        terms.append(bytes(1000 + last % 10))
        last //= 10 if last < 1 << 50 else 1  # it is never done
        if len(terms) % 100 == 0:
            time.sleep(0.005)
    return len(terms)


def verify(expression, truth):
    return float(digits(expression) == digits(truth))


class RewardManager:
    """Computes rewards in processes, each within its time limit."""

    def __init__(self):
        self.pool = multiprocessing.Pool(3)

    def reward(self, expression, truth):
        try:
            return self.pool.apply_async(verify, (expression, truth)).get(timeout=0.5)
        except multiprocessing.TimeoutError:
            if FIXED:
                self.close()
                self.pool = multiprocessing.Pool(3)
            return DEFAULT_REWARD

    def close(self):
        self.pool.terminate()
        self.pool.join()


class Questions(gymnasium.Env):
    """One question for each episode."""

    observation_space = gymnasium.spaces.Box(0.0, 99.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.question = self.np_random.integers(2, 50, 2).astype(np.float32)
        return self.question.copy(), {}

    def step(self, action):
        return self.question.copy(), float(action == self.question.sum()), True, False, {}


def main():
    rng = random.Random(0)
    rewards = RewardManager()
    env = Questions()
    total = 0.0
    for episode in range(EPISODES):
        question, _ = env.reset(seed=episode)
        time.sleep(0.15)  # the model answers
        answer = int(question.sum())
        env.step(answer)
        expression = "9^9^9" if episode in (8, 21) else str(rng.randrange(10, 99))
        total += rewards.reward(expression, str(answer))
        if episode % 20 == 19:
            print(f"episode {episode + 1}: {total / (episode + 1):.2f}", flush=True)
    env.close()
    rewards.close()


if __name__ == "__main__":
    main()
