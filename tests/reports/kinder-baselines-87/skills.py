"""Skills of a robot: each execution grounds a controller, which plans in a simulator."""

import sys

import gymnasium
import numpy as np
from sim import CLIENTS, CuredSim, PyBulletSim

Sim = CuredSim if "fixed" in sys.argv else PyBulletSim


class Tossing3D(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.arm = self.np_random.uniform(-1.0, 1.0, 3)
        return self.arm.astype(np.float32), {}

    def step(self, action):
        self.arm = (self.arm + np.asarray(action)).clip(-10, 10)
        return self.arm.astype(np.float32), 0.0, False, False, {}


class MoveArmToConfController:
    def __init__(self, target):
        self._target = np.array(target)
        self._pybullet_sim = None
        self._plan = []

    def reset(self, state):
        if self._pybullet_sim is None:
            self._pybullet_sim = Sim(state)
        self._pybullet_sim.set_state(state)
        self._plan = list(self._pybullet_sim.plan(self._target))

    def terminated(self):
        return not self._plan

    def step(self, state):
        return np.clip(self._plan.pop(0) - state, -1.0, 1.0).astype(np.float32)


class LiftedController:
    def ground(self, target):
        return MoveArmToConfController(target)


def execute(env, obs, lifted, target):
    controller = lifted.ground(target)
    controller.reset(obs)
    while not controller.terminated():
        obs, _, _, _, _ = env.step(controller.step(obs))
    return obs


def main():
    env, lifted = Tossing3D(), LiftedController()
    generator = np.random.default_rng(4)
    for episode in range(20):
        obs, _ = env.reset(seed=episode)
        for _ in range(3):
            obs = execute(env, obs, lifted, generator.uniform(-1.0, 1.0, 3))
    print(f"{len(CLIENTS)} clients, at {obs}")
    env.close()


if __name__ == "__main__":
    main()
