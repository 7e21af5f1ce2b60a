"""The sections of the page: what each part is about, and which figures are its columns."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """A part on the page: what it is, its plot, and which of its figures are its columns."""

    part: str
    title: str
    text: str
    column: Callable[[str], str | None]
    plot: str = ""


def _named(**names: str) -> Callable[[str], str | None]:
    """Columns by the words of a work, with _ for what is no letter."""
    return lambda work: names.get(re.sub(r"\W+", "_", work))


def _depth(work: str) -> str | None:
    found = re.fullmatch(r"claim of 10, ([\d,]+ (?:ready|lanes of 10))", work)
    return found[1] if found else None


def _memory(work: str) -> str | None:
    return None if work.startswith("after") else work


def _is_search(what: str, work: str) -> bool:
    return work.startswith(what) and not work.endswith("refused")


SECTIONS = (
    Section(
        "fetch",
        "Fetching 10 KB pages",
        "20,000 pages of 10 KB from nginx on the same machine, one process, 64 at a time, one "
        "item per page. Swather keeps queue and items in the database, with robots.txt and its "
        "guard against private addresses on, the limit of 8 at a time per host off, and no "
        "default rate, which applies to public hosts only; the peers keep everything in memory."
        " The slow ones got fewer pages of the same kind.",
        _named(fetch="pages/s", fetch_CPU="processor time"),
        "bench-fetch",
    ),
    Section(
        "slow_pages",
        "Pages of 200 ms",
        "The same pages, each taking 200 ms, 200 at a time: 1,000 pages a second are possible.",
        _named(pages_of_200_ms="pages/s", pages_of_200_ms_CPU="processor time"),
    ),
    Section(
        "scaling",
        "One to eight workers",
        "Worker processes with 10 slots on pages of 200 ms: each can do 50 pages a second.",
        lambda work: work.removesuffix(" of 10 slots"),
    ),
    Section(
        "drain",
        "Jobs that do nothing",
        "Enqueued with each queue's bulk operation, and drained by one worker process and by "
        "two. PostgreSQL with fsync and synchronous_commit on, SQLite with synchronous FULL, "
        "Redis with its defaults (no write is waited for). Swather dedupes its targets by key; "
        "the others do not dedupe.",
        _named(enqueue="enqueue", drain_1_process="1 process", drain_2_processes="2 processes"),
        "bench-queues",
    ),
    Section(
        "latency",
        "From enqueue to start",
        "One job at a time to an idle worker, from the enqueue call to the first line of the "
        "job; and the median of the part after the enqueue returned, that is, after the commit."
        " Huey on SQLite and Dramatiq poll, here every 10 ms.",
        _named(
            enqueue_to_start_p50="p50",
            enqueue_to_start_p99="p99",
            after_the_enqueue_came_back_p50="after the commit",
        ),
    ),
    Section(
        "backlog",
        "A claim of 10 by backlog",
        "p50 of the claim alone; each claim is finished before the next.",
        _depth,
        "bench-backlog",
    ),
    Section(
        "snapshot",
        "Under an old snapshot",
        "Draining while an idle REPEATABLE READ transaction stays open: PostgreSQL cannot "
        "remove rows that this transaction might still see.",
        lambda work: work.removeprefix("old snapshot: "),
    ),
    Section(
        "memory",
        "Memory",
        "Of the process that enqueues (peak) and of the worker that drains (peak; and the "
        "median of the last fifth of the time over that of the second).",
        _memory,
    ),
    Section(
        "idle",
        "An idle worker",
        "Processor time of a worker with nothing to do, without the database's share.",
        _named(idle_worker="idle"),
    ),
    Section(
        "live",
        "While people watch",
        "200 WebSocket clients on /jobs/status and 50 requests a second for the overview and a "
        "run's page, niced and in one process, while one worker drains; with and without them in "
        "turns. Kept: the part of its rate that the run keeps. Beside a stranger: what it keeps "
        "beside a process that takes as much processor time as server and clients together, and "
        "asks nothing of anybody.",
        _named(
            targets_of_0_5_s_kept="0.5 s each, kept",
            targets_that_do_nothing_kept="nothing to do, kept",
            targets_that_do_nothing_kept_beside_a_stranger="beside a stranger",
            targets_of_0_5_s_server_CPU="server",
        ),
    ),
    Section(
        "kill",
        "After a kill -9",
        "100 jobs of half a second, 10 at a time; the worker and all its children are killed in"
        " the middle and started again. The columns: how many jobs were unfinished a minute "
        "later, with default settings; how many were done twice; and how many were unfinished "
        "three minutes later with the recovery settings that the documentation recommends "
        "(empty where it has none, or where they are the default). Scrapy and Crawlee find 500 "
        "pages of 200 ms on a first page, and their figures are percentages. Of Celery's jobs, "
        "ten were running and the others prefetched: Redis returns these after an hour, its "
        "visibility timeout.",
        _named(
            unfinished_after_kill_9_default_settings="default settings",
            done_twice_after_kill_9_default_settings="done again",
            unfinished_after_kill_9_set_up_for_recovery="set up for recovery",
        ),
        "bench-kill",
    ),
    Section(
        "sources",
        "Pictures from five sources",
        "The scraper `media` on five stand-ins of sources on the same machine, with two pictures "
        "of each. First one query, where every answer takes half a second: the sources one by one "
        "(`--max-concurrent-sources 1`) and at once. Then many queries on two worker processes, "
        "with answers that take no time: every picture is checked, decoded and published, every "
        "query had all of its sources and files in the end. Memory is that of the larger worker: "
        "its peak, and the median of the last fifth of the time over that of the second.",
        lambda work: work,
    ),
    Section(
        "subtitles",
        "Subtitles through yt-dlp",
        "The scraper `subtitles` with yt-dlp's own extractor, against a stand-in for YouTube on "
        "the same machine: two requests a video, each answered after 200 ms, by one worker and by "
        "five, each with one child process. And the memory of the command, a worker and its child "
        "together, without the delay: the peak, and the median of the last fifth of the time over "
        "that of the second.",
        lambda work: work.removeprefix("subtitles, ").removeprefix("subtitles of "),
    ),
    Section(
        "pictures",
        "Pictures from a list of URLs",
        "Different JPEGs of 50 KB from nginx on the same machine, to its disk, in two processes "
        "with 64 downloads at a time in each. `swather run media` streams each picture to disk, "
        "decodes it (all of its data, at an eighth of its width: enough to see that it is "
        "whole), compares it with those it has, and commits its item with a file that is "
        "durable. img2dataset, as its README runs it, decodes, resizes and encodes each picture "
        "again and writes a JSON file beside it; nothing waits for the disk. Both times include "
        "the start of all processes.",
        _named(pictures="pictures", pictures_CPU="CPU"),
    ),
    Section(
        "browser",
        "Pages in a browser",
        "Pages from nginx on the same machine that load a stylesheet and a script, which fetches "
        "the 40 articles that they show; four at a time in one Chromium, headless, its start not "
        "counted: Debian's chromium-headless-shell, which Swather prefers, and chromium. Processor "
        "time is that of all processes but the database's server. Swather's `ctx.render` has a "
        "permit, robots.txt and the guard for each of the four requests of a page, and commits its "
        "item; Crawlee's PlaywrightCrawler keeps its items in memory. Both wait for an article and "
        "read the HTML. Crawlee's pages share their cookies, as ours do in one session; without a "
        "session, Swather empties a page of all that its site has stored before the next target "
        "gets it.",
        lambda work: work.removeprefix("render in "),
    ),
    Section(
        "browser_memory",
        "300 targets in a browser",
        "The same pages in one worker, whose Chromium is restarted after every 100 targets: the "
        "memory that its processes share with no other, by the medians of the first hundred "
        "targets and of the last, and that of the worker; and how many processes of Chromium are "
        "left after the run.",
        lambda work: work.partition(": ")[2],
    ),
    Section(
        "proxies",
        "Through a proxy",
        "The pages of the first part through one proxy, 64 at a time: one of the pool, which is "
        "chosen for each request, watched for changes and told how it fares, and the same one "
        "named with each request. nginx answers requests for any host itself, so that the proxy "
        "costs nothing and the pool is all that differs.",
        _named(through_one_proxy="pages/s"),
    ),
    Section(
        "dashboard",
        "Pages about millions of tasks",
        "Every address of the dashboard and the API that only reads, with each of its filters, on "
        "a run of 300,000 tasks (10 million with `--full`) in all states on 5,000 lanes, with "
        "items, files, errors and a month of history, beside 200 other runs. The quickest of five "
        "answers of a real server on the same machine; of what is streamed, its first bytes.",
        lambda work: work,
    ),
    Section(
        "headlines",
        "Ten workers and fifty proxies against one worker",
        "A system that Swather replaces claims: ten workers on 51 states, each with one target at "
        "a time and 8 to 20 s between two, do 2,000 targets an hour through 50 proxies, and take a "
        "week instead of one worker's 215 days, which is 30 times as fast. Here the plan of "
        "`examples/us-states` on a stand-in of the directory and 50 proxies on the same machine, "
        "all times a twentieth, the figures as with the whole ones. A search takes 4 s: with 14 s "
        "of delay these are the claimed 2,000. With nothing but delays, ten workers should be ten "
        "times as fast as one; one worker's figure is of about 22 random delays, and may be 10 % "
        "off.",
        lambda work: work.removeprefix("delays alone: ") if _is_search("delays", work) else None,
    ),
    Section(
        "headlines",
        "The same on a site that limits each address",
        "The site answers 429 to an address that makes more than one search a minute, which are "
        "the 215 days, and Swather is told so (`rate`): it keeps that pace over all workers, and "
        "through proxies for each of them.",
        lambda work: work.removeprefix("limited: ") if _is_search("limited", work) else None,
    ),
    Section(
        "headlines",
        "Fifty workers against one, on pages of 6 s",
        "Another claim: 50 workers fetch 500 URLs a minute where one process fetches 10, which is "
        "one page after the other that takes 6 s. Here 50 worker processes of one slot and 1,000 "
        "such pages (`--full`; shorter ones otherwise) on one machine: the rate between everyone's "
        "first page and last; the time from the enqueue to the last page, 120 s at best; the start "
        "of all 50, which comes before; and the memory of all.",
        lambda work: (
            None if re.match("delays|limited", work) else work.removeprefix("50 workers: ")
        ),
    ),
)
