# mpe2: CLS006: close() leaves the font file open until the object goes
import gc
import os

from mpe2 import simple_spread_v3


def fonts():
    links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return sum(os.readlink(link).endswith(".ttf") for link in links if os.path.islink(link))


env = simple_spread_v3.parallel_env()
env.reset(seed=0)
env.close()
closed = fonts()
del env
gc.collect()
print(f"open font files after close(): {closed}, after the last reference: {fonts()}")
assert closed == 1 and fonts() == 0
