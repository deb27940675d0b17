"""What a checker of a framework does with the hostile environment: `python comparison.py
gymnasium|stable_baselines3`.
"""

from __future__ import annotations

import sys
import warnings

warnings.simplefilter("ignore")

from hostile import Hostile  # noqa: E402

if sys.argv[1] == "gymnasium":
    from gymnasium.utils.env_checker import check_env
else:
    from stable_baselines3.common.env_checker import check_env

environment = Hostile()
check_env(environment)
environment.close()
del environment
