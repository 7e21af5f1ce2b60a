"""The storage for saved files that the settings name: how it is reached, and whether it works."""

from pathlib import Path

from swather.errors import InputError, MissingExtra
from swather.file_location import BucketFolder, Location, from_here, read_location
from swather.net.bucket import BucketAccess, BucketRefused, BucketUnavailable
from swather.runs.health import Check, Health
from swather.scraping.bucket_files import BucketFiles
from swather.scraping.file_folders import files_at
from swather.scraping.scraper import Scraper
from swather.settings import Settings


def bucket_access(settings: Settings) -> BucketAccess:
    """How buckets are reached, from the settings."""
    keys = {
        "access_key": settings.s3_access_key,
        "secret_key": settings.s3_secret_key,
        "session_token": settings.s3_session_token,
    }
    return BucketAccess(
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        **{name: None if key is None else key.get_secret_value() for name, key in keys.items()},
    )


def made_folder(named: str | Path | None, settings: Settings) -> Location | None:
    """The folder for files that a person named with the command, made here: workers use a folder
    that a run names only if it is one already.
    """
    if named is None:
        return None
    try:
        location = read_location(from_here(named))
    except ValueError as error:
        raise InputError(f"the folder for files {error}") from None
    files_at(location, bucket_access(settings)).make()
    return location


def storage_of(scraper: Scraper, settings: Settings) -> Location:
    """Where its files go."""
    return settings.files_folder or scraper.options.files_folder


def check_storage(location: Location, settings: Settings) -> str | None:
    """InputError if it is a bucket that refuses us: every file would wait for a person. One that
    cannot be reached now is waited for; this returns what to say about it.
    """
    if not isinstance(location, BucketFolder):
        return None
    try:
        BucketFiles(location, bucket_access(settings)).check()
    except BucketRefused as error:
        raise InputError(str(error)) from error
    except BucketUnavailable as error:
        return f"{error}; files are saved once it can be"
    return None


def storage_checks(settings: Settings) -> list[Check]:
    """Whether files can be saved in the bucket that the settings name, if they name one."""
    location, what = settings.files_folder, "files"
    if not isinstance(location, BucketFolder):
        return []
    try:
        files = BucketFiles(location, bucket_access(settings))
        files.check()
        is_exact = files.keeps_names
    except (MissingExtra, BucketRefused) as error:
        return [Check(what, Health.PROBLEM, str(error))]
    except BucketUnavailable as error:
        return [Check(what, Health.WARNING, f"{error}; files wait until it can be")]
    if not is_exact:
        said = f"{location} works; names end with a hash, since the server ignores If-None-Match"
        return [Check(what, Health.OK, said)]
    return [Check(what, Health.OK, f"{location} can be written, listed, read and deleted from")]
