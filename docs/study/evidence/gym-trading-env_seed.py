# gym-trading-env: DET001 REG006: reset() draws the position from numpy.random, and not from the seed; its specification cannot be written as JSON
import gymnasium
import gym_trading_env  # noqa: F401
import numpy as np
import pandas as pd

prices = 100 + 10 * np.sin(np.arange(200) / 9)
frame = pd.DataFrame({"open": prices, "high": prices, "low": prices, "close": prices})
frame["feature_close"] = frame["close"].pct_change()
frame.index = pd.date_range("2024-01-01", periods=200)
env = gymnasium.make("TradingEnv", df=frame.dropna(), positions=[-1, 0, 1], verbose=0)
firsts = {tuple(env.reset(seed=0)[0]) for _ in range(20)}
print(f"{len(firsts)} different first observations in twenty times reset(seed=0)")
assert len(firsts) > 1
try:
    env.spec.to_json()
except Exception as error:
    print(f"EnvSpec.to_json(): {type(error).__name__}")
else:
    raise AssertionError("it can be written")
