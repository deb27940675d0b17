"""Policies are trained for some tasks, and a video of each is recorded."""

import sys
import tempfile
from pathlib import Path

import numpy as np
from recorder import VideoRecorder
from world import CausalWorld

FIXED = "fixed" in sys.argv


def record_video_of_policy(policy_fn, file_name, number_of_resets, max_time_steps):
    env = CausalWorld()
    recorder = VideoRecorder(env, f"{file_name}.mp4")
    for number in range(number_of_resets):
        obs, _ = env.reset(seed=number)
        recorder.capture_frame()
        for _ in range(max_time_steps):
            obs, _, _, _, _ = env.step(policy_fn(obs))
            recorder.capture_frame()
    if FIXED:
        recorder.close()
    env.close()


def policy_of(task):
    random = np.random.default_rng(task)
    return lambda obs: int(random.integers(4))


def is_playable(path):
    return path.exists() and path.read_bytes()[-8:-4] == b"moov"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for task in range(12):
            path = Path(folder) / f"task_{task}"
            record_video_of_policy(policy_of(task), path, number_of_resets=2, max_time_steps=60)
            state = "can be played" if is_playable(path.with_suffix(".mp4")) else "is broken"
            print(f"the video of task {task} {state}", flush=True)


if __name__ == "__main__":
    main()
