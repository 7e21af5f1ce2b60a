"""What is checked before a fleet starts, beyond what `doctor` checks of any machine."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from swather.errors import InputError, MissingExtra
from swather.fleet import places
from swather.fleet.placement import Place
from swather.model.assignment import Plan
from swather.model.assignment import check as plan_faults
from swather.model.run import Run
from swather.model.worker import WorkerKind
from swather.net.egress import WayOut
from swather.runs.database_checks import database_check, room_checks
from swather.runs.egress_checks import chromium_check, tor_checks
from swather.runs.health import Check, Health
from swather.runs.machine_checks import folder_checks
from swather.runs.programs import check_programs
from swather.runs.proxy_lists import none_for_it, pool_for, proxies_each, too_few
from swather.runs.proxy_words import usable_on
from swather.runs.storage import storage_checks
from swather.runs.words import count, duration, shortened
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store
from swather.worker.settings import version_of

_MAX_NAMED: Final = 5


def machine_checks(
    store: Store, settings: Settings, place: Place, *, workers: int
) -> Iterator[Check]:
    """Settings, database, place, disk, bucket."""
    slots, lease = count(settings.concurrency, "slot"), duration(settings.lease_seconds)
    said = f"{count(workers, 'worker')} of {slots}, leases of {lease}"
    yield Check("settings", Health.OK, said)
    yield database_check(store)
    yield from room_checks(store, workers)
    try:
        places.check(place, settings)
    except InputError as error:
        yield Check("place", Health.PROBLEM, str(error))
    yield from folder_checks(store.url, local_folders(settings))
    yield from storage_checks(settings)


def wrong_for_run(store: Store, settings: Settings) -> list[Check]:
    """What `swather run` warns of, whose other checks are made when it is planned."""
    checks = [
        *room_checks(store, settings.workers),
        *folder_checks(store.url, local_folders(settings)),
    ]
    return [check for check in checks if check.health is not Health.OK]


def local_folders(settings: Settings) -> list[Path]:
    """Where files and logs go, as far as that is on this machine."""
    folders = [settings.logs_folder, settings.files_folder]
    return [folder for folder in folders if isinstance(folder, Path)]


def code_checks(
    store: Store, scrapers: Mapping[str, Scraper], runs: Sequence[Run], others: Sequence[Run]
) -> Iterator[Check]:
    """`runs` have their code here, `others` do not."""
    used = {run.scraper: scrapers[run.scraper] for run in runs}
    if used or not others:
        known = version_of((used or scrapers).values())
        yield Check("code", Health.OK, shortened(known) or "no scrapers")
    for name, waiting in _by_scraper(others).items():
        said = f"no code for scraper {name!r} of {_named(waiting)}: name its file or module"
        yield Check("code", Health.WARNING if runs else Health.PROBLEM, said)
    for run in runs:
        ours = used[run.scraper].options.version
        if ours != run.version:
            said = (
                f"run {run.name} was started with version {run.version!r} of {run.scraper}, and "
                f"the code here is version {ours!r}"
            )
            yield Check("code", Health.WARNING, said)
    yield from _other_code(store, used)


def _other_code(store: Store, used: Mapping[str, Scraper]) -> Iterator[Check]:
    """Workers that live already and have other code of the same scrapers."""
    ours = {version_of([scraper]) for scraper in used.values()}
    for worker in store.workers.find():
        theirs = set(worker.version.split(", "))
        names = {each.rpartition(" ")[0] for each in theirs - ours} & used.keys()
        if worker.kind is WorkerKind.WORKER and names:
            said = f"worker {worker.name}, which runs already, has {worker.version}"
            yield Check("code", Health.WARNING, said)
            return


def way_out_checks(
    store: Store, settings: Settings, scrapers: Collection[Scraper], *, workers: int
) -> Iterator[Check]:
    """Proxies, Tor and the browser, as far as these scrapers use them."""
    ways = {scraper.options.way_out for scraper in scrapers}
    missing = list(_missing_programs(settings, scrapers))
    yield from missing
    if not missing and WayOut.TOR in ways:
        yield from tor_checks(settings)
    if not missing and any(scraper.options.browser for scraper in scrapers):
        yield chromium_check(settings)
    for scraper in scrapers:
        if scraper.options.way_out is WayOut.POOL:
            yield pool_check(store, scraper, settings, workers)


def pool_check(store: Store, scraper: Scraper, settings: Settings, workers: int) -> Check:
    """Blacklisted proxies return by themselves; where there is none, nothing is requested."""
    pool = pool_for(store, scraper, settings)
    if not pool.proxies:
        return Check("proxies", Health.PROBLEM, f"{scraper.name}: {none_for_it(store)}")
    found = usable_on(pool, "", ())
    said = f"{found.usable:,} of {found.total:,} usable"
    few = too_few(found.usable, proxies_each(scraper, settings), workers)
    if few or not found.usable:
        return Check("proxies", Health.WARNING, "; ".join(filter(None, (said, few))))
    return Check("proxies", Health.OK, said)


def _missing_programs(settings: Settings, scrapers: Collection[Scraper]) -> Iterator[Check]:
    for scraper in scrapers:
        try:
            check_programs(scraper, settings)
        except (InputError, MissingExtra) as error:
            yield Check("programs", Health.PROBLEM, str(error))


def plan_checks(
    names: Collection[str], plan: Plan | None, *, workers: int, is_test: bool
) -> Iterator[Check]:
    """Whether the partitions of the runs and the plan fit; nothing where there are none."""
    own = {name for number in (0, 1) for name in (plan.of(number) if plan else ())}
    if is_test and not own & set(names):
        said = (
            "--test serves only the partitions of workers 0 and 1, and none that waits is planned "
            "for them: set partitions, or try a few targets with `swather run --limit 20`"
        )
        yield Check("partitions", Health.PROBLEM, said)
        return
    if is_test and own >= set(names):
        said = "all partitions are planned for workers 0 and 1: this test scrapes everything"
        yield Check("partitions", Health.WARNING, said)
    if not names:
        return
    if plan is None:
        said = f"{count(len(names), 'partition')} without a plan: each worker takes them in turn"
        yield Check("partitions", Health.OK, said)
        return
    planned = f"{count(len(names), 'partition')} planned for {count(len(plan.workers), 'worker')}"
    beyond = sum(1 for number in plan.workers if number >= workers)
    if beyond and not is_test:
        planned += f", of which {beyond} will not run: the others take theirs over"
    yield Check("partitions", Health.OK, planned)
    by_kind: dict[str, list[str]] = {}
    for fault in plan_faults(plan, names):
        by_kind.setdefault(fault.kind, []).append(fault.text)
    for kind, texts in by_kind.items():
        health = Health.PROBLEM if kind == "duplicate" else Health.WARNING
        more = f"; and {len(texts) - _MAX_NAMED} more" if len(texts) > _MAX_NAMED else ""
        yield Check("partitions", health, "; ".join(texts[:_MAX_NAMED]) + more)


def _by_scraper(runs: Sequence[Run]) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.scraper, []).append(run)
    return found


def _named(runs: Sequence[Run]) -> str:
    return f"run {runs[0].name}" if len(runs) == 1 else count(len(runs), "run")
