"""The runners of a worker, by the isolation that a scraper asks for."""

from swather.scraping.options import Isolation
from swather.worker.attempt import Runner
from swather.worker.jobs import Job
from swather.worker.runners.child import ChildRunner
from swather.worker.runners.task import TaskRunner
from swather.worker.runners.thread import ThreadRunner
from swather.worker.verbs import Services


class Runners:
    """`alone` has the tasks that may have ended their workers."""

    def __init__(self, services: Services) -> None:
        on_loop, in_threads = TaskRunner(services), ThreadRunner(services)
        in_children = ChildRunner(services)
        self.alone = ChildRunner(services, otherwise=(on_loop, in_threads))
        self._by_isolation: dict[Isolation, Runner] = {
            Isolation.TASK: on_loop,
            Isolation.THREAD: in_threads,
            Isolation.PROCESS: in_children,
        }
        self._of_children = (in_children, self.alone)

    @property
    def strays(self) -> int:
        """What child processes said for attempts that were over."""
        return sum(runner.strays for runner in self._of_children)

    def of(self, job: Job) -> Runner:
        return self._by_isolation[job.isolation]

    async def close(self) -> None:
        """Each closes what it has set up."""
        for runner in (*self._by_isolation.values(), self.alone):
            await runner.close()
