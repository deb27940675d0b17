# flappy-bird-gymnasium: API001: observations of FlappyBird-v0 lie outside its observation space
import flappy_bird_gymnasium  # noqa: F401
import gymnasium

env = gymnasium.make("FlappyBird-v0", disable_env_checker=True).unwrapped
observations = [env.reset(seed=seed)[0] for seed in range(20)]
space = env.observation_space
outside = [observation for observation in observations if not space.contains(observation)]
print(f"{len(outside)} of 20 first observations, values from {min(map(min, outside)):.6f} to {max(map(max, outside)):.6f}; {space}")
assert outside
