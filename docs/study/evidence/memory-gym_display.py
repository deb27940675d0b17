# memory-gym: MAK005: close() of one instance ends pygame for all others of the process
import gymnasium
import memory_gym  # noqa: F401
import pygame

first, second = (gymnasium.make("MortarMayhem-Grid-v0", disable_env_checker=True) for _ in "ab")
first.reset(seed=0), second.reset(seed=0)
first.close()
try:
    second.step(second.action_space.sample())
except pygame.error as error:
    print(f"step() of the other one: pygame.error: {error}")
else:
    raise AssertionError("it goes on")
