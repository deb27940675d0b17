# gym-anytrading: REG006: the specification of stocks-v0 cannot be written as JSON
import gym_anytrading  # noqa: F401
import gymnasium

spec = gymnasium.make("stocks-v0", disable_env_checker=True).spec
try:
    spec.to_json()
except Exception as error:
    print(f"EnvSpec.to_json(): {type(error).__name__}: {str(error)[:70]}")
else:
    raise AssertionError("it can be written")
