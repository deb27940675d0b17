"""gym-trading-env on two hundred days of made prices."""

import gymnasium
import gym_trading_env  # noqa: F401
import numpy as np
import pandas as pd


def make():
    days = np.arange(200)
    prices = 100 + 10 * np.sin(days / 9)
    frame = pd.DataFrame(
        {"open": prices, "high": prices + 1, "low": prices - 1, "close": prices, "volume": 1.0 + days},
        index=pd.date_range("2024-01-01", periods=200, freq="D"),
    )
    frame["feature_close"] = frame["close"].pct_change()
    return gymnasium.make("TradingEnv", df=frame.dropna(), positions=[-1, 0, 1], verbose=0)
