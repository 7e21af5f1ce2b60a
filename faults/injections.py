"""The faults: each of them is one act, done again and again while a trial lasts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from faults.trial import Trial

Fault = Callable[["Trial", Random], None]

_OTHERS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def kill_a_worker(trial: "Trial", random: Random) -> None:
    """Kill -9, and another takes its place."""
    worker = random.choice(trial.workers)
    worker.kill()
    worker.wait()
    trial.replace(worker)


def stop_a_worker(trial: "Trial", random: Random) -> None:
    """SIGSTOP past its lease, then SIGCONT: it comes back as a zombie."""
    worker = random.choice(trial.workers)
    worker.send_signal(signal.SIGSTOP)
    time.sleep(trial.lease_seconds * 2)
    worker.send_signal(signal.SIGCONT)
    time.sleep(trial.lease_seconds)


def mute_a_worker(trial: "Trial", random: Random) -> None:
    """Its beats do not come past its lease, and it works on: its tasks run elsewhere, too."""
    worker = random.choice(trial.workers)
    if worker.poll() is None:
        worker.send_signal(signal.SIGUSR1)
    time.sleep(trial.lease_seconds * 2)


def cut_connections(trial: "Trial", random: Random) -> None:
    """End some of them on the server, in whatever they are doing."""
    with suppress(psycopg.Error), psycopg.connect(trial.url, autocommit=True) as connection:
        pids = [pid for (pid,) in connection.execute(_OTHERS).fetchall()]
        for pid in random.sample(pids, len(pids) // 2):
            connection.execute("SELECT pg_terminate_backend(%s)", (pid,))


def crash_the_server(trial: "Trial", random: Random) -> None:
    """A backend that is killed takes the whole server down, which then recovers from its log."""
    with suppress(psycopg.Error, ProcessLookupError):
        with psycopg.connect(trial.url, autocommit=True) as connection:
            pids = [pid for (pid,) in connection.execute(_OTHERS).fetchall()]
        os.kill(random.choice(pids), signal.SIGKILL)
    # Nobody could work on a server that is never up for as long as a target takes.
    trial.wait_for_server()
    time.sleep(random.uniform(1.0, 6.0))


def cut_at_commit(trial: "Trial", random: Random) -> None:
    """Connections broken just before or just after a COMMIT has reached the server."""
    assert trial.proxy is not None
    trial.proxy.hush_at(b"COMMIT\0", after=random.random() < 0.7)
    trial.proxy.is_silent.wait(5.0)
    trial.proxy.cut_all()


def cut_the_network(trial: "Trial", random: Random) -> None:
    """Two machines, one of them or both without the database for two leases."""
    assert trial.network is not None
    cut = random.choice([[0], [1], [0, 1]])
    for number in cut:
        trial.network.cut(number)
    time.sleep(trial.lease_seconds * 2)
    for number in cut:
        trial.network.mend(number)
    time.sleep(trial.lease_seconds)


def give_commands(trial: "Trial", random: Random) -> None:
    """What people do meanwhile, three of them at once."""
    commands = [
        ["pause", trial.run], ["unpause", trial.run], ["status", trial.run, "--json"],
        ["retry", trial.run, "--state", "failed"], ["why", trial.run], ["db", "check"],
        ["tasks", trial.run, "--json"], ["export", trial.run, "-o", str(trial.folder / "x.csv")],
    ]  # fmt: skip
    chosen = random.sample(commands, 3)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "swather.cli", *command],
            env={**os.environ, "SWATHER_DB": trial.url},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in chosen
    ]
    for process in running:
        process.wait(60)
    trial.unpause()


def fill_the_disk(trial: "Trial", random: Random) -> None:
    """No space for a while, for the database and for saved files."""
    filler = trial.folder / "filler"
    with suppress(OSError), filler.open("wb") as file:
        while True:
            file.write(b"x" * 65_536)
            file.flush()
    time.sleep(random.uniform(0.5, 2.0))
    filler.unlink(missing_ok=True)
    time.sleep(1.0)


# A worker goes on with what others have taken over.
PAST_THE_LEASE: tuple[Fault, ...] = (mute_a_worker, cut_the_network)
ON_BOTH: dict[str, Fault] = {
    "kill -9": kill_a_worker,
    "SIGSTOP past the lease": stop_a_worker,
    "heartbeats lost": mute_a_worker,
    "commands at once": give_commands,
}
ON_SQLITE: dict[str, Fault] = {"full disk": fill_the_disk}
ON_POSTGRES: dict[str, Fault] = {
    "connections ended": cut_connections,
    "server crashed": crash_the_server,
    "cut around COMMIT": cut_at_commit,
    "two machines cut off": cut_the_network,
}
