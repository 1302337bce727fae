"""Connects a program of podtrack's protocol to the process that serves it: bytes from stdin go to a
socket, and those from the socket to stdout. It is executed as a file and imports no other module."""

import os
import socket
import sys
import threading


def send(server: socket.socket) -> None:
    try:
        while data := os.read(0, 1 << 16):
            server.sendall(data)
        server.shutdown(socket.SHUT_WR)
    except OSError:  # the other end is closed, which receive notices
        pass


def receive(server: socket.socket) -> None:
    while data := server.recv(1 << 16):
        while data:
            data = data[os.write(1, data):]


if __name__ == "__main__":
    server = socket.socket(socket.AF_UNIX)
    server.connect(sys.argv[1])
    server.sendall(sys.argv[2].encode() + b"\n")
    threading.Thread(target=send, args=(server,), daemon=True).start()
    try:
        receive(server)
    finally:
        os._exit(0)  # whatever the other thread waits for
