# procgen: API013 DET001: seed() takes no number, and reset() gives other levels each time
import warnings

warnings.simplefilter("ignore")
import gym  # noqa: E402

firsts = set()
for _ in range(4):
    env = gym.make("procgen:procgen-coinrun-v0")
    try:
        env.unwrapped.seed(0)
    except TypeError as error:
        refused = str(error)
    else:
        raise AssertionError("it takes a seed")
    firsts.add(env.reset().tobytes())
print(
    f"seed(0): TypeError: {refused}; {len(firsts)} different first observations of four instances"
)
assert len(firsts) > 1
