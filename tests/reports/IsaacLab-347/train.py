"""A recorder closes the environment that it records when its first video is complete."""

import os
import tempfile

import gymnasium
import numpy as np

INTERVAL, LENGTH, STEPS = 200, 60, 1000


class Simulation:
    """The stage, and what is on it."""

    def __init__(self, rng):
        self.angles = rng.uniform(-0.1, 0.1, 4).astype(np.float32)

    def advance(self, action):
        self.angles = np.clip(self.angles + np.float32(0.02) * action, -3.0, 3.0)


class RlTaskEnv(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(-3.0, 3.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.sim = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim = Simulation(self.np_random)
        self.steps = 0
        return self.sim.angles.copy(), {}

    def step(self, action):
        self.steps += 1
        self.sim.advance(action)
        reward = -float(np.abs(self.sim.angles).sum())
        return self.sim.angles.copy(), reward, False, self.steps % 300 == 0, {}

    def render(self):
        return np.full((24, 32, 3), int(128 + 40 * self.sim.angles[0]), np.uint8)

    def close(self):
        self.sim = None


class VideoRecorder:
    def __init__(self, env, path):
        self.env, self.path = env, path
        self.recorded_frames = []

    def capture_frame(self):
        self.recorded_frames.append(self.env.render())

    def close(self):
        self.env.close()
        np.save(self.path, np.stack(self.recorded_frames))


class RecordVideo(gymnasium.Wrapper):
    """Records the first steps of each interval."""

    def __init__(self, env, folder):
        super().__init__(env)
        self.folder = folder
        self.recorder = None
        self.step_id = 0

    def step(self, action):
        if self.step_id % INTERVAL == 0:
            path = os.path.join(self.folder, f"rl-video-step-{self.step_id}.npy")
            self.recorder = VideoRecorder(self.env, path)
        result = self.env.step(action)
        self.step_id += 1
        if self.recorder is not None:
            self.recorder.capture_frame()
            if len(self.recorder.recorded_frames) == LENGTH:
                self.recorder.close()
                self.recorder = None
                print(f"video at step {self.step_id}", flush=True)
        return result


def train(env, rng):
    env.reset(seed=0)
    for step in range(STEPS):
        action = rng.uniform(-1.0, 1.0, 4).astype(np.float32)
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
        if step % 100 == 0:
            print(f"step {step}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        env = RecordVideo(RlTaskEnv(render_mode="rgb_array"), folder)
        train(env, np.random.default_rng(0))
        env.close()


if __name__ == "__main__":
    main()
