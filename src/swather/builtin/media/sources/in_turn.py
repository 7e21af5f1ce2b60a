"""Several searches of one source as one, for sites that keep pictures and videos apart."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing

from swather.builtin.media.sources.source import Found


async def in_turn(*searches: AsyncGenerator[Found, None]) -> AsyncIterator[Found]:
    """One of each search in turn, until all have ended: a limit takes as many of each."""
    async with AsyncExitStack() as stack:
        waiting = deque([await stack.enter_async_context(aclosing(one)) for one in searches])
        while waiting:
            search = waiting.popleft()
            try:
                yield await anext(search)
            except StopAsyncIteration:
                continue
            waiting.append(search)
