"""Classes and methods of Stable-Baselines3 that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = (
    "stable_baselines3.common.vec_env.base_vec_env.VecEnvWrapper",
    "stable_baselines3.common.vec_env.dummy_vec_env.DummyVecEnv",
    "stable_baselines3.common.vec_env.subproc_vec_env.SubprocVecEnv",
)
#: Environments that step several at once, without instances of one: their classes by module.
NATIVE = {"stable_baselines3.common.vec_env.base_vec_env": ("VecEnv",)}
NATIVE_METHODS = {"reset": "reset", "step": "step_wait", "close": "close"}
VECTORIZERS = {
    "stable_baselines3.common.vec_env.dummy_vec_env": "sb3-dummy",
    "stable_baselines3.common.vec_env.subproc_vec_env": "sb3-subproc",
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {
    "stable_baselines3.common.vec_env.subproc_vec_env": ("SubprocVecEnv.step_wait",)
}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "stable_baselines3.common.vec_env.dummy_vec_env": ("DummyVecEnv.__init__",),
    "stable_baselines3.common.vec_env.subproc_vec_env": ("SubprocVecEnv.__init__",),
}
#: Methods by which a trainer sets something for its environments.
SETTINGS = {
    "stable_baselines3.common.vec_env.base_vec_env": ("VecEnv.set_options",),
    "stable_baselines3.common.vec_env.dummy_vec_env": ("DummyVecEnv.set_attr",),
    "stable_baselines3.common.vec_env.subproc_vec_env": ("SubprocVecEnv.set_attr",),
}
#: Vectorizers that normalize, by module, with the attributes by which they learn, scale rewards and
#: normalize observations, and the one that has the statistics of these.
NORMALIZERS = {
    "stable_baselines3.common.vec_env.vec_normalize": (
        ("VecNormalize", "training", "norm_reward", "norm_obs", "obs_rms"),
    )
}
#: Methods of policies, and of what normalizes for them, by module, with what they do.
POLICIES = {
    "stable_baselines3.common.base_class": (
        ("BaseAlgorithm.predict", "predicts"),
        ("BaseAlgorithm.save", "saves"),
    ),
    "stable_baselines3.dqn.dqn": (("DQN.predict", "predicts"),),
    "stable_baselines3.common.vec_env.vec_normalize": (
        ("VecNormalize.normalize_obs", "normalizes"),
    ),
}
#: The attribute of a policy that has the vectorizer which normalizes for it, that of this one which
#: says so, that of a policy with its steps, and what a script calls to normalize by hand. And
#: classes of wrappers that hand observations on as they are.
POLICY_NAMES = (
    *("_vec_normalize_env", "norm_obs", "num_timesteps", "normalize_obs"),
    *("Monitor", "TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics"),
    *("RecordVideo", "DummyVecEnv", "VecMonitor"),
)
#: The functions, by module, in which environments are played beside the training.
EVALUATIONS = {
    "stable_baselines3.common.callbacks": ("on_step", "on_rollout_end", "on_training_end"),
    "stable_baselines3.common.evaluation": ("evaluate_policy",),
    "sb3_contrib.common.maskable.evaluation": ("evaluate_policy",),
}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("stable_baselines3.", "sb3_contrib.")
