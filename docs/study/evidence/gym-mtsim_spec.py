# gym-mtsim: REG006: the specification of an id cannot be written as JSON
import gymnasium
import gym_mtsim  # noqa: F401

try:
    gymnasium.make("forex-hedge-v0", disable_env_checker=True).spec.to_json()
except TypeError as error:
    print(f"spec.to_json(): TypeError: {error}")
else:
    raise AssertionError("it can be written")
