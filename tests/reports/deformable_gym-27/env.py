"""A falling box in PyBullet: connected once for each instance, but no call says to which server it goes."""

import gymnasium
import numpy as np
import pybullet


class Box(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.client = pybullet.connect(pybullet.DIRECT)

    def _args(self):
        return {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        args = self._args()
        pybullet.resetSimulation(**args)
        pybullet.setGravity(0.0, 0.0, -9.8, **args)
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[0.1] * 3, **args)
        start = [0.0, 0.0, 2.0 + self.np_random.random()]
        self.box = pybullet.createMultiBody(1.0, shape, basePosition=start, **args)
        self.steps = 0
        return self._seen(), {}

    def step(self, action):
        args = self._args()
        pybullet.applyExternalForce(
            self.box, -1, [5.0 * action, 0.0, 0.0], [0.0] * 3, pybullet.LINK_FRAME, **args
        )
        pybullet.stepSimulation(**args)
        self.steps += 1
        return self._seen(), 0.0, self.steps == 50, False, {}

    def _seen(self):
        position, _ = pybullet.getBasePositionAndOrientation(self.box, **self._args())
        return np.array(position, dtype=np.float32)

    def close(self):
        if self.client is not None:
            pybullet.disconnect(self.client)
            self.client = None
