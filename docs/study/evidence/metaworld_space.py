# metaworld: API001: observations of MT1 lie outside its observation space
import gymnasium
import metaworld  # noqa: F401

env = gymnasium.make("Meta-World/MT1", env_name="reach-v3", disable_env_checker=True)
space = env.observation_space
observations = [env.reset(seed=seed)[0] for seed in range(5)]
outside = {
    int(at)
    for each in observations
    for at in ((each < space.low) | (each > space.high)).nonzero()[0]
}
print(
    f"{sum(not space.contains(each) for each in observations)} of 5 first observations, at {sorted(outside)}"
)
assert outside
