"""Errors, workers, fleets, lanes, proxies, schedules, settings and the rest, over HTTP."""

from typing import Any

from starlette.testclient import TestClient

from swather.model.history import Measured
from swather.model.schedule import NewSchedule
from swather.model.supervisor import NewSupervisor
from swather.model.task import Target
from swather.posix import this_process
from swather.store import Store
from tests.store.given import a_producer, a_run, a_worker, claim, failed, finish, states

CANARY = "hunter2canary"


def got(client: TestClient, address: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/{address}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def posted(client: TestClient, address: str, body: Any = None, status: int = 200) -> Any:
    answer = client.post(f"/api/v1/{address}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_error_groups_are_listed_muted_and_retried(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 3), a_worker(store)
    finish(store, *map(failed, claim(store, worker, 3)))
    (group,) = got(client, f"runs/{run}/errors")
    assert (group["run"], group["count"], group["failed"], group["muted"]) == (run, 3, 3, False)
    name = group["group"]
    assert got(client, "errors") == [group]
    assert group["when"] == []
    assert got(client, "errors", since_hours=1) == [group]
    assert got(client, f"runs/{run}/errors/{name[:6]}") == group
    store.history.note(run, Measured(groups={name: 3}))
    (quarter,) = got(client, f"runs/{run}/errors/{name}")["when"]
    assert (quarter["seconds"], quarter["count"]) == (900, 3)
    assert got(client, "errors")[0]["when"] == [quarter]
    posted(client, f"runs/{run}/errors/{name}/mute")
    assert got(client, f"runs/{run}/errors/{name}")["muted"] is True
    posted(client, f"runs/{run}/errors/{name}/unmute")
    assert posted(client, f"runs/{run}/errors/{name}/retry")["retried"] == 3
    assert states(store, run) == {"ready": 3}
    assert client.get(f"/api/v1/runs/{run}/errors/beef").status_code == 404


def test_workers_are_shown_and_paused(client: TestClient, store: Store) -> None:
    a_run(store, 2)
    worker = a_worker(store, name="barn-0", version="v1")
    claim(store, worker, 2)
    (shown,) = got(client, "workers")
    told = (shown["worker"], shown["worker_id"], shown["version"], shown["leases"])
    assert told == ("barn-0", worker, "v1", 2)
    assert posted(client, "workers/barn-0/pause") == {"workers": ["barn-0"], "paused": True}
    assert got(client, f"workers/{worker}")["state"] == "paused"
    posted(client, f"workers/{worker}/unpause")
    assert got(client, "workers/barn-0")["state"] == "working"
    assert client.get("/api/v1/workers/nobody").status_code == 404
    drained = posted(client, "workers/barn-0/drain")
    assert drained == {"workers": ["barn-0"], "state": "draining"}
    assert got(client, "workers/barn-0")["state"] == "draining"
    posted(client, f"workers/{worker}/stop")
    shown = got(client, "workers/barn-0")
    assert (shown["state"], shown["leaving"]) == ("stopping", "stop")
    posted(client, "workers/nobody/drain", None, 404)
    for verb in ("pause", "unpause"):
        refused = posted(client, "workers/barn-0/" + verb, None, 409)
        assert "worker barn-0 is stopping and cannot be called back" in refused["detail"]


def test_who_loads_targets_is_no_worker(client: TestClient, store: Store) -> None:
    a_producer(store, a_run(store), name="loader")
    assert client.get("/api/v1/workers/loader").status_code == 404
    posted(client, "workers/loader/pause", None, 404)


def test_fleets_are_scaled_restarted_and_stopped(client: TestClient, store: Store) -> None:
    new = NewSupervisor(process=this_process(), name="local", wanted=2, command="swather fleet up")
    fleet = store.supervisors.register(new)
    assert [each["wanted"] for each in got(client, "fleets")] == [2]
    assert posted(client, "fleets/local/scale", {"workers": 5})["wanted"] == 5
    assert store.supervisors.get(fleet).wanted == 5
    assert posted(client, "fleets/local/restart")["restarting"] is True
    bounds = {"minimum": 1, "maximum": 3}
    assert "does not scale itself" in posted(client, "fleets/local/bounds", bounds, 409)["detail"]
    posted(client, "fleets/local/bounds", {"minimum": 4, "maximum": 3}, 422)
    assert posted(client, "fleets/local/stop", {"now": True})["stopping"] is True
    store.supervisors.retire(fleet)
    for order, body in (("scale", {"workers": 1}), ("restart", None), ("stop", None)):
        problem = posted(client, f"fleets/local/{order}", body, 409)
        assert problem["command"] == "swather fleet up"
    posted(client, "fleets/nowhere/scale", {"workers": 1}, 404)


def test_a_fleet_that_scales_itself_takes_bounds(client: TestClient, store: Store) -> None:
    new = NewSupervisor(process=this_process(), name="auto", wanted=1, minimum=1, maximum=4)
    store.supervisors.register(new)
    assert "scales itself" in posted(client, "fleets/auto/scale", {"workers": 2}, 409)["detail"]
    answer = posted(client, "fleets/auto/bounds", {"minimum": 2, "maximum": 6})
    assert (answer["minimum"], answer["maximum"]) == (2, 6)


def test_lanes_are_limited_paused_cooled_and_cleared(client: TestClient, store: Store) -> None:
    run = a_run(store, 1, lane="shop.example")
    answer = client.put("/api/v1/lanes/shop.example", json={"rate": "2/s", "in_flight": 4})
    assert (answer.json()["rate"], answer.json()["max_in_flight"]) == ("2/s", 4)
    assert store.lanes.get("shop.example").limits.in_flight == 4
    assert answer.json()["last_hour"] is None
    store.history.note(run, Measured(lanes={"shop.example": (8, 2)}))
    (listed,) = got(client, "lanes")
    assert listed["last_hour"] == {
        "answers": 8, "too_many_requests": 2, "share_429": 0.25, "is_about": False
    }  # fmt: skip
    assert got(client, "lanes/shop.example")["last_hour"] == listed["last_hour"]
    assert posted(client, "lanes/shop.example/pause")["paused"] is True
    assert got(client, "lanes/shop.example")["reasons"][0]["code"]
    store.breakers.trip("books", "shop.example", seen={}, probe_seconds=30)
    assert posted(client, "lanes/shop.example/unpause")["breakers"] == []
    assert posted(client, "lanes/shop.example/cool", {"seconds": 60})["cool_until"]
    assert [each["lane"] for each in got(client, "lanes")] == ["shop.example"]
    assert posted(client, "lanes/shop.example/clear")["rate"] is None
    scraper = client.post("/api/v1/lanes/books/pause", params={"kind": "scraper"}).json()
    assert (scraper["scraper"], scraper["paused"]) == ("books", True)
    # A lane may have any name, that of an address too.
    posted(client, "lanes/media%2Fa%20b%3Fc/pause")
    assert store.lanes.get("media/a b?c").paused
    for body in ({}, {"rate": "fast"}, {"in_flight": 0}, {"burst": 0}, {"burst": 2}):
        assert client.put("/api/v1/lanes/other.example", json=body).status_code == 422, body


def test_proxies_are_imported_without_showing_logins(client: TestClient, store: Store) -> None:
    lines = [f"198.51.100.7:3128:user:{CANARY}", "198.51.100.8:3128 country=fr", "nonsense"]
    body = {"proxies": lines, "source": "provider", "tags": ["home"], "country": "de"}
    answer = posted(client, "proxies/import", body)
    assert (answer["added"], [bad["line"] for bad in answer["bad_lines"]]) == (2, [3])
    first, second = got(client, "proxies")
    assert (first["country"], second["country"], first["tags"]) == ("de", "fr", ["home"])
    assert [each["proxy"] for each in got(client, "proxies", country="fr")] == [second["proxy"]]
    assert got(client, f"proxies/{first['proxy']}")["sites"] == []
    changed = posted(client, "proxies/disable", {"proxies": [first["proxy"]]})
    assert (changed["count"], got(client, f"proxies/{first['proxy']}")["state"]) == (1, "disabled")
    assert posted(client, "proxies/enable", {"state": "disabled"})["count"] == 1
    for wrong in ({}, {"all": True, "tag": ["home"]}, {"proxies": [1], "all": True}):
        posted(client, "proxies/remove", wrong, 422)
    dry = client.post("/api/v1/proxies/remove", json={"all": True}, params={"dry_run": True})
    assert (dry.json()["count"], len(got(client, "proxies"))) == (2, 2)
    assert posted(client, "proxies/remove", {"all": True})["count"] == 2
    assert got(client, "proxies") == []
    assert posted(client, "proxies/import", {"proxies": ["nonsense"]}, 422)
    assert CANARY not in str([store.actions.find(), answer, first, second, changed])


def test_partitions_are_listed_and_planned(client: TestClient, store: Store) -> None:
    run = a_run(store)
    store.tasks.enqueue(run, [Target(value=n, partition=n) for n in ("bavaria", "berlin")])
    assert [each["waiting"] for each in got(client, f"runs/{run}/partitions")] == [1, 1]
    plan = posted(client, f"runs/{run}/partitions/plan", {"workers": 2})
    assert [each["left"] for each in plan] == [1, 1]
    assert store.partitions.planned(run) == {}
    posted(client, f"runs/{run}/partitions/plan", {"workers": 2, "apply": True})
    assert sorted(store.partitions.planned(run).values()) == [0, 1]


def test_schedules_are_added_disabled_and_removed(
    client: TestClient, store: Store, books: str
) -> None:
    body = {"scraper": books, "cron": "0 2 * * *", "targets": ["https://example.com/new"]}
    added = posted(client, "schedules", {**body, "params": {"pages": 2}}, 201)
    assert (added["schedule"], added["params"], added["enabled"]) == ("books", {"pages": 2}, True)
    assert store.schedules.get("books").is_remote
    assert got(client, "schedules/books")["next_at"] == got(client, "schedules")[0]["next_at"]
    assert posted(client, "schedules/books/fire")["next_at"] < added["next_at"]
    assert [each.name for each in store.schedules.due()] == ["books"]
    assert posted(client, "schedules/books/disable")["next_at"] is None
    posted(client, "schedules/books/fire", None, 422)
    assert posted(client, "schedules/books/enable")["enabled"] is True
    posted(client, "schedules", body, 422)
    for wrong in (
        {**body, "schedule": "x", "cron": "at dawn"},
        {**body, "schedule": "x", "timezone": "Mars"},
        {**body, "schedule": "x", "params": {"pages": "many"}},
        {**body, "schedule": "x", "params": {"colour": 1}},
    ):
        posted(client, "schedules", wrong, 422)
    posted(client, "schedules", {**body, "scraper": "books.py"}, 404)
    assert client.delete("/api/v1/schedules/books").json() == {"removed": "books"}
    assert store.schedules.find() == []


def test_schedules_of_people_are_not_those_of_clients(store: Store) -> None:
    due = store.schedules.now()
    new = NewSchedule(name="mine", scraper="books", cron="0 2 * * *", params={"pages": 1})
    assert not store.schedules.add(new, due).is_remote


def test_settings_are_shown_with_origins_and_kept_in_the_row(
    client: TestClient, store: Store
) -> None:
    answer = client.put("/api/v1/settings/concurrency", json={"value": 50})
    assert answer.json() == {"name": "concurrency", "value": 50}
    shown = got(client, "settings")["concurrency"]
    assert (shown["value"], shown["in_row"], shown["origin"]) == (50, True, "settings row")
    assert store.settings.all() == {"concurrency": 50}
    for name, value in (
        ("concurrency", -1),
        ("concurrency", "many"),
        ("db", "sqlite:///other.db"),
        ("webhook", "https://evil.example"),
        ("files_folder", "/etc"),
        ("files_folder", "../up"),
        ("colour", "red"),
    ):
        wrong = client.put(f"/api/v1/settings/{name}", json={"value": value})
        assert wrong.status_code == 422, (name, value)
    assert client.delete("/api/v1/settings/concurrency").json()["was_set"] is True
    assert store.settings.all() == {}


def test_scrapers_are_described_with_a_schema_of_their_params(
    sqlite_client: TestClient, books: str
) -> None:
    names = [each["scraper"] for each in got(sqlite_client, "scrapers")]
    assert {"books", "media"} <= set(names)
    schema = got(sqlite_client, "scrapers/books")["params"]
    assert schema["properties"]["pages"] == {
        "type": "integer",
        "description": "How many pages.",
        "default": 3,
    }
    assert schema["properties"]["order"]["enum"] == ["new", "old"]
    for name in ("books.py", "..%2Fbooks.py:books", "os:system", "nothing"):
        assert sqlite_client.get(f"/api/v1/scrapers/{name}").status_code == 404, name


def test_status_history_health_sources_and_notices_are_told(
    client: TestClient, store: Store
) -> None:
    run = a_run(store, 2)
    assert [each["run"] for each in got(client, "status")["runs"]] == [run]
    health = got(client, "health")
    assert health["health"] == "warning", "there is work, and no worker"
    a_worker(store)
    assert got(client, "health")["health"] == "ok"
    store.history.sample()
    assert got(client, f"runs/{run}/history", seconds=60, points=6)
    assert got(client, "history", seconds=60, points=6)
    assert got(client, "sources") == got(client, f"runs/{run}/sources") == []
    posted(client, "sources/reset", {"source": "flickr"}, 404)
    posted(client, f"runs/{run}/cancel")
    assert [each["run"] for each in got(client, "notices")] == [run]
    assert posted(client, "notices/retry") == {"retried": 0}
    for number in (0, -1, 2**63):
        posted(client, "notices/retry", {"notices": [number]}, 422)
        posted(client, f"runs/{run}/tasks/retry", {"task": [number]}, 422)


def test_actions_are_listed_part_by_part(client: TestClient, store: Store) -> None:
    for run in (a_run(store), a_run(store), a_run(store)):
        posted(client, f"runs/{run}/pause")
    page = got(client, "actions", limit=2)
    rest = got(client, "actions", before=page["next"])
    assert [len(page["actions"]), len(rest["actions"]), rest["next"]] == [2, 1, None]
    assert {action["verb"] for action in page["actions"]} == {"run pause"}
    assert page["actions"][0]["actor"].startswith("admin@")
