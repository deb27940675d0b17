"""A microgrid: a load, solar panels and a battery, along a series of hours."""

import gymnasium
import numpy as np

HOURS = 24
LOAD = [3.0 + 2.0 * float(np.sin(hour / 4)) for hour in range(HOURS)]
PV = [max(0.0, 4.0 * float(np.sin((hour - 6) / 4))) for hour in range(HOURS)]


class Microgrid:
    def __init__(self):
        self._tracking_timestep = 0
        self.battery_soc = 0.5
        self.done = False
        self.update_variables()

    def update_variables(self):
        self.load = LOAD[self._tracking_timestep]
        self.pv = PV[self._tracking_timestep]

    def get_updated_values(self):
        return {"load": self.load, "pv": self.pv, "battery_soc": self.battery_soc}

    def run(self, charge):
        """Play an hour, and return the values of the next one."""
        self.cost = max(0.0, self.load + charge - self.pv)
        self.battery_soc = min(max(self.battery_soc + 0.1 * charge, 0.0), 1.0)
        self._tracking_timestep += 1
        self.update_variables()
        if self._tracking_timestep == HOURS - 1:
            self.done = True
        return self.get_updated_values()

    def reset(self):
        self.battery_soc = 0.5
        self._tracking_timestep = 0
        self.done = False


class CuredMicrogrid(Microgrid):
    def reset(self):
        super().reset()
        self.update_variables()


class MicrogridEnv(gymnasium.Env):
    """The microgrid as an environment."""

    observation_space = gymnasium.spaces.Box(0.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    Grid = Microgrid

    def __init__(self):
        self.mg = self.Grid()

    def transition(self):
        return np.array(list(self.mg.get_updated_values().values()), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.mg.reset()
        return self.transition(), {}

    def step(self, action):
        self.mg.run(float(action[0]))
        return self.transition(), -self.mg.cost, self.mg.done, False, {}


class Cured(MicrogridEnv):
    Grid = CuredMicrogrid
