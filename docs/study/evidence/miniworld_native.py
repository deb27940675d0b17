# miniworld: LEK003 CLS019: each closed and dropped instance keeps memory; close() leaves its window
import ctypes
import gc

import gymnasium
import pyglet

pyglet.options["headless"] = True
import miniworld  # noqa: E402, F401


class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


libc = ctypes.CDLL("libc.so.6")
libc.mallinfo2.restype = Info


def used(instances):
    for _ in range(instances):
        env = gymnasium.make("MiniWorld-OneRoom-v0")
        env.reset(seed=0)
        env.close()
        windows = len(pyglet.app.windows)
        del env
        gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd, windows


used(3)
totals = [used(4) for _ in range(4)]
rates = [round((after[0] - before[0]) / 4 / 2**20, 1) for before, after in zip(totals, totals[1:])]
print(f"MiB an instance, three times four: {rates}; windows after close(): {totals[-1][1]}")
assert min(rates) > 10 and totals[-1][1] >= 1
