"""The pages on which ``podtrack serve`` shows a store."""

from __future__ import annotations

import subprocess
from html import escape
from types import TracebackType

from .binary import Binary
from .driving import Reader
from .errors import from_output
from .processes import finalize, start


class Page:
    """A page on which only this computer can look at a store, for as long as this object, its store or this process
    lives, or until it is closed. Notebooks show it as a link.

    Attributes
    ----------
    address
        Its URL, below which the address of a page is a command line: ``show?of=NAME`` is ``podtrack show NAME``. For a
        browser on another computer, jupyter-server-proxy has it below ``proxy/PORT/``.
    """

    def __init__(self, binary: Binary, path: str) -> None:
        process = start([binary.path, "serve", "--store", path], start_new_session=True)
        errors = Reader(process.stderr)
        assert process.stdout is not None
        with process.stdout as out:
            self.address = out.readline().decode().strip()
        if not self.address:
            raise from_output(process.wait(), errors.all().decode(errors="replace"))
        self._end = finalize(self, end, process, errors)

    def close(self) -> None:
        """Ends it."""
        self._end()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Page %s>" % self.address

    def _repr_html_(self) -> str:
        return '<a href="%s" target="_blank">%s</a>' % (escape(self.address), escape(self.address))


def end(process: subprocess.Popen[bytes], errors: Reader) -> None:
    """Ends a process."""
    process.terminate()
    process.wait()
    errors.all()
