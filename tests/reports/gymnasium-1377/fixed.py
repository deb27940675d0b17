"""The frames of each video are held by a clip that is closed when it is written."""

import gymnasium as gym
import numpy as np


class Clip:
    """A video: its function that makes frames is a method of its own."""

    def __init__(self, frames):
        self.frames = frames
        self.make_frame = self._frame

    def _frame(self, index):
        return self.frames[index]

    def write(self):
        return sum(int(self.make_frame(index)[0, 0, 0]) for index in range(len(self.frames)))

    def close(self):
        self.frames = self.make_frame = None


class RecordVideo(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.recorded_frames = []

    def _stop(self):
        if self.recorded_frames:
            clip = Clip(self.recorded_frames)
            clip.write()
            clip.close()
        self.recorded_frames = []

    def reset(self, **options):
        self._stop()
        return self.env.reset(**options)

    def step(self, action):
        self.recorded_frames.append(self.env.render())
        return self.env.step(action)

    def close(self):
        self._stop()
        super().close()


class Drawn(gym.Env):
    observation_space = gym.spaces.Box(0, 100, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)
    render_mode = "rgb_array"

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.count += 1
        return np.array([self.count], np.float32), 1.0, self.count == 50, False, {}

    def render(self):
        return np.full((400, 600, 3), self.count, np.uint8)


def make():
    return RecordVideo(Drawn())
