"""A game of intrusion detection."""

from gymnasium.envs.registration import register

for name in ("random_attack", "maximal_attack", "minimal_defense"):
    register(
        id=f"idsgame-{name}-v3",
        entry_point="gym_idsgame.envs:IdsGameEnv",
        kwargs={"opponent": name},
    )
