# rware: REG006: the specification cannot be written as JSON
import gymnasium
import rware  # noqa: F401

try:
    gymnasium.make("rware-tiny-2ag-v2", disable_env_checker=True).spec.to_json()
except Exception as error:
    print(f"EnvSpec.to_json(): {type(error).__name__}: {error}")
else:
    raise AssertionError("it can be written")
