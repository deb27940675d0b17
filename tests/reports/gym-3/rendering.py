"""Windows of a display server: each has a connection of its own."""

import socket


class Viewer:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.connection, self.server = socket.socketpair()

    def render(self, position, angle):
        self.connection.sendall(f"{position:.3f} {angle:.3f}\n".encode())
        self.server.recv(1 << 12)

    def close(self):
        self.connection.close()
        self.server.close()
