# envpool: CLS007: close() leaves the threads of the pool until the object is dropped
import gc
import os

import envpool


def threads():
    return len(os.listdir("/proc/self/task"))


envpool.make("CartPole-v1", env_type="gymnasium")
gc.collect()
before = threads()
env = envpool.make("CartPole-v1", env_type="gymnasium")
env.reset()
env.close()
closed = threads() - before
del env
gc.collect()
print(f"threads after close(): {closed} more; after del: {threads() - before} more")
assert closed > 0 and threads() == before
