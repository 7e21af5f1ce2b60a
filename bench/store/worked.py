"""A run in the middle of its work, put straight into the tables: tasks in every state, with what
they left behind, and a month of history.
"""

from typing import Final

from bench.store.backlog import Backlog
from swather.model.run import REASON_PREFIX

LANES: Final = 5_000
GROUPS: Final = 1_000
LEFT_BEHIND: Final = (
    """
    INSERT INTO ready (head_id, priority, task_id)
    SELECT head_id, priority, id FROM tasks WHERE id >= {first} AND id % 10 < 5 ORDER BY head_id, id
    """,
    """
    INSERT INTO outcomes (task_id, run_id, token, state, reason, worker_id, at)
    SELECT id, {run}, 0, 'completed', 'ok', {worker}, {now}
    FROM tasks WHERE id >= {first} AND id % 10 IN (5, 6, 7) ORDER BY id
    """,
    """
    INSERT INTO outcomes (task_id, run_id, token, state, reason, worker_id, at)
    SELECT id, {run}, 0, 'failed', 'gone', {worker}, {now}
    FROM tasks WHERE id >= {first} AND id % 10 = 8 ORDER BY id
    """,
    """
    INSERT INTO faults (
        task_id, run_id, token, attempts, error_class, fingerprint, message, traceback, at
    )
    SELECT id, {run}, 0, 1, 'permanent', 'f' || (id / 10 % {groups}), 'HTTP 410 of page ' || id,
           'Traceback of ' || id, {now}
    FROM tasks WHERE id >= {first} AND id % 10 = 8 ORDER BY id
    """,
    """
    INSERT INTO error_groups (
        run_id, fingerprint, error_class, title, place, count, sample_task_id, sample_message,
        sample_traceback, first_at, last_at
    )
    SELECT run_id, fingerprint, 'permanent', 'HTTP # of page #', 'books.py:12', count(*),
           max(task_id), 'HTTP 410', 'Traceback', {now}, {now}
    FROM faults WHERE run_id = {run} GROUP BY run_id, fingerprint
    """,
    """
    INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)
    SELECT id, {run}, head_id, priority, {now} + 86400 * {second}
    FROM tasks WHERE id >= {first} AND id % 10 = 9 ORDER BY id
    """,
    """
    INSERT INTO items (run_id, task_id, part, seq, data)
    SELECT {run}, id, 0, 0, '{{"title":"Lamp ' || id || '","price":12.5,"in_stock":true}}'
    FROM tasks WHERE id >= {first} AND id % 10 = 5 ORDER BY id
    """,
    """
    INSERT INTO files (run_id, task_id, part, seq, name, sha256, size_bytes, media_type)
    SELECT {run}, id, 0, 0, id || '.png', 'ab', 1000, 'image/png'
    FROM tasks WHERE id >= {first} AND id % 10 = 6 ORDER BY id
    """,
    """
    INSERT INTO events (at, kind, run_id, task_id, worker_id, message)
    SELECT {now}, 'failed', {run}, id, {worker}, 'HTTP 410'
    FROM tasks WHERE id >= {first} AND id % 10 = 8 ORDER BY id
    """,
)
# Every five seconds of the last hour, every minute of a month.
SAMPLES: Final = """
    INSERT INTO history_samples (
        run_id, at, completed, failed, cancelled, retried, items, ready, scheduled, leased
    )
    SELECT {number}, {now} - {seconds} * (n + {after}) * {second}, 100000 - n, 50000 - n, 0, 0,
           100000 - n, n, 10, 10
    FROM {series}
"""
MEASUREMENTS: Final = """
    INSERT INTO measurements (run_id, at, shard, seconds, data)
    SELECT {number}, {now} - {seconds} * (n + {after}) * {second}, 0, {seconds},
           '{{"statuses":{{"200":900,"404":9,"503":3}},"latency":{{"20":500,"24":300,"30":100}},'
           || '"classes":{{"timeout":5,"permanent":4}}}}'
    FROM {series}
"""
# Which rows, of how many seconds each, how many, and how many of those before the first.
SPANS: Final = (
    (SAMPLES, 5, 700, 1),
    (SAMPLES, 60, 43_000, 60),
    (MEASUREMENTS, 60, 1_400, 0),
    (MEASUREMENTS, 600, 4_000, 150),
)
BEGAN: Final = "UPDATE runs SET created_at = {now} - 30 * 86400 * {second} WHERE id = {run}"


def add_worked(backlog: Backlog, run_id: int, count: int, worker_id: int) -> None:
    """`count` tasks on many lanes: half are ready, 3 of 10 completed, 1 failed, 1 scheduled."""
    first = backlog.add_tasks(run_id, count, LANES)
    given = {"run": run_id, "first": first, "worker": worker_id, "groups": GROUPS}
    for sql in LEFT_BEHIND:
        backlog.run(sql, **given)
    tenth = count // 10
    numbers = {
        "ready": 5 * tenth,
        "completed": 3 * tenth,
        "failed": tenth,
        "scheduled": tenth,
        f"{REASON_PREFIX}ok": 3 * tenth,
        f"{REASON_PREFIX}gone": tenth,
        "items": tenth,
        "files": tenth,
    }
    for name, n in numbers.items():
        backlog.count(run_id, name, n)
    _add_history(backlog, run_id)


def _add_history(backlog: Backlog, run_id: int) -> None:
    backlog.run(BEGAN, run=run_id)
    for number in (0, run_id):
        for sql, seconds, n, after in SPANS:
            series = backlog.series.format(count=n)
            given = {"number": number, "seconds": seconds, "series": series, "after": after}
            backlog.run(sql, **given)
