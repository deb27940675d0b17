# nle: LEK003: reset() keeps native memory
import ctypes
import gc

import gymnasium
import nle  # noqa: F401


class Info(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        ]
    ]


libc = ctypes.CDLL("libc.so.6")
libc.mallinfo2.restype = Info
env = gymnasium.make("NetHackScore-v0", disable_env_checker=True)


def used(resets, steps=0):
    for _ in range(resets):
        env.reset(seed=0)
        for _ in range(steps):
            if any(env.step(0)[2:4]):
                break
    gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd


used(200)
totals = [used(200) for _ in range(4)]
rates = [round((after - before) / 200) for before, after in zip(totals, totals[1:])]
print(f"bytes a reset, three times 200: {rates}")
assert min(rates) > 500
