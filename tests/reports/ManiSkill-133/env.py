"""Each reset() gives the scene another sky: the renderer keeps the textures of all that it has loaded."""

import ctypes

import gymnasium
import numpy as np

C = ctypes.CDLL(None)
C.malloc.restype = ctypes.c_void_p
C.malloc.argtypes = [ctypes.c_size_t]
C.free.argtypes = [ctypes.c_void_p]
TEXTURE = 40_000  # bytes, less than malloc gets from mmap()


class Renderer:
    """In native code, with a chain of what it has loaded."""

    def __init__(self):
        self.last = None

    def load(self, color):
        texture = C.malloc(TEXTURE)
        ctypes.memset(texture, color, TEXTURE)
        ctypes.c_void_p.from_address(texture).value = self.last
        self.last = texture
        return texture

    def clear_cached_resources(self):
        while self.last:
            texture, self.last = self.last, ctypes.c_void_p.from_address(self.last).value
            C.free(texture)


class Scene:
    def __init__(self, renderer):
        self.renderer = renderer

    def set_environment_map_from_files(self, colors):
        self.sky = [self.renderer.load(color) for color in colors]


class Manipulation(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 255.0, (8,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        self.renderer = Renderer()
        self.scene = Scene(self.renderer)

    def choose_sky(self):
        colors = self.np_random.integers(0, 256, 6)
        self.scene.set_environment_map_from_files(colors.tolist())
        return colors

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seen = np.append(self.choose_sky(), [128, 128]).astype(np.float32)
        self.steps = 0
        return self.seen.copy(), {}

    def step(self, action):
        self.steps += 1
        self.seen[6:] = (self.seen[6:] + np.asarray(action, np.float32)).clip(0, 255)
        return self.seen.copy(), -float(abs(self.seen[6] - 200)), False, self.steps == 50, {}

    def close(self):
        self.renderer.clear_cached_resources()


class Cured(Manipulation):
    def choose_sky(self):
        self.renderer.clear_cached_resources()
        return super().choose_sky()
