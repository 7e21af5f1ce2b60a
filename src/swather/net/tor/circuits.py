"""Which circuit a request leaves by: each purpose, a lane or a session, has its own."""

import secrets
from collections import OrderedDict
from typing import Final

from swather.net.egress import Egress

MAX_CIRCUITS: Final = 10_000


def new_circuit(socks: str) -> Egress:
    """Through the daemon at host:port, by a circuit that nothing else leaves by."""
    return Egress.through_tor(socks, secrets.token_hex(8))


def other_circuit(egress: Egress) -> Egress:
    """Through the same daemon."""
    return new_circuit((egress.proxy_url or "").rpartition("@")[2])


class Circuits:
    """A SOCKS user for each purpose. Neither does Tor let two users share a circuit, nor an HTTP
    client a connection: another user leaves by another circuit.
    """

    def __init__(self) -> None:
        self._socks = ""
        self._egresses: OrderedDict[str, Egress] = OrderedDict()
        self._purposes: dict[str, str] = {}

    def egress(self, socks: str, purpose: str) -> Egress:
        """Through the daemon at host:port, by the circuit of this purpose."""
        if socks != self._socks:
            # The daemon was restarted; what left through the one before fails.
            self._socks = socks
            self._egresses.clear()
            self._purposes.clear()
        egress = self._egresses.get(purpose)
        if egress is None:
            return self._new(purpose)
        self._egresses.move_to_end(purpose)
        return egress

    def renew(self, egress: Egress) -> bool:
        """Another circuit for the purpose of this one; False if it has another one by now."""
        purpose = self._purposes.get(egress.key)
        if purpose is None:
            return False
        self.forget(purpose)
        return True

    def forget(self, purpose: str) -> None:
        """Another circuit for this purpose."""
        if (egress := self._egresses.pop(purpose, None)) is not None:
            del self._purposes[egress.key]

    def _new(self, purpose: str) -> Egress:
        egress = new_circuit(self._socks)
        self._egresses[purpose] = egress
        self._purposes[egress.key] = purpose
        if len(self._egresses) > MAX_CIRCUITS:
            self.forget(next(iter(self._egresses)))
        return egress
