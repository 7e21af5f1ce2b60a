"""The web as a scraper sees it: what its setup() is given, and a part of every context."""

import logging
from collections.abc import Coroutine, Mapping
from datetime import datetime
from typing import Any, ClassVar, Unpack

from swather import posix
from swather.errors import AttemptOver, InputError
from swather.model.lease import Lease
from swather.net.cookies import by_proxy, within
from swather.net.download import Download
from swather.net.egress import WayOut
from swather.net.errors import Unencrypted, UntrustedRedirect
from swather.net.form import Form
from swather.net.page import Page, is_absolute, join
from swather.net.request import Request
from swather.scraping.arguments import Fields, Headers, RequestFields, Value, request_of
from swather.scraping.attempt import RunCoroutine, RunInfo, TaskLog, Verbs
from swather.scraping.login import Check, Turn, checked, form_on, is_logged_in, refused
from swather.scraping.option_checks import SessionScope
from swather.scraping.scraper import Scraper
from swather.scraping.targets import address_of, lane_of_url


class Web:
    """Fetches pages on behalf of one attempt, in its scraper's session."""

    __slots__ = (
        "_is_over",
        "_lease",
        "_log",
        "_process_id",
        "_scraper",
        "_verbs",
        "page",
        "params",
        "run",
    )

    _WHY_OVER: ClassVar = (
        "this ctx can no longer be used: its target is done; make the scraper wait for its "
        "threads and tasks before it returns"
    )

    def __init__(
        self, *, scraper: Scraper, lease: Lease, run: RunInfo, params: Any, verbs: Verbs
    ) -> None:
        self.params = params
        self.run = run
        self.page: Page | None = None
        self._scraper = scraper
        self._lease = lease
        self._verbs = verbs
        self._log: TaskLog | None = None
        self._is_over = False
        self._process_id = posix.process_id

    @property
    def log(self) -> TaskLog:
        """A logger whose records carry the run and the task; `swather logs` shows its lines."""
        if self._log is None:
            logger = logging.getLogger(f"swather.scraper.{self._scraper.name}")
            about = {"run": self.run.name, "task": self._lease.task_id}
            self._log = TaskLog(logger, about, self._verbs.notes)
        return self._log

    async def get(
        self,
        url: str | None = None,
        *,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,  # noqa: ASYNC109
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        etag: str | None = None,
        last_modified: str | datetime | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Page:
        """Fetch a page, the target's own by default; a relative `url` starts at the last page.

        A status of 400 or more raises HttpStatusError, unless `check` is False. With the `etag` or
        `last_modified` of an earlier page, the site may answer that it `is_unchanged`.

        When a redirect leads to another origin (scheme, host or port), your `headers` are dropped,
        except for those such as User-Agent and Accept-Language; `trust_redirects` sends them along.

        A request waits for its lane, and if that is closed for long the whole target is postponed.
        With `max_wait` it raises LaneBusy instead, if it would have to wait for more seconds.
        """
        request = self._request(
            "GET", url, headers=headers, params=params, timeout=timeout, proxy=proxy,
            profile=profile, etag=etag, last_modified=last_modified,
            trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        return await self._send(request, check=check)

    async def post(
        self,
        url: str | None = None,
        *,
        data: bytes | str | Fields = None,
        json: Any = None,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,  # noqa: ASYNC109
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Page:
        """Send a form (`data` as a mapping), raw bytes or text (`data`), or `json`.

        A 307 or 308 to another origin (scheme, host or port) raises UntrustedRedirect instead of
        sending the body there, unless `trust_redirects` is True.
        """
        request = self._request(
            "POST", url, data=data, json=json, headers=headers, params=params, timeout=timeout,
            proxy=proxy, profile=profile, trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        return await self._send(request, check=check)

    async def download(
        self,
        url: str | None = None,
        *,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,  # noqa: ASYNC109
        max_bytes: int | None = None,
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Download:
        """Fetch a file as it arrives, without holding it in memory, and look at its first bytes.

        It may be as large as `max_bytes`, or the setting `max_download_bytes`, and take `timeout`
        seconds in all. A file that is not complete raises a FetchError, and is not kept. Give the
        download to `save` to keep it; if not, it is removed when the attempt ends.
        """
        request = self._request(
            "GET", url, headers=headers, params=params, timeout=timeout, proxy=proxy,
            profile=profile, trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        return await self._download(request, max_bytes, check=check)

    async def login(
        self,
        url: str,
        fields: Mapping[str, Value],
        *,
        form: str | None = None,
        check: Check = None,
    ) -> Page:
        """Log in with the form of a page, unless `check` already holds; returns the next page.

        `fields` are filled in, hidden ones kept; `form` is a selector, by default of the form with
        a password. `check` is a text that the page must have, or a function of it: without it,
        Permanent with reason 'login_failed'. All of it goes over https, redirects too, except to
        hosts of a local network.
        """
        first = self._login_page(url)
        async with Turn(first.session):
            page = await self._login_step(first)
            if is_logged_in(page, check):
                return page
            found = form_on(page, form)
            answer = await self._login_step(self._login_form(found, fields))
            return checked(answer, check, found, fields)

    async def new_identity(self) -> None:
        """Leave as somebody else from the next request on: by another Tor circuit, which mostly
        has another exit, or through another proxy of the pool. Cookies stay; connections that are
        open are not used again.
        """
        self._check_usable()
        if self._scraper.options.way_out is WayOut.DIRECT:
            raise InputError(
                f"new_identity() needs tor or proxies, and the scraper {self._scraper.name!r} has "
                "neither: give it @scraper(tor=True) or @scraper(proxies=True)"
            )
        await self._verbs.new_identity()

    @property
    def _is_forked(self) -> bool:
        """Whether this process is a fork of the one that has the target."""
        return self._process_id != posix.process_id

    def _end(self) -> None:
        """The scraper has returned: code that still holds this object can no longer use it."""
        self._is_over = True

    def _check_usable(self) -> None:
        """AttemptOver for threads, tasks and processes that were left behind."""
        if not self._is_over and self._process_id == posix.process_id:
            return
        if self._is_over:
            raise AttemptOver(self._WHY_OVER)
        raise AttemptOver(
            "this ctx cannot be used in a forked process; return what it finds to "
            "the process that runs the scraper"
        )

    def _for_instance(self, run_coroutine: RunCoroutine | None = None) -> "InstanceWeb":
        """For the setup() of an instance: the same, with a last page of its own."""
        web = InstanceWeb(scraper=self._scraper, lease=self._lease, run=self.run,
                          params=self.params, verbs=self._verbs)  # fmt: skip
        web._serve(self, run_coroutine)  # noqa: SLF001 - one web to another
        return web

    def _request(self, method: str, url: str | None, **fields: Unpack[RequestFields]) -> Request:
        """The request as it goes out: with the scraper's profile, after its hooks, in its session.

        It runs in the thread of the scraper, as its hooks shall.
        """
        options, hooks = self._scraper.options, self._scraper.hooks
        fields["profile"] = fields.get("profile") or options.profile
        request = request_of(method, self._absolute(url), **fields)
        if hooks.requests:
            request = hooks.changed(request)
        if options.session is not None or request.session:
            request = request.in_session(self._session_of(request, options.session))
        return request

    def _login_page(self, url: str) -> Request:
        """The first step of a login, made like the next one in the thread of the scraper."""
        if self._scraper.options.session is None:
            raise InputError(
                f"login() needs cookies, and the scraper {self._scraper.name!r} keeps none: "
                "give it @scraper(session='run'), or 'lane' or 'proxy'"
            )
        return self._request("GET", url).over_https()

    def _login_form(self, form: Form, fields: Mapping[str, Value]) -> Request:
        filled = {**form.fields, **fields}
        if form.method == "POST":
            request = self._request("POST", form.action, data=filled)
        else:
            request = self._request("GET", form.action, params=filled)
        return request.over_https()

    async def _login_step(self, request: Request) -> Page:
        try:
            return await self._send(request, check=False)
        except (Unencrypted, UntrustedRedirect) as error:
            raise refused(request, error) from None

    async def _send(self, request: Request, *, check: bool) -> Page:
        self._check_usable()
        page = await self._verbs.fetch(request)
        self.page = page
        if check:
            page.raise_for_status()
        return page

    async def _download(self, request: Request, max_bytes: int | None, *, check: bool) -> Download:
        self._check_usable()
        if max_bytes is not None and (type(max_bytes) is not int or max_bytes < 1):
            raise InputError(f"max_bytes must be a whole number of at least 1, got {max_bytes!r}")
        download = await self._verbs.download(request, max_bytes)
        if check:
            download.raise_for_status()
        return download

    def _session_of(self, request: Request, scope: SessionScope | None) -> str:
        """A name within the run: two runs of one scraper may be those of two accounts."""
        if request.session:
            return within(self.run.id, f"own:{request.session}")
        match scope:
            case SessionScope.LANE:
                named = self._scraper.options.lane is not None
                lane = self._lease.lane if named else lane_of_url(request.url)
                return within(self.run.id, f"lane:{lane}")
            case SessionScope.PROXY:
                return by_proxy(self.run.id, request.egress.key)
            case SessionScope.RUN | None:
                return within(self.run.id)

    def _base(self) -> str:
        if self.page is not None:
            return self.page.url
        return address_of(self._scraper, self._lease.target) or ""

    def _absolute(self, url: str | None) -> str:
        if url is not None:
            return url if is_absolute(url) else join(self._base(), url) or url
        own = address_of(self._scraper, self._lease.target)
        if own is None:
            raise InputError(f"the target {self._lease.target!r} has no URL")
        return own


class InstanceWeb(Web):
    """What setup() is given. It lives as long as its instance, and fetches on behalf of the attempt
    that the instance is working on. A plain scraper's is given how to run a coroutine for that
    attempt, too.
    """

    __slots__ = ("_run_coroutine",)

    _WHY_OVER: ClassVar = (
        "the web passed to setup() can be used only in setup() and scrape(): it fetches for the "
        "current target, and there is none now"
    )

    _run_coroutine: RunCoroutine | None

    def _serve(self, attempt: Web, run_coroutine: RunCoroutine | None = None) -> None:
        """Fetch for this attempt from now on; it has no last page yet."""
        self.run = attempt.run
        self.params = attempt.params
        self.page = None
        self._lease = attempt._lease  # noqa: SLF001 - one web to another
        self._verbs = attempt._verbs  # noqa: SLF001 - one web to another
        self._log = None
        self._run_coroutine = run_coroutine
        self._is_over = False

    def _login_page(self, url: str) -> Request:
        options = self._scraper.options
        if options.session is SessionScope.PROXY and options.way_out is WayOut.POOL:
            raise InputError(
                f"the scraper {self._scraper.name!r} has a session for each proxy, and setup() "
                "would log in to one of them: log in with ctx.login() in scrape(), or give it "
                "session='run' and Proxies(strategy='sticky_session')"
            )
        return super()._login_page(url)

    def _wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        assert self._run_coroutine is not None
        return self._run_coroutine(coroutine)
