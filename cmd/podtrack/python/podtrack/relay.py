"""Hands the stdin and stdout of a program of podtrack's protocol to the process that serves it, which then answers
podtrack without a copy in between. It is executed as a file for each program that podtrack starts, so that it imports
only what is built into Python: modules such as socket take longer than everything else."""

import _socket
import os
import sys
import time

if __name__ == "__main__":
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(sys.argv[1])
    pipes = b"".join(pipe.to_bytes(4, sys.byteorder) for pipe in (0, 1))
    server.sendmsg([sys.argv[2].encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, pipes)])
    if not server.recv(1):  # the server has died: podtrack is told by its lifeline, and not by the end of a program
        time.sleep(3)
    os._exit(0)
