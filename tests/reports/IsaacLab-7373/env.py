"""A subclass takes memory of the device before it calls the constructor that `__del__` relies on."""

import gymnasium
import numpy as np

DEVICES = {"cpu"}


def zeros(size, device):
    if device not in DEVICES:
        raise RuntimeError(f"invalid device: {device}")
    return np.zeros(size, np.float32)


class ManagerBasedEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self._is_closed = False
        self.state = np.zeros(3, np.float32)

    def __del__(self):
        if not self._is_closed:
            self.close()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode[:] = 0
        return self.state.copy(), {}

    def step(self, action):
        self.episode += 1
        return self.state.copy(), 0.0, False, bool(self.episode[0] == 20), {}

    def close(self):
        self._is_closed = True


class ManagerBasedRLEnv(ManagerBasedEnv):
    def __init__(self, device="cuda:7"):
        self.episode = zeros(1, device)
        super().__init__()


class Cured(ManagerBasedRLEnv):
    def __init__(self):
        super().__init__("cpu")

    def __del__(self):
        if not getattr(self, "_is_closed", True):
            self.close()
