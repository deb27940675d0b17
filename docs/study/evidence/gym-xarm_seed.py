# gym-xarm: DET001: the same seed gives first observations that differ in their last digits
import gymnasium
import gym_xarm  # noqa: F401

firsts = {}
for _ in range(8):
    env = gymnasium.make("gym_xarm/XarmLift-v0", disable_env_checker=True)
    first = env.reset(seed=0)[0]
    firsts.setdefault(first.tobytes(), first)
values = [repr(float(first[3])) for first in firsts.values()]
print(f"{len(firsts)} different first observations of 8 instances, [3] is {', '.join(values)}")
assert len(firsts) > 1
