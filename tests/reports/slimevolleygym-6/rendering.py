"""Windows of a display server: each has a connection of its own."""

import socket


class Viewer:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.connection, self.server = socket.socketpair()

    def render(self, image):
        self.connection.sendall(image[::64].tobytes())
        self.server.recv(1 << 16)
        return image

    def close(self):
        self.connection.close()
        self.server.close()
