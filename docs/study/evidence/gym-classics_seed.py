# gym-classics: DET002: step() does not obey the seed of reset()
import gym_classics
import gymnasium

gym_classics.register("gymnasium")
results = set()
for _ in range(8):
    env = gymnasium.make("JacksCarRental-v0", disable_env_checker=True)
    env.reset(seed=0)
    results.add(tuple(int(env.step(3)[0]) for _ in range(3)))
print(f"{len(results)} different triples of observations in eight instances with seed 0")
assert len(results) > 1
