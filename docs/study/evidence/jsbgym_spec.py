# jsbgym: REG006: the specification of an id cannot be written as JSON
import gymnasium
import jsbgym  # noqa: F401

NAME = "C172-HeadingControlTask-Shaping.STANDARD-NoFG-v0"
try:
    gymnasium.make(NAME, disable_env_checker=True).spec.to_json()
except TypeError as error:
    print(f"spec.to_json(): TypeError: {error}")
else:
    raise AssertionError("it can be written")
