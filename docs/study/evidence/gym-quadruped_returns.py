# gym-quadruped: API001 SFX004: reset() returns no info, values of another type, and seeds numpy
import numpy
from gym_quadruped.quadruped_env import QuadrupedEnv

env = QuadrupedEnv(robot="mini_cheetah", scene="flat", state_obs_names=("qpos", "qvel"))
numpy.random.seed(5)
before = numpy.random.get_state()[1].tobytes()
first = env.reset(seed=1)
reseeded = numpy.random.get_state()[1].tobytes()
env.reset(seed=1)
again = numpy.random.get_state()[1].tobytes()
space, observation = env.observation_space, env.step(env.action_space.sample())[0]
types = {name: (str(value.dtype), str(space[name].dtype)) for name, value in observation.items()}
equal = [name for name, part in space.spaces.items() if (part.low == part.high).any()]
print(
    f"reset() returns a {type(first).__name__}; observed and declared: {types}; equal bounds: {equal}"
)
print(f"numpy's state is set by the seed: {before != reseeded and reseeded == again}")
assert isinstance(first, dict) and not space.contains(observation)
assert before != reseeded and reseeded == again
