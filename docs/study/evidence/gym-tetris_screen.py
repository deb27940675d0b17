# gym-tetris: API011 CLS003: step() returns one array again and again; a second close() raises
import warnings

warnings.simplefilter("ignore")
import gym_tetris  # noqa: E402

env = gym_tetris.make("TetrisA-v0")
env.reset()
first = env.step(0)[0]
copy, changed = first.copy(), False
for number in range(200):
    later = env.step(number % 7)[0]
    changed = changed or (first != copy).any()
env.close()
try:
    env.close()
except ValueError as error:
    print(f"the same array: {first is later}, changed: {changed}; second close(): {error}")
else:
    raise AssertionError("it can be closed twice")
assert first is later and changed
