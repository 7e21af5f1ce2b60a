"""Which proxy of the pool the next request takes."""

from enum import StrEnum


class ProxyStrategy(StrEnum):
    """Who gets which proxy: each in turn, by chance (weighted), the one with the fewest uses, or
    always the same one for a worker, a lane or a session, until it fails.
    """

    ROUND_ROBIN = "round_robin"
    RANDOM = "random"
    LEAST_USED = "least_used"
    STICKY_WORKER = "sticky_worker"
    STICKY_LANE = "sticky_lane"
    STICKY_SESSION = "sticky_session"


class Rotation(StrEnum):
    """When a proxy is chosen: for every request, or once for all requests of an attempt. OFF: the
    worker keeps one until it fails.
    """

    REQUEST = "request"
    TARGET = "target"
    OFF = "off"
