# safety-gymnasium: API001 SFX004: step() returns six values, reset(seed=...) leaves np_random, the constructor draws from numpy.random
import numpy
import safety_gymnasium

numpy.random.seed(0)
expected = numpy.random.random()
numpy.random.seed(0)
env = safety_gymnasium.make("SafetyPointGoal1-v0").unwrapped
drawn = numpy.random.random()
env.reset(seed=7)
values = len(env.step(env.action_space.sample()))
print(
    f"step() returns {values} values; _np_random is {env._np_random}; the next number is {drawn:.6f} instead of {expected:.6f}"
)
assert values == 6 and env._np_random is None and drawn != expected
