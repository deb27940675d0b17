# mobile-env: REG006: the specification of an id cannot be written as JSON
import gymnasium
import mobile_env  # noqa: F401

try:
    gymnasium.make("mobile-small-central-v0", disable_env_checker=True).spec.to_json()
except TypeError as error:
    print(f"spec.to_json(): TypeError: {error}")
else:
    raise AssertionError("it can be written")
