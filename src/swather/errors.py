"""Every error Swather raises on purpose.

SwatherError
├── InputError                  a value we were given cannot be used (also a ValueError)
│   ├── BadTarget               target, key, priority, lane, partition or due time
│   ├── BadPayload              not JSON, NaN, NUL, lone surrogate, too deep, too large
│   ├── BadSetting              a setting's name or value
│   ├── BadURL                  the database URL
│   ├── BadLines                lines of a target file that hold no usable target
│   ├── LoadError               a scraper cannot be loaded
│   │   └── BadSite             mistakes in a site file, each with its line
│   ├── NotAPack                a text names no size of a pack, or several
│   ├── NotAPrice               a text holds no price, or one that can be read in two ways
│   ├── PortTaken               a server cannot listen where another program does
│   ├── RunLocked               another process of this machine executes the run
│   ├── RunCancelled            targets for a run that was cancelled
│   └── WorkerLeaving           a worker was told to leave, and takes no other order
├── NotFound                    no such run, task, worker or error group
├── StoreError                  the database failed or refused
│   ├── DatabaseUnreachable     no server, no file, no permission, wrong password
│   ├── DatabaseBusy            another process held the write lock too long
│   ├── DatabaseUnusable        and waiting will not change that
│   │   ├── DatabaseReadOnly    the file or the server accepts no writes
│   │   ├── DatabaseDamaged     the file is not a database, or fails its own check
│   │   ├── DatabaseReplaced    the file was deleted, moved or replaced while in use
│   │   ├── NetworkFileSystem   SQLite on NFS, SMB and the like is not safe
│   │   ├── SchemaMissing       the database has no Swather tables
│   │   ├── SchemaTooOld        made by an earlier release: migrate it
│   │   └── SchemaTooNew        made by a later release: upgrade Swather
│   └── ConnectionLost          the connection broke; the last commit is uncertain
├── ResultsIncomplete           committed items could not be read yet
├── ServerRefused               a server of the API did not do what was asked
│   ├── UnknownToServer         it has no such run, task, worker or error group (also a NotFound)
│   └── RefusedInput            it cannot use a value (also an InputError)
├── ServerUnreachable           no server answers, or none of its database does
├── Closed                      the store or the writer was closed
├── HookFailed                  a hook did not take a notice
├── ScrapeError                 what a scraper raises to say how its attempt ended
│   ├── Permanent               no other attempt can succeed
│   ├── Transient               another attempt may succeed
│   ├── Blocked                 the site refuses us
│   └── Later                   it is too early; nothing failed
├── LeaseLost                   the attempt was cancelled, or another worker has its lease
├── AttemptOver                 ctx was used after its scraper had returned, or in a forked process
├── Postponed                   a lane is closed, or no file can be saved, for longer than we wait
├── NotStored                   a replay asked for a page that the run did not store
├── MissingExtra                an optional package is not installed
└── FetchError                  a request failed; its tree is in swather.net.errors
"""

from pathlib import Path


class SwatherError(Exception):
    """Base of all errors raised by Swather; its text is fit to show a user."""


class InputError(SwatherError, ValueError):
    """A value we were given cannot be used."""


class BadTarget(InputError):
    """A target, its key, priority, lane, partition or due time cannot be used."""


class BadPayload(InputError):
    """A value cannot be stored as JSON."""


class BadSetting(InputError):
    """A setting's name or value cannot be used."""


class BadURL(InputError):
    """A database URL cannot be understood."""


class BadLines(InputError):
    """Lines of a target file hold no usable target; the text lists the first of them."""


class LoadError(InputError):
    """A scraper cannot be loaded: no file, broken code, no scraper in it, or too many."""


class NotAPack(InputError):
    """A text names no size of a pack, or several; it says which."""


class NotAPrice(InputError):
    """A text holds no price, more than one, or one that can be read in two ways; it says which."""


class BadSite(LoadError):
    """Mistakes in a site file; the text has a line for each, with the line of the file."""


class PortTaken(InputError):
    """Another program listens where a server was to."""


class RunLocked(InputError):
    """Another process of this machine executes the run; `lock` is the file that it holds."""

    def __init__(self, message: str, lock: Path) -> None:
        super().__init__(message)
        self.lock = lock


class RunCancelled(InputError):
    """Targets for a run that was cancelled: it takes no more."""


class WorkerLeaving(InputError):
    """A worker was told to drain or to stop, and cannot be called back; the text says which."""


class NotFound(SwatherError, LookupError):
    """No such run, task, worker or error group."""


class StoreError(SwatherError):
    """The database failed or refused."""


class DatabaseUnreachable(StoreError):
    """No server, no file, no permission or a wrong password."""


class DatabaseBusy(StoreError):
    """Another process held the write lock too long."""


class DatabaseUnusable(StoreError):
    """The database cannot be used, and waiting will not change that."""


class DatabaseReadOnly(DatabaseUnusable):
    """The file or the server accepts no writes."""


class DatabaseDamaged(DatabaseUnusable):
    """The file is not a database, or fails its own check."""


class DatabaseReplaced(DatabaseUnusable):
    """The file was deleted, moved or replaced while it was in use."""


class NetworkFileSystem(DatabaseUnusable):
    """SQLite on a network file system loses data; we refuse."""


class SchemaMissing(DatabaseUnusable):
    """The database has no Swather tables."""


class SchemaTooOld(DatabaseUnusable):
    """The tables were made by an earlier release and must be migrated."""


class SchemaTooNew(DatabaseUnusable):
    """The tables were made by a later release than this one."""


class ConnectionLost(StoreError):
    """The connection broke; whether the last commit happened is uncertain."""


class ResultsIncomplete(SwatherError):
    """Items are committed, but could not be read in time: `missing` of them."""

    def __init__(self, message: str, missing: int) -> None:
        super().__init__(message)
        self.missing = missing


class ServerRefused(SwatherError):
    """A server of the API did not do what was asked: `status` is that of HTTP, `detail` says why,
    `command` is what to type where the server runs, if that helps, and `server` is its address.
    """

    def __init__(
        self, status: int, detail: str, command: str | None = None, server: str = ""
    ) -> None:
        super().__init__(detail if command is None else f"{detail}: {command}")
        self.status = status
        self.detail = detail
        self.command = command
        self.server = server


class UnknownToServer(ServerRefused, NotFound):
    """The server has no such run, task, worker or error group."""


class RefusedInput(ServerRefused, InputError):
    """The server cannot use a value."""


class ServerUnreachable(SwatherError):
    """No server answers there, its answer broke off, or its database does not answer it."""


class Closed(SwatherError):
    """The store or the writer was closed."""


class HookFailed(SwatherError):
    """A command or webhook did not take a notice; the text holds no address and no secret."""


class ScrapeError(SwatherError):
    """What a scraper raises to say how its attempt ended."""


class Permanent(ScrapeError):
    """No other attempt can succeed; `reason` names the task's end, for example 'no_subtitles'."""

    reason: str | None = None

    def __init__(self, message: str = "", reason: str | None = None) -> None:
        super().__init__(message or reason or "failed permanently")
        self.reason = reason


class Transient(ScrapeError):
    """Another attempt may succeed, `after` seconds from now or at the usual backoff."""

    after: float | None = None

    def __init__(self, message: str = "", after: float | None = None) -> None:
        super().__init__(message or "failed, may be retried")
        self.after = after


class Blocked(ScrapeError):
    """The site refuses us: its lane cools down, for `after` seconds if they are given."""

    after: float | None = None

    def __init__(self, message: str = "", after: float | None = None) -> None:
        super().__init__(message or "refused by the site")
        self.after = after


class Later(ScrapeError):
    """It is too early for this target, a premiere for example: it is due again `after` seconds from
    now. That is no failure: no retry is spent and nothing cools down.
    """

    after: float

    def __init__(self, message: str = "", *, after: float) -> None:
        super().__init__(message or "too early")
        self.after = after


class LeaseLost(SwatherError):
    """The attempt was cancelled or another worker has its lease: stop, nothing will be kept.

    `task_id` and `token` name the lease; other attempts are not affected.
    """

    def __init__(
        self, message: str = "", task_id: int | None = None, token: int | None = None
    ) -> None:
        super().__init__(message or "this attempt has lost its lease")
        self.task_id = task_id
        self.token = token


class AttemptOver(SwatherError):
    """The scraper has returned, or this process is a forked copy: nothing more is taken from it."""


class Postponed(SwatherError):
    """A lane is closed, or no file can be saved: stop, the target will be tried again."""


class NotStored(SwatherError):
    """A replay asked for a page that the run did not store."""


class MissingExtra(SwatherError):
    """An optional package is not installed; the text has the command that installs it."""


class FetchError(SwatherError):
    """A request failed."""
