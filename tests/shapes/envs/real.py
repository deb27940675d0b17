"""Environments of the real frameworks, each imported where it is asked for."""


def tictactoe():
    from pettingzoo.classic import tictactoe_v3

    return tictactoe_v3.env()


def rock():
    from pettingzoo.classic import rps_v2

    return rps_v2.parallel_env()


def cartpole():
    from dm_control import suite

    return suite.load("cartpole", "swingup", task_kwargs={"random": 0})


def native():
    import gymnasium

    return gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point")


def physics():
    import gymnasium

    return gymnasium.make_vec(
        "phys2d/CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point"
    )


def workers():
    import gymnasium

    return gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="async")


def pool():
    import envpool

    return envpool.make("CartPole-v1", env_type="gymnasium", num_envs=3)


def pool_of_timesteps():
    import envpool

    return envpool.make("CartPole-v1", env_type="dm", num_envs=3)


def guess():
    import gem

    return gem.make("game:GuessTheNumber-v0-easy")


def board():
    import textarena

    return textarena.make("TicTacToe-v0")


def archers():
    import pettingzoo

    return pettingzoo.make("parallel", "butterfly/knights_archers_zombies-v11")


def sums():
    import skyrl_gym

    return skyrl_gym.make("gsm8k", extras={"reward_spec": {"ground_truth": "72"}})


def echo():
    from openenv.core.env_server.interfaces import Environment

    class Echo(Environment):
        def reset(self, seed=None, episode_id=None, **others):
            return None

        def step(self, action, timeout_s=None, **others):
            return action.message

        @property
        def state(self):
            return None

    return Echo()
