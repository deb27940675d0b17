# nle: LEK003: each step() keeps native memory until the end of the process
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
rates = []
for _ in range(3):
    before = used(200)
    short = used(200) - before
    rates.append(round((used(200, 20) - before - 2 * short) / (200 * 20), 1))
print(f"bytes a step beside those of reset(), three times 4000: {rates}")
assert min(rates) > 1
