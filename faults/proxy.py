"""The tests' silent proxy, which can also break its links."""

import contextlib
import socket

from tests.store.proxy import Proxy


class CuttingProxy(Proxy):
    """`cut_all` breaks every link; new ones are forwarded as before."""

    def cut_all(self) -> None:
        links, self._sockets = self._sockets, []
        for link in links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
