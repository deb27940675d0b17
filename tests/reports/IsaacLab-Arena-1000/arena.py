"""A recorder keeps all frames of the cameras until the episode has ended, and encodes them then."""

import tempfile
import zlib
from pathlib import Path

import gymnasium
import numpy as np

HEIGHT, WIDTH = 48, 64
CAMERAS = ("wrist_cam", "external_cam")
IMAGE = gymnasium.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)


class CannedFood(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {
            "camera_obs": gymnasium.spaces.Dict(dict.fromkeys(CAMERAS, IMAGE)),
            "policy": gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32),
        }
    )
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.gripper = self.np_random.uniform(-0.5, 0.5, 2).astype(np.float32)
        self.steps = 0
        return self.look(), {}

    def look(self):
        images = {}
        for number, name in enumerate(CAMERAS):
            images[name] = np.full((HEIGHT, WIDTH, 3), 40 * number, np.uint8)
            row, column = ((self.gripper + 1) / 2 * (HEIGHT - 8)).astype(int)
            images[name][row : row + 8, column : column + 8] = 255
        return {"camera_obs": images, "policy": self.gripper.copy()}

    def step(self, action):
        self.gripper = np.clip(self.gripper + 0.05 * action, -1, 1).astype(np.float32)
        self.steps += 1
        reward = -float(np.abs(self.gripper).sum())
        return self.look(), reward, False, self.steps == 1000, {}


class CameraObsVideoRecorder(gymnasium.Wrapper):
    """Writes a file for each camera and episode."""

    def __init__(self, env):
        super().__init__(env)
        self.folder = tempfile.TemporaryDirectory()
        self.episode_frames = {}
        self.episode = 0

    def step(self, action):
        result = self.env.step(action)
        observation, _, terminated, truncated, _ = result
        for name, frame in observation["camera_obs"].items():
            self.add(name, frame)
        if terminated or truncated:
            self.flush()
        return result

    def add(self, name, frame):
        self.episode_frames.setdefault(name, []).append(frame.copy())

    def path(self, name):
        return Path(self.folder.name) / f"robot-cam-{name}-episode-{self.episode % 2}.z"

    def flush(self):
        for name, frames in self.episode_frames.items():
            self.path(name).write_bytes(zlib.compress(b"".join(map(bytes, frames)), 1))
        self.episode_frames = {}
        self.episode += 1

    def close(self):
        self.episode_frames = {}
        self.folder.cleanup()
        super().close()


class StreamingRecorder(CameraObsVideoRecorder):
    """Encodes each frame as it comes."""

    def add(self, name, frame):
        if name not in self.episode_frames:
            file = self.path(name).open("wb")
            self.episode_frames[name] = file, zlib.compressobj(1)
        file, encoder = self.episode_frames[name]
        file.write(encoder.compress(frame.tobytes()))

    def flush(self):
        for file, encoder in self.episode_frames.values():
            file.write(encoder.flush())
            file.close()
        self.episode_frames = {}
        self.episode += 1

    def reset(self, **keywords):
        self.flush()
        return super().reset(**keywords)

    def close(self):
        self.flush()
        super().close()


def recorded():
    return CameraObsVideoRecorder(CannedFood())


def cured():
    return StreamingRecorder(CannedFood())
