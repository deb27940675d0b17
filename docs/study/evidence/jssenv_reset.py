# jssenv: API001: reset() takes no seed and no options, and returns no info
import gymnasium
import JSSEnv  # noqa: F401

env = gymnasium.make("jss-v1", disable_env_checker=True).unwrapped
errors = []
for arguments in ({"seed": 0}, {"options": {}}):
    try:
        env.reset(**arguments)
    except TypeError as error:
        errors.append(str(error))
result = env.reset()
print(*errors, f"reset() returns a {type(result).__name__}", sep="; ")
assert len(errors) == 2 and isinstance(result, dict)
