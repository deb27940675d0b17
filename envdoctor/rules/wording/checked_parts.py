"""Parts of the contract that the checkers of frameworks look at, and what to change in each."""

from __future__ import annotations

from envdoctor.frameworks import DEFAULT

#: By a word in the part's name, first match: what the part is about, the method to look at, and
#: what to change.
PARTS = (
    (
        "wrapped_reset",
        "wrapper",
        "reset",
        (
            "give the wrapper an observation_space that holds what it returns, with its shape,"
            " dtype and bounds."
        ),
    ),
    (
        "reset_seed",
        "seed of reset()",
        "reset",
        "call super().reset(seed=seed) first and draw every random number from self.np_random.",
    ),
    (
        "reset_options",
        "options of reset()",
        "reset",
        "let reset() take the keyword argument options=None, and work with an empty dict as well.",
    ),
    (
        "step_determinism",
        "determinism of step()",
        "step",
        "draw every random number from self.np_random, and restart all state in reset().",
    ),
    (
        "reset",
        "reset()",
        "reset",
        (
            "return (observation, info) from reset(), the observation inside observation_space and"
            " info a dict."
        ),
    ),
    (
        "step",
        "step()",
        "step",
        (
            "return (observation, reward, terminated, truncated, info) from step(), the observation"
            " inside observation_space."
        ),
    ),
    (
        "render",
        "render()",
        "render",
        (
            'list what render() supports in metadata["render_modes"] and return what the mode'
            " promises."
        ),
    ),
    ("seed", "seed", "reset", f"remove seed(); {DEFAULT.title} passes the seed to reset()."),
    (
        "action",
        "action space",
        "__init__",
        "declare action_space with bounds, shape and dtype that the actions really have.",
    ),
    (
        "observation",
        "observation space",
        "__init__",
        "declare observation_space with bounds, shape and dtype that the observations really have.",
    ),
    (
        "space",
        "spaces",
        "__init__",
        "declare spaces with bounds, shape and dtype that the values really have.",
    ),
    ("close", "close()", "close", "let close() be called at any time, also twice."),
)
UNKNOWN_PART = ("__init__", "change what the message says.")
