"""The process of an actor: it builds an object, calls its methods, and sends what they return."""

import os
import pickle
import sys
import traceback
from multiprocessing.connection import Client

from executor import RemoteError


def serve(address):
    with Client(address) as connection:
        instance = failure = None
        while True:
            try:
                name, arguments = pickle.loads(connection.recv_bytes())
            except EOFError:
                return
            try:
                if failure is not None:
                    raise failure
                if name == "__init__":
                    cls, *arguments = arguments
                    instance, answer = cls(*arguments), True
                else:
                    answer = getattr(instance, name)(*arguments)
            except Exception as error:
                failure = error if name == "__init__" else None
                answer = RemoteError(f"{name} (pid={os.getpid()})\n{traceback.format_exc()}")
            connection.send(answer)


if __name__ == "__main__":
    serve(sys.argv[1])
