# gym-super-mario-bros: API011 CLS003 API001: step() returns one array again and again, a second close() raises, seed() is a method
import gym_super_mario_bros  # noqa: F401
import gymnasium

env = gymnasium.make("SuperMarioBros-v0", disable_env_checker=True).unwrapped
env.reset(seed=0)
first = env.step(0)[0]
kept = first.copy()
for _ in range(60):
    last = env.step(3)[0]
env.close()
try:
    env.close()
except ValueError as error:
    print(
        f"the same array: {last is first}, changed: {(first != kept).any()}; second close(): {error}"
    )
else:
    raise AssertionError("it can be closed again")
assert (first != kept).any() and callable(env.seed)
