"""A graph of operations, and a session that runs them: it prepares those that are new to it."""

import numpy as np


class Operation:
    def __init__(self, kind, target, value):
        self.kind, self.target, self.value = kind, target, value
        self.name = f"{kind}_{len(operations)}"
        self.attributes = {"use_locking": True, "validate_shape": True, "shape": value.array.shape}
        self.node_def = repr((self.name, kind, self.attributes, id(target), id(value))).encode()
        operations.append(self)


class Variable:
    def __init__(self, array):
        self.array = array


operations = []


def assign(target, value):
    return Operation("Assign", target, value)


class Session:
    def __init__(self):
        self.prepared = 0

    def run(self, fetches):
        if self.prepared < len(operations):
            names = {operation.name for operation in operations}
            assert len(names) == len(operations)
            self.prepared = len(operations)
        for operation in fetches:
            operation.target.array = np.array(operation.value.array)
