"""The server accepts a connection for each job of a worker, and closes none."""

import multiprocessing as mp
import socket
import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


def work(port, number):
    env = gym.make("CartPole-v1")
    env.reset(seed=number)
    for _ in range(1500):
        server = socket.create_connection(("127.0.0.1", port))
        server.recv(8)
        for _ in range(100):
            if env.step(env.action_space.sample())[2]:
                env.reset()
        server.sendall(b"episode!")
        if FIXED:
            server.close()
        else:
            connections.append(server)
    env.close()


connections = []


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port = listener.getsockname()[1]
    workers = [mp.Process(target=work, args=(port, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(1500 * len(workers)):
        connection, _ = listener.accept()
        connection.sendall(b"model...")
        connection.recv(8)
        if FIXED:
            connection.close()
        else:
            connections.append(connection)
    for worker in workers:
        worker.join()
    listener.close()


if __name__ == "__main__":
    main()
