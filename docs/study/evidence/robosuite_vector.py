# robosuite: VEC001 CLS015: GymWrapper has no metadata: SyncVectorEnv raises, and closes nothing
import os

os.environ["MUJOCO_GL"] = "egl"
import gymnasium  # noqa: E402
import robosuite  # noqa: E402
from robosuite.wrappers import GymWrapper  # noqa: E402

closed = []


class Counted(GymWrapper):
    def close(self):
        closed.append(self)
        super().close()


def make():
    options = {"has_renderer": False, "has_offscreen_renderer": False, "use_camera_obs": False}
    return Counted(robosuite.make("Lift", robots="Panda", **options))


try:
    gymnasium.vector.SyncVectorEnv([make, make])
except TypeError as error:
    print(f"metadata is {GymWrapper.metadata}: TypeError: {error}; closed: {len(closed)} of 2")
else:
    raise AssertionError("it starts")
assert not closed
