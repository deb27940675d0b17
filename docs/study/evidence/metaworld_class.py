# metaworld: API001 SFX004: bounds that are equal, a method seed(), a constructor that draws from numpy.random
import gymnasium
import metaworld  # noqa: F401
import numpy

numpy.random.seed(0)
expected = numpy.random.random()
numpy.random.seed(0)
env = gymnasium.make("Meta-World/MT1", env_name="reach-v3").unwrapped
drawn = numpy.random.random()
space = env.observation_space
equal = int((space.low == space.high).sum())
print(f"{equal} equal bounds; seed() {callable(env.seed)}; the next number is {drawn:.6f} instead of {expected:.6f}")
assert equal and callable(env.seed) and drawn != expected
