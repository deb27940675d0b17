"""A script without a guard: each worker that is spawned imports it, and makes the workers again."""

from env import AsyncVectorEnv, Pole

envs = AsyncVectorEnv([Pole, Pole, Pole])
envs.reset()
for step in range(20000):
    envs.step([step % 2] * 3)
envs.close()
print("done")
