"""Keys of infos that are there in some steps only, or with some versions, and what sets them."""

from __future__ import annotations

ENDS = "where an episode has ended"
SAME_STEP = "with autoreset_mode=AutoresetMode.SAME_STEP only"

#: When a key is there, by its name.
INFO_KEYS = {
    "episode": f"RecordEpisodeStatistics, or Monitor, sets it {ENDS}",
    "final_info": f"since Gymnasium 1.0, vectorizers set it {ENDS}, and {SAME_STEP}",
    "final_obs": f"vectorizers of Gymnasium set it {ENDS}, and {SAME_STEP}",
    "final_observation": (
        f"since Gymnasium 1.0 it is called final_obs; vectorizers set that {ENDS}, and {SAME_STEP}"
    ),
    "terminal_observation": f"vectorizers of Stable-Baselines3 set it {ENDS}",
    "TimeLimit.truncated": "since Gym 0.26, step() returns truncated in its place",
}
