"""The requests of pages in a child's browser, as its worker decides about them."""

from time import monotonic
from typing import TYPE_CHECKING

from swather.errors import FetchError, InputError
from swather.net.request import parse_origin, split_url
from swather.scraping.tabs import Seen
from swather.worker.attempt import Attempt
from swather.worker.runners import visit_wire, wire
from swather.worker.visits import Grant, Visits

if TYPE_CHECKING:
    from swather.net.fetch_policy import FetchPolicy


class ChildRequests:
    """Of one attempt. When the child is gone, what it had in flight has ended, too."""

    def __init__(self, attempt: Attempt, visits: Visits) -> None:
        self._attempt = attempt
        self._visits = visits
        self._grants: dict[int, Grant] = {}
        self._policies: dict[tuple[int, int], FetchPolicy] = {}

    async def perform(self, verb: str, body: bytes) -> bytes:
        """What the child asks or tells."""
        match verb:
            case "visit":
                return wire.pack(await self._grant(body))
            case "admit":
                await self._admit(visit_wire.admit_of(body))
            case "reach":
                return wire.pack(await self._refusal(visit_wire.reach_of(body)))
            case "answered":
                self._answered(visit_wire.answered_of(body))
            case "over":
                self._end(visit_wire.over_of(body))
            case "replayed":
                return wire.pack(await self._visits.replayed(self._attempt, wire.request_of(body)))
            case "rendered":
                found = visit_wire.rendered_of(body)
                self._visits.store_rendered(self._attempt, found.request, found.page)
            case "seen":
                seen = visit_wire.seen_of(body)
                await self._visits.keep_seen(
                    self._attempt, Seen(seen.url, seen.screenshot, seen.html)
                )
            case _:
                raise ValueError(f"a child asked for {verb!r}, which is not a verb")
        return b""

    def close(self) -> None:
        for policy in self._policies.values():
            policy.end()
        self._policies.clear()
        self._grants.clear()

    async def _grant(self, body: bytes) -> visit_wire.Granted:
        browsing = visit_wire.browsing_of(body)
        grant = await self._visits.grant(self._attempt, browsing)
        number = len(self._grants) + 1
        self._grants[number] = grant
        policy = grant.policy
        return visit_wire.Granted(
            number,
            grant.egress,
            grant.session,
            sorted(grant.block),
            grant.user_agent,
            grant.deadline() - monotonic(),
            None if policy.executable is None else str(policy.executable),
            policy.memory_mb,
            policy.pages,
            grant.keeps_pages,
        )

    async def _admit(self, asked: visit_wire.Admit) -> None:
        grant = self._grant_of(asked.visit)
        key = asked.visit, asked.number
        policy = self._policies.get(key)
        if policy is None:
            policy = self._policies[key] = grant.new_policy(asked.is_page)
        origin = parse_origin(split_url(asked.url)[0])
        if (turn := policy.admit(asked.url, origin, grant.egress)) is not None:
            await turn

    async def _refusal(self, asked: visit_wire.Reach) -> str | None:
        host, port, private = asked.host, asked.port, asked.private
        policy = self._grant_of(asked.visit).new_policy(False)
        if policy.may_reach(host, port, private=private):
            return None
        return await policy.refusal(host, port, asked.address, private=private)

    def _answered(self, told: visit_wire.Answered) -> None:
        policy = self._policies.get((told.visit, told.number))
        if policy is None:
            return
        if told.error is None:
            policy.answered(told.url, told.status, told.retry_after_seconds, told.seconds)
        elif isinstance(error := wire.raised_from(told.error), FetchError):
            policy.failed(told.url, error, told.seconds)

    def _end(self, told: visit_wire.Over) -> None:
        """Of a request, or of a visit with all that it still had."""
        over = [
            key for key in self._policies if key[0] == told.visit and told.number in (None, key[1])
        ]
        for key in over:
            self._policies.pop(key).end()
        if told.number is None:
            self._grants.pop(told.visit, None)

    def _grant_of(self, visit: int) -> Grant:
        grant = self._grants.get(visit)
        if grant is None:
            raise InputError(f"there is no visit {visit} of this child")
        return grant
