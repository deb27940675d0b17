"""A game engine: answers on a socket, and chats on its standard output."""

import socket
import sys

host = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
tick = 0
while True:
    order = host.recv(1)
    if not order or order == b"q":
        break
    tick += 1
    print(f"[engine] tick {tick}: order {order!r} accepted, all is in order".ljust(100), flush=True)
    host.sendall(b"%08d" % tick)
