"""The same, where the workers are functions that get their own pipe alone."""

import train


def work(env_conn):
    env = train.Mario()
    while True:
        request, value = env_conn.recv()
        if request == "close":
            env.close()
            return
        env_conn.send(env.step(value) if request == "step" else env.reset(seed=value))


class MultipleEnvironments(train.MultipleEnvironments):
    def __init__(self, num_envs):
        context = train.CONTEXT
        self.agent_conns, env_conns = zip(*[context.Pipe() for _ in range(num_envs)])
        for env_conn in env_conns:
            process = context.Process(target=work, args=(env_conn,), daemon=True)
            process.start()
            env_conn.close()


if __name__ == "__main__":
    train.main(MultipleEnvironments)
