# grid2op: LEK011: a closed environment waits for the garbage collector
import gc
import weakref

import grid2op
from grid2op.gym_compat import GymEnv


def cycle():
    env = GymEnv(grid2op.make("rte_case5_example", test=True))
    env.reset(seed=0)
    env.step(env.action_space.sample())
    inner = weakref.ref(env.init_env)
    env.close()
    return inner


cycle()
gc.collect()
gc.disable()
left = [cycle() for _ in range(3)]
alive = sum(ref() is not None for ref in left)
freed = gc.collect()
print(f"{alive} of 3 dropped environments alive without the collector; it frees {freed} objects")
assert freed > 1000
