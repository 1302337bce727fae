"""Connects a program of podtrack's protocol to the process that serves it: bytes from stdin go to a
socket, and those from the socket to stdout. It is executed as a file for each program that podtrack starts, so that
it imports only what is built into Python: modules such as socket and threading take longer than everything else."""

import _socket
import _thread
import os
import sys


def send(server: _socket.socket) -> None:
    try:
        while data := os.read(0, 1 << 16):
            server.sendall(data)
        server.shutdown(_socket.SHUT_WR)
    except OSError:  # the other end is closed, which receive notices
        pass


def receive(server: _socket.socket) -> None:
    while data := server.recv(1 << 16):
        while data:
            data = data[os.write(1, data):]


if __name__ == "__main__":
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(sys.argv[1])
    server.sendall(sys.argv[2].encode() + b"\n")
    _thread.start_new_thread(send, (server,))
    try:
        receive(server)
    finally:
        os._exit(0)  # whatever the other thread waits for
