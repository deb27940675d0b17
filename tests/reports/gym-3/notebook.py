"""The cells of a notebook, one after the other, as its kernel runs them."""

import sys

import numpy as np
from cartpole import CartPoleEnv

FIXED = "fixed" in sys.argv

# %% the first example
env = CartPoleEnv()
lengths = []
for i_episode in range(20):
    observation, _ = env.reset(seed=i_episode)
    for t in range(100):
        env.render()
        action = env.action_space.sample()
        observation, reward, done, truncated, info = env.step(action)
        if done:
            break
    lengths.append(t + 1)
if FIXED:
    env.close()

# %% what was played
print(f"episodes of {np.mean(lengths):.1f} steps")

# %% a fit, while the window is still there
generator = np.random.default_rng(1)
for repetition in range(40):
    sample = generator.normal(size=(2000, 60))
    fitted = np.linalg.lstsq(sample, generator.normal(size=2000), rcond=None)[0]
print(f"fitted {fitted[:3].round(3)}")
