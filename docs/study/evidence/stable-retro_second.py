# stable-retro: MAK004: a second instance cannot be made while the first one lives
import stable_retro

first = stable_retro.make("Airstriker-Genesis-v0", render_mode="rgb_array")
try:
    stable_retro.make("Airstriker-Genesis-v0", render_mode="rgb_array")
except RuntimeError as error:
    print(f"RuntimeError: {error}")
else:
    raise AssertionError("two live in one process")
