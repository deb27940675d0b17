# gem-llm: SFX004: the constructor draws from Python's global random generator
import random

import gem

gem.make("game:GuessTheNumber-v0-easy")
random.seed(3)
before = random.getstate()
gem.make("game:GuessTheNumber-v0-easy")
print(f"random's state is another one afterwards: {random.getstate() != before}")
assert random.getstate() != before
