# robosuite: API001 DET001 SFX004: observations have another type; the seed of reset() seeds numpy only
import os

os.environ["MUJOCO_GL"] = "egl"
import numpy  # noqa: E402
import robosuite  # noqa: E402
from robosuite.wrappers import GymWrapper  # noqa: E402


def make():
    options = {"has_renderer": False, "has_offscreen_renderer": False, "use_camera_obs": False}
    return GymWrapper(robosuite.make("Lift", robots="Panda", **options))


env, other = make(), make()
numpy.random.seed(5)
before = numpy.random.get_state()[1].tobytes()
first = env.reset(seed=1)[0]
reseeded = numpy.random.get_state()[1].tobytes()
second = other.reset(seed=1)[0]
print(
    f"{first.dtype}, declared {env.observation_space.dtype}; [0] {first[0]} and {second[0]} with one seed"
)
print(f"reset(seed=1) sets numpy's state: {before != reseeded}")
assert not env.observation_space.contains(first) and (first != second).any()
assert before != reseeded and reseeded == numpy.random.get_state()[1].tobytes()
