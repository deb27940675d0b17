# bluesky-gym: API001: step() raises with the versions that pip installs
import bluesky_gym
import gymnasium

bluesky_gym.register_envs()
env = gymnasium.make("DescentEnv-v0", disable_env_checker=True)
env.reset(seed=0)
try:
    env.step(env.action_space.sample())
except Exception as error:
    print(f"step(): {type(error).__name__}: {error}")
else:
    raise AssertionError("it can be stepped")
