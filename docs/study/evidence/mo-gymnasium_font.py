# mo-gymnasium: CLS006: fruit-tree-v0 holds its font file open, also after close()
import os

import gymnasium
import mo_gymnasium  # noqa: F401


def fonts():
    links = ("/proc/self/fd/" + number for number in os.listdir("/proc/self/fd"))
    return sum(os.readlink(link).endswith(".ttf") for link in links if os.path.exists(link))


kept = []
for _ in range(3):
    kept.append(gymnasium.make("fruit-tree-v0", disable_env_checker=True))
    kept[-1].reset(seed=0)
    kept[-1].close()
closed = fonts()
kept.clear()
print(f"open font files of three closed instances: {closed}; once they are dropped: {fonts()}")
assert closed == 3
