"""Messages reach the engine in order, from whichever thread."""

import asyncio
import threading

from swather.worker.messages import Hinted, LanesShut, Mailbox, Ticked


def test_messages_are_read_in_the_order_in_which_they_were_posted():
    async def main():
        mailbox = Mailbox(asyncio.get_running_loop())
        for number in range(3):
            mailbox.put(LanesShut([number]))
        return await mailbox.read()

    assert asyncio.run(main()) == [LanesShut([0]), LanesShut([1]), LanesShut([2])]


def test_a_message_of_another_thread_wakes_the_reader():
    async def main():
        mailbox = Mailbox(asyncio.get_running_loop())
        threading.Timer(0.05, mailbox.post, [Hinted()]).start()
        return await asyncio.wait_for(mailbox.read(), 10)

    assert asyncio.run(main()) == [Hinted()]


def test_no_message_of_many_threads_is_lost():
    async def main():
        mailbox = Mailbox(asyncio.get_running_loop())
        threads = [
            threading.Thread(target=lambda n=n: [mailbox.post(LanesShut([n])) for _ in range(500)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        read = []
        while len(read) < 2_000:
            read += await asyncio.wait_for(mailbox.read(), 10)
        for thread in threads:
            thread.join()
        return sorted(n for message in read for n in message.lanes)

    assert asyncio.run(main()) == [n for n in range(4) for _ in range(500)]


def test_what_is_posted_after_the_end_of_the_loop_is_for_nobody():
    loop = asyncio.new_event_loop()
    mailbox = Mailbox(loop)
    loop.close()
    mailbox.post(Ticked())
    assert mailbox.take() == [Ticked()]
