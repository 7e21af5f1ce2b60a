"""The stand-in as a process of its own: `python -m tests.builtin.youtube --channel cats=300`."""

import argparse
import asyncio

from tests.builtin.youtube.lists import Channel
from tests.builtin.youtube.site import YouTube


async def serve(site: YouTube) -> None:
    server = await site.serve()
    print(site.url, flush=True)  # noqa: T201 - whoever started it reads where it is
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--channel", action="append", default=[], metavar="NAME=N", help="a channel of N videos"
    )
    parser.add_argument("--seconds", type=float, default=0.0, help="what each answer takes")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    channels = {}
    for one in given.channel:
        name, _, count = one.partition("=")
        channels[name] = Channel([f"{name[:4]}{number:07}" for number in range(int(count))])
    asyncio.run(serve(YouTube(channels, seconds=given.seconds, port=given.port)))


if __name__ == "__main__":
    main()
