from pathlib import Path

import pytest

from swather import settings, settings_row, settings_sources
from swather.errors import BadSetting, InputError
from swather.model.pacing import parse_rate
from swather.store.sqlite.upkeep import DEFAULT_EVENT_DAYS


@pytest.fixture(autouse=True)
def an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SWATHER_DB", "SWATHER_CONCURRENCY", "WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


PLACES = ("option", "environment", ".env", "settings row", "swather.toml", "pyproject.toml")


def say(place: str, monkeypatch: pytest.MonkeyPatch, given: dict[str, dict[str, object]]) -> None:
    """Name a concurrency in one place, a different number in each."""
    number = 20 + PLACES.index(place)
    match place:
        case "option":
            given["options"] = {"concurrency": number}
        case "environment":
            monkeypatch.setenv("SWATHER_CONCURRENCY", str(number))
        case ".env":
            Path(".env").write_text(f"SWATHER_CONCURRENCY={number}\nOTHER=1\n")
        case "settings row":
            given["row"] = {"concurrency": number}
        case "swather.toml":
            Path("swather.toml").write_text(f"concurrency = {number}\n")
        case "pyproject.toml":
            Path("pyproject.toml").write_text(
                f"[project]\nname = 'x'\n[tool.swather]\nconcurrency = {number}\n"
            )


@pytest.mark.parametrize("first", range(len(PLACES)))
def test_the_first_place_that_names_a_setting_wins(first, monkeypatch: pytest.MonkeyPatch):
    given: dict[str, dict[str, object]] = {}
    for place in PLACES[first:]:
        say(place, monkeypatch, given)
    resolved = settings_sources.read(given.get("options"), row=given.get("row"))
    assert resolved.settings.concurrency == 20 + first
    assert resolved.origin("concurrency").partition(" (")[0] == PLACES[first]


def test_what_nobody_names_is_the_default():
    resolved = settings_sources.read()
    assert (resolved.settings.concurrency, resolved.origin("concurrency")) == (10, "default")
    assert resolved.settings.db == "sqlite:///swather.db"


def test_an_option_that_was_not_given_says_nothing():
    assert settings_sources.read({"concurrency": None}).origin("concurrency") == "default"


@pytest.mark.parametrize(
    ("variable", "name", "value"),
    [
        ("WORKER_COUNT", "workers", 7),
        ("MIN_DELAY_SECONDS", "min_delay_seconds", 7.0),
        ("MAX_DELAY_SECONDS", "max_delay_seconds", 7.0),
        ("REQUEST_TIMEOUT", "request_timeout", 7.0),
        ("PROXY_BLACKLIST_THRESHOLD", "proxy_blacklist_threshold", 7),
        ("PROXY_BLACKLIST_DURATION_MINUTES", "proxy_blacklist_minutes", 7.0),
        ("MAX_TARGETS_PER_BROWSER", "max_targets_per_browser", 7),
    ],
)
def test_other_names_in_the_environment_mean_the_same(
    variable, name, value, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(variable, "7")
    resolved = settings_sources.read()
    assert getattr(resolved.settings, name) == value
    assert resolved.origin(name) == f"environment ({variable})"
    monkeypatch.setenv(f"SWATHER_{name.upper()}", "8")
    assert getattr(settings_sources.read().settings, name) == 8


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("PROXY_FILE", "data/proxies.txt", "proxy_file", Path("data/proxies.txt")),
        ("PROXY_ROTATION_ENABLED", "true", "proxy_rotation", "request"),
        ("PROXY_ROTATION_ENABLED", "False", "proxy_rotation", "off"),
        ("PROXY_SELECTION_STRATEGY", "random", "proxy_selection_strategy", "random"),
        ("PROXY_SELECTION_STRATEGY", "sticky", "proxy_selection_strategy", "sticky_worker"),
    ],
)
def test_variables_of_other_programs_say_how_proxies_are_used(
    variable, text, name, value, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(variable, text)
    resolved = settings_sources.read()
    assert getattr(resolved.settings, name) == value
    assert resolved.origin(name) == f"environment ({variable})"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("proxy_selection_strategy", "fastest", "round_robin"),
        ("proxy_rotation", "often", "'request', 'target' or 'off'"),
        ("proxy_blacklist_threshold", 0, "greater than or equal to 1"),
        ("proxy_blacklist_minutes", 0, "greater than 0"),
        ("proxies_per_worker", 0, "greater than or equal to 1"),
        ("tor_socks", "9050", "should look like '127.0.0.1:9050'"),
        ("tor_socks", "localhost:99999", "should look like '127.0.0.1:9050'"),
        ("browser_block", "images,ads", "should name only images, fonts, media, stylesheets"),
        ("browser_pages", 0, "greater than or equal to 1"),
    ],
)
def test_a_bad_way_out_is_refused(name, value, said):
    with pytest.raises(BadSetting, match=f"{name} .*{said}.*, got {value!r}"):
        settings_sources.read({name: value})


def test_a_list_in_a_file_and_a_text_mean_the_same():
    Path("swather.toml").write_text('browser_block = ["images", "fonts"]\nproxy_tags = "a, b"')
    found = settings_sources.read().settings
    assert (found.browser_block, found.proxy_tags) == ("images,fonts", "a,b")


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("max_workers", "workers"),
        ("max_retries", "retries"),
        ("backoff_factor", "backoff"),
        ("output_dir", "files_folder"),
        ("WORKER_COUNT", "workers"),
        ("workers", "workers"),
    ],
)
def test_other_names_of_a_setting_are_known(other, name):
    assert settings_sources.canonical(other) == name


def test_the_row_may_hold_other_names_and_unknown_ones():
    resolved = settings_sources.read(
        row={"max_retries": 5, "of_a_later_release": 1, "db": "elsewhere"}
    )
    assert (resolved.settings.retries, resolved.origin("retries")) == (5, "settings row")
    assert resolved.origin("db") == "default"


def test_parameters_of_scrapers_are_json_in_their_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_PARAMS", '{"books": {"country": "nl"}}')
    assert settings_sources.read().settings.params == {"books": {"country": "nl"}}
    monkeypatch.setenv("SWATHER_PARAMS", "country=nl")
    with pytest.raises(BadSetting, match=r"SWATHER_PARAMS\): params .* got 'country=nl'"):
        settings_sources.read()


def test_variables_come_from_the_environment_and_then_from_dotenv(
    monkeypatch: pytest.MonkeyPatch,
):
    Path(".env").write_text("A_KEY=file\nANOTHER_KEY=file\n")
    monkeypatch.setenv("A_KEY", "environment")
    found = settings_sources.variables()
    assert found["A_KEY"] == ("environment", "environment (A_KEY)")
    assert found["ANOTHER_KEY"] == ("file", ".env (ANOTHER_KEY)")


def test_parameters_of_scrapers_come_from_the_file():
    Path("swather.toml").write_text("[params.books]\npages = 3\n")
    assert settings_sources.read().settings.params == {"books": {"pages": 3}}


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("worker = 2", "swather.toml: 'worker' is not a setting; did you mean 'workers'?"),
        (
            "nonsense = 2",
            "swather.toml: 'nonsense' is not a setting; `swather settings` lists them",
        ),
        ("workers = 'many'", "swather.toml: workers should be a valid integer"),
        ("workers = 0", "swather.toml: workers should be greater than or equal to 1, got 0"),
        ("strategy = 'best'", "swather.toml: strategy should be 'fifo', 'lifo', 'priority' or"),
        ("workers = ", "cannot be read: "),
        ("event_level = 'all'", "use: swather settings set event_level all"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_in_one_line(toml, message):
    Path("swather.toml").write_text(toml)
    with pytest.raises(BadSetting) as caught:
        settings_sources.read()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_variables_that_are_no_text_are_told():
    Path(".env").write_bytes(b"SWATHER_WORKERS=\xff\n")
    with pytest.raises(BadSetting, match=r"\.env cannot be read: .* 0xff"):
        settings_sources.read()


def test_a_mistyped_variable_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_CONCURENCY", "2")
    with pytest.raises(BadSetting, match="did you mean 'SWATHER_CONCURRENCY'"):
        settings_sources.read()


def test_a_variable_of_the_wrong_type_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WORKER_COUNT", "many")
    with pytest.raises(BadSetting, match=r"environment \(WORKER_COUNT\): workers .*got 'many'"):
        settings_sources.read()


def test_what_the_database_acts_upon_cannot_come_from_elsewhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_EVENT_LEVEL", "all")
    with pytest.raises(BadSetting, match="swather settings set event_level all"):
        settings_sources.read()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("concurrency", "50", 50),
        ("timeout", "2.5", 2.5),
        ("strategy", "lifo", "lifo"),
        ("files_folder", "out", "out"),
        ("max_workers", "3", 3),
    ],
)
def test_a_value_for_the_row_is_read_by_its_type(name, text, value):
    assert settings_sources.checked(name, text) == value


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("concurrency", "many", "concurrency should be a valid integer"),
        ("nonsense", "1", "'nonsense' is not a setting"),
        ("db", "sqlite:///x.db", "db cannot be set in the database"),
        ("params", "{}", "params cannot be set in the database"),
        ("rate", "foo", r"^rate should look like '5/s', '30/min' or '1/2s', got 'foo'$"),
        ("total_rate", "auto", "total_rate should look like '5/s'"),
    ],
)
def test_a_bad_value_for_the_row_is_refused(name, text, message):
    with pytest.raises(BadSetting, match=message):
        settings_sources.checked(name, text)


@pytest.mark.parametrize("name", ["lease_seconds", "grace_seconds", "poll_seconds"])
def test_a_wait_that_would_not_end_is_refused(name):
    with pytest.raises(BadSetting, match=f"{name} should be less than or equal to 31536000"):
        settings_sources.checked(name, "1e300")


@pytest.mark.parametrize("text", ["inf", "nan"])
def test_a_number_of_seconds_is_a_number(text):
    with pytest.raises(BadSetting, match="timeout should be a finite number"):
        settings_sources.checked("timeout", text)


@pytest.mark.parametrize("name", ["rate", "total_rate"])
@pytest.mark.parametrize(
    "text",
    [
        "5/s", " 30 / min ", "1/2s", "0.5/1.5h", "3/m", "1/d", "", "5", "0/s", "1/0s", "-1/s",
        "5/x", "1000000/s", "1000001/s", "1/3660d", "1/3661d",
    ],
)  # fmt: skip
def test_a_rate_is_good_for_the_settings_when_it_is_for_scrapers(name, text):
    try:
        parse_rate(text)
    except InputError:
        with pytest.raises(BadSetting, match=f"{name} should (look like|be at most)"):
            settings_sources.checked(name, text)
    else:
        assert settings_sources.checked(name, text) == text


def test_a_rate_may_be_found_out():
    assert settings_sources.checked("rate", "auto") == "auto"


def test_a_bad_rate_is_told_with_the_place_that_said_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_RATE", "foo")
    with pytest.raises(BadSetting, match=r"^environment \(SWATHER_RATE\): rate should look like"):
        settings_sources.read()


def test_every_setting_is_described():
    assert all(what for _name, what, _others in settings_sources.described())


def test_the_defaults_are_the_databases_own():
    assert settings_sources.read().settings.event_days == DEFAULT_EVENT_DAYS


OF_THIS_MACHINE = {
    "log_file_mb",
    "log_files",
    "db", "params", "logs_folder", "proxy_file", "tor_binary", "tor_socks", "tor_config",
    "chromium", "ray_address", "ray_packages", "scrapers_folder", "partitions", "s3_endpoint",
    "s3_region",
    "s3_access_key", "s3_secret_key", "s3_session_token",
    "on_end", "on_trouble", "webhook", "webhook_secret", "hook_timeout",
    "no_progress_seconds", "api_host", "api_port", "api_names", "api_token", "api_read_token",
    "metrics_host", "metrics_port", "tracing_endpoint", "tracing_share",
}  # fmt: skip


def test_every_setting_is_either_allowed_in_the_row_or_of_this_machine():
    names = set(settings.Settings.model_fields)
    assert names - settings_row.IN_THE_ROW == OF_THIS_MACHINE


@pytest.mark.parametrize("name", sorted(OF_THIS_MACHINE))
def test_what_is_of_this_machine_is_refused_in_the_row_and_ignored_there(name, caplog):
    default = getattr(settings_sources.read().settings, name)
    with pytest.raises(BadSetting, match=f"{name} cannot be set in the database.*swather.toml"):
        settings_sources.checked(name, "elsewhere")
    resolved = settings_sources.read(row={name: "elsewhere"})
    assert (getattr(resolved.settings, name), resolved.origin(name)) == (default, "default")
    assert f"{name} in the settings row of the database is ignored: " in caplog.text


def test_a_folder_can_come_from_the_row_only_below_this_machines_own(monkeypatch):
    row = {"output_dir": "./subtitles"}
    resolved = settings_sources.read(row=row)
    assert resolved.settings.files_folder == Path("files/subtitles")
    assert resolved.origin("files_folder") == "settings row"
    Path("swather.toml").write_text('files_folder = "/data"\n')
    assert settings_sources.read(row=row).settings.files_folder == Path("/data/subtitles")
    monkeypatch.setenv("SWATHER_FILES_FOLDER", "/mine")
    assert settings_sources.read(row=row).settings.files_folder == Path("/mine")


ESCAPES = [
    "/etc", "../x", "a/../../x", "~/x", "..", ".", "", ".ssh", "a/.git/hooks", "a\\..\\x", "a\0b",
    "//host/x", "C:\\x", 7, None, ["a"], "a\nb", "x" * 600,
]  # fmt: skip


@pytest.mark.parametrize("value", ESCAPES)
def test_a_folder_that_leads_elsewhere_is_refused_in_the_row_and_ignored_there(value, caplog):
    with pytest.raises(BadSetting, match="must be a relative path"):
        settings_sources.checked("files_folder", value)
    resolved = settings_sources.read(row={"files_folder": value})
    assert resolved.settings.files_folder is None
    assert resolved.origin("files_folder") == "default"
    assert "files_folder in the settings row of the database is ignored" in caplog.text


def test_the_row_cannot_ask_for_more_processes_than_a_machine_bears():
    with pytest.raises(BadSetting, match="workers should be less than or equal to 1000"):
        settings_sources.read(row={"max_workers": 10**9})
    with pytest.raises(BadSetting, match="concurrency should be less than or equal to 100000"):
        settings_sources.read(row={"concurrency": 10**9})
