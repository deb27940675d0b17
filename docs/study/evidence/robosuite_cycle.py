# robosuite: CLS013: a closed and dropped environment waits for the garbage collector
import gc
import weakref

import robosuite


def cycle():
    options = {"has_renderer": False, "has_offscreen_renderer": False, "use_camera_obs": False}
    env = robosuite.make("Lift", robots="Panda", **options)
    env.reset()
    env.close()
    return weakref.ref(env)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**30


cycle()
gc.collect()
gc.disable()
left = cycle()
alive, before = left() is not None, resident()
gc.collect()
print(f"alive without the collector: {alive}; it frees {before - resident():.2f} GiB")
assert alive and left() is None
