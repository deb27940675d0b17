"""robosuite's Lift in the API of Gymnasium, without a display."""

import os

os.environ["MUJOCO_GL"] = "egl"

import robosuite  # noqa: E402
from robosuite.wrappers import GymWrapper  # noqa: E402


def lift():
    task = robosuite.make(
        "Lift",
        robots="Panda",
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
    )
    return GymWrapper(task)
