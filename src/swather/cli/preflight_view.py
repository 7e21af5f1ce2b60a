"""What is shown before a fleet starts: checks, who would do what, progress and estimate."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from swather.cli import output
from swather.errors import InputError
from swather.runs.estimate_words import estimate_words
from swather.runs.health import Check
from swather.runs.words import count
from swather.visible import visible_line

if TYPE_CHECKING:
    from swather.fleet.preflight import Preflight, RunProgress, WorkerShare

_MAX_RUNS: Final = 10
_MAX_PARTITIONS: Final = 12


def show(found: "Preflight") -> None:
    """On stderr: it is a message, and the command may have data to write."""
    console = output.stderr()
    checks = [(str(check.health), check.what, check.said) for check in found.checks]
    output.show(output.listing(("", "check", "found"), checks), _workers(found), on=console)
    console.print()
    for line in lines(found):
        console.print(visible_line(line), soft_wrap=True, markup=False, highlight=False)


def lines(found: "Preflight") -> Iterator[str]:
    """Progress and estimate."""
    for run in found.runs[:_MAX_RUNS]:
        yield f"Run {run.run}: {_progress(run)}"
    if len(found.runs) > _MAX_RUNS:
        yield f"and {count(len(found.runs) - _MAX_RUNS, 'more run')}"
    if len(found.runs) > 1:
        done, total = sum(run.done for run in found.runs), sum(run.total for run in found.runs)
        pending = sum(run.pending for run in found.runs)
        yield f"All runs: {done:,} of {total:,} done, {pending:,} pending"
    if not found.runs:
        yield "No run is open: the workers would wait for one"
    else:
        yield f"Estimate with {count(found.workers, 'worker')}: {estimate_words(found.estimate)}"


def refuse(found: "Preflight") -> None:
    """InputError if there is a problem: a fleet that is started all the same would fail later."""
    if found.problems:
        told = "; ".join(f"{check.what}: {check.said}" for check in found.problems)
        raise InputError(f"nothing was started: {told}")


def warning(check: Check) -> str:
    """A check that is not as it should be, in one line."""
    return f"{check.health.lower()}: {check.what}: {check.said}"


def as_data(found: "Preflight") -> dict[str, Any]:
    """For programs."""
    estimate = found.estimate
    return {
        "checks": [check._asdict() for check in found.checks],
        "workers": [
            {
                "worker_number": share.number,
                "partitions": list(share.partitions),
                "pending": share.pending,
                "proxies": share.proxies,
            }
            for share in found.shares
        ],
        "runs": [
            {
                "run": run.run,
                "scraper": run.scraper,
                "done": run.done,
                "pending": run.pending,
                "total": run.total,
                "paused": run.paused,
            }
            for run in found.runs
        ],
        "estimate": {
            "seconds": estimate.seconds,
            "is_least": estimate.is_least,
            "limited_by": str(estimate.decides),
            "name": estimate.name or None,
            "in_words": estimate_words(estimate),
        },
    }


def _workers(found: "Preflight") -> Any:
    has_partitions = any(share.partitions for share in found.shares)
    has_proxies = any(share.proxies is not None for share in found.shares)
    headers = ["worker"]
    headers += ["partitions"] if has_partitions else []
    headers += ["proxies"] if has_proxies else []
    shared = 0 if has_partitions else sum(share.pending for share in found.shares)
    rows = []
    for share in found.shares:
        if share.number is None and not has_partitions:
            continue
        row: list[Any] = ["any" if share.number is None else str(share.number)]
        row += [_partitions(share)] if has_partitions else []
        row += [_proxies(share, shared=found.shares_proxies)] if has_proxies else []
        # Without partitions all take from the same targets, about as many each.
        rows.append([*row, f"~{shared // found.workers:,}" if shared else share.pending])
    return output.listing([*headers, "pending"], rows)


def _partitions(share: "WorkerShare") -> str:
    names = share.partitions
    more = f", and {len(names) - _MAX_PARTITIONS} more" if len(names) > _MAX_PARTITIONS else ""
    return ", ".join(names[:_MAX_PARTITIONS]) + more


def _proxies(share: "WorkerShare", *, shared: bool) -> str:
    if share.proxies is None:
        return ""
    return f"{share.proxies:,}{' (shared)' if shared else ''}"


def _progress(run: "RunProgress") -> str:
    share = f" ({run.done / run.total:.1%})" if run.total else ""
    paused = ", paused" if run.paused else ""
    return f"{run.done:,} of {run.total:,} done{share}, {run.pending:,} pending{paused}"
