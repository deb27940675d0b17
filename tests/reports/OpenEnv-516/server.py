"""A server that makes an environment in its main thread and steps it in threads of a pool."""

import sys
from concurrent.futures import ThreadPoolExecutor

from env import Cured, Page

env = (Cured if "fixed" in sys.argv else Page)()
env.reset(seed=0)
with ThreadPoolExecutor(2) as pool:
    for _ in range(8):
        pool.submit(env.step, 0).result()
env.close()
