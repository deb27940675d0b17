# crafter: SFX004: the constructor draws from numpy's global generator
import crafter
import numpy

numpy.random.seed(0)
expected = [numpy.random.random() for _ in range(2)]
numpy.random.seed(0)
crafter.Env()
drawn = numpy.random.random()
print(f"the next number is {drawn:.6f}, without the constructor {expected[0]:.6f}")
assert drawn != expected[0]
