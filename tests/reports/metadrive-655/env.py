"""The maps of all scenarios are kept, and with each one the two images that a renderer needs of it."""

import gymnasium
import numpy as np

SCENARIOS = 500
PIXELS = 64


class PGMap:
    """Roads of a scenario."""

    keeps_images = True

    def __init__(self, seed):
        self.lanes = np.random.default_rng(seed).uniform(0, PIXELS, 4).astype(np.float32)
        self.semantic_map = self.height_map = None

    def drawn(self, channel):
        image = np.zeros((PIXELS, PIXELS), np.float32)
        image[self.lanes.astype(int)] = channel
        return image

    def get_semantic_map(self):
        if self.semantic_map is None:
            image = self.drawn(1.0)
            if not self.keeps_images:
                return image
            self.semantic_map = image
        return self.semantic_map

    def get_height_map(self):
        if self.height_map is None:
            image = self.drawn(2.0)
            if not self.keeps_images:
                return image
            self.height_map = image
        return self.height_map


class CuredMap(PGMap):
    keeps_images = False


class SafeMetaDrive(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, PIXELS, (5,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    map_class = PGMap

    def __init__(self):
        self.maps = dict.fromkeys(range(SCENARIOS))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        scenario = int(self.np_random.integers(SCENARIOS))
        if self.maps[scenario] is None:
            self.maps[scenario] = self.map_class(scenario)
        self.map = self.maps[scenario]
        self.terrain = self.map.get_semantic_map() + self.map.get_height_map()
        self.at, self.steps = np.float32(0), 0
        return self.look(), {}

    def look(self):
        return np.append(self.map.lanes, self.at).astype(np.float32)

    def step(self, action):
        self.at = np.clip(self.at + np.float32(action[0]), 0, PIXELS - 1)
        self.steps += 1
        ground = float(self.terrain[int(self.at)].sum())
        return self.look(), ground, False, self.steps == 40, {}


class Cured(SafeMetaDrive):
    map_class = CuredMap
