"""Published packages by the ids that they register, for an id that no installed package registers:
the pattern of the ids, the distribution to install, and the module that registers them.
"""

from __future__ import annotations

import re

PUBLISHED = (
    (r"(MiniGrid|BabyAI)-", "minigrid", "minigrid"),
    (r"MiniWorld-", "miniworld", "miniworld"),
    (r"(highway|racetrack|roundabout|parking|intersection|u-turn)-", "highway-env", "highway_env"),
    (
        (
            r"(Fetch(Reach|Push|Slide|PickAndPlace)|HandReach|HandManipulate|AdroitHand|AntMaze_"
            r"|PointMaze_|FrankaKitchen-)"
        ),
        "gymnasium-robotics",
        "gymnasium_robotics",
    ),
    (r"Panda(Reach|Push|Slide|PickAndPlace|Stack|Flip)", "panda-gym", "panda_gym"),
    (r"popgym-", "popgym", "popgym"),
    (r"mo-", "mo-gymnasium", "mo_gymnasium"),
    (r"FlappyBird-", "flappy-bird-gymnasium", "flappy_bird_gymnasium"),
    (r"\w+BulletEnv-", "pybullet-envs-gymnasium", "pybullet_envs_gymnasium"),
    (
        r"Safety(Point|Car|Doggo|Racecar|Ant|HalfCheetah|Hopper|Humanoid|Swimmer|Walker2d)[A-Z]",
        "safety-gymnasium",
        "safety_gymnasium",
    ),
    (r"tetris_gymnasium/", "tetris-gymnasium", "tetris_gymnasium.envs"),
)


def publisher(identifier: str) -> tuple[str, str] | None:
    """The distribution and the module of the package that registers an id, where that is known."""
    for pattern, distribution, module in PUBLISHED:
        if re.match(pattern, identifier):
            return distribution, module
    return None
