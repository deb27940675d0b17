# gym-xarm: API001: render() calls Gymnasium with an argument that it no longer takes
import gymnasium
import gym_xarm  # noqa: F401

env = gymnasium.make("gym_xarm/XarmLift-v0", render_mode="rgb_array", disable_env_checker=True)
env.reset(seed=0)
try:
    env.render()
except TypeError as error:
    print(f"render(): TypeError: {error}")
else:
    raise AssertionError("it can be rendered")
