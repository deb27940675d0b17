# metaworld: DET001 REG006: reset() with one seed differs; the specification builds one TimeLimit more
import gymnasium
import metaworld  # noqa: F401

env = gymnasium.make("Meta-World/MT1", env_name="reach-v3")
firsts = {env.reset(seed=0)[0].tobytes() for _ in range(6)}
limits = [str(each).count("TimeLimit") for each in (env, gymnasium.make(env.spec))]
space = env.observation_space
print(f"{len(firsts)} first observations in six times reset(seed=0); TimeLimits: {limits}; equal bounds: {(space.low == space.high).any()}")
assert len(firsts) > 1 and limits[1] > limits[0]
