"""How many leases a worker asks for, by what it has already."""


def suspects_held(concurrency: int) -> int:
    """How many suspects may wait for a child process: enough to look past a few of them for tasks
    that the other slots can do, and no hoard that other workers could do meanwhile.
    """
    return 2 * concurrency


def wanted(
    *,
    concurrency: int,
    free: int,
    ahead: int,
    waiting: int,
    parked: int,
    suspects: int,
    at_most: int,
    is_first: bool = False,
) -> int:
    """The number of leases to claim now, 0 for none.

    concurrency  slots of the worker
    free         those that nothing runs in; below 0 when the worker was made smaller
    ahead        leases to hold beyond the free slots, so that none waits for a claim
    waiting      leases that no slot has taken yet
    parked       leases whose run is being read: the free slots are theirs
    suspects     leases that wait for a child process, and for no slot
    at_most      what one claim may take
    is_first     nothing runs, and there was a hint of new work: a claim that is filled comes back
                 at once, others look everywhere before
    """
    if parked:
        return 0
    count = max(free, 0) + ahead - waiting
    if suspects:
        # More of them may come with every claim, and a slot stays free for as long as they do.
        count = min(count, suspects_held(concurrency) - suspects)
    if is_first and count > 0:
        count = 1
    if count <= 0 or (free <= 0 and 2 * count < ahead):
        return 0
    return min(count, at_most)
