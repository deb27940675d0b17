# gym-aloha: CLS019: close() does nothing: the EGL context stays until the object is gone
import os

os.environ["MUJOCO_GL"] = "egl"
import gymnasium  # noqa: E402
import gym_aloha  # noqa: E402, F401

env = gymnasium.make("gym_aloha/AlohaTransferCube-v0", disable_env_checker=True).unwrapped
env.reset(seed=0)
physics = env._env.physics
before = physics.contexts.gl._context
env.close()
after = physics.contexts.gl._context
print(f"the context before close(): {bool(before)}, after it the same one: {after is before}")
assert before and after is before
