"""Numbers of thousands of digits, on which int() itself fails, are wrong values like any other."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from swather.store import Store
from swather.web.pages import PAGES
from tests.api.test_openapi import DOCUMENT, METHODS, filled
from tests.api.test_uploads import CSV, a_registered_run, states

DIGITS: Final = "9" * 5_000


def test_no_page_fails_on_one(sqlite_client: TestClient, sqlite: Store, books: str) -> None:
    known = {**filled(sqlite), "name": "books", "source": "books", "scraper": "books"}
    asked = 0
    for route in (each for router in PAGES for each in router.routes):
        if not isinstance(route, APIRoute) or route.path.endswith("/live"):
            continue
        path = route.path
        for name in route.param_convertors:
            path = path.replace(f"{{{name}:int}}", "1").replace(
                f"{{{name}}}", str(known.get(name, 1))
            )
        for fields in filled_fields(route.dependant):
            for method in route.methods or ():
                answer = sqlite_client.request(
                    method,
                    path,
                    **{"params" if method == "GET" else "data": {**known, **fields}},
                    follow_redirects=False,
                )
                assert answer.status_code < 500, (method, path, answer.text)
                asked += 1
    assert asked > 100


def filled_fields(dependant: Dependant) -> Iterator[dict[str, str]]:
    """One field after the other, and all together."""
    names = [*names_in(dependant)]
    yield dict.fromkeys(names, DIGITS)
    for name in names:
        yield {name: DIGITS}


def names_in(dependant: Dependant) -> Iterator[str]:
    for field in (*dependant.query_params, *dependant.body_params):
        yield field.alias
    for each in dependant.dependencies:
        yield from names_in(each)


def test_no_route_fails_on_one(sqlite_client: TestClient, sqlite: Store, books: str) -> None:
    known = filled(sqlite)
    document = sqlite_client.get(DOCUMENT).json()
    asked = 0
    for path, item in document["paths"].items():
        for method in (each for each in METHODS if each in item):
            address = path.format(**{name: known.get(name, "x") for name in names_of(path)})
            for request in requests_of(document, item[method]):
                answer = sqlite_client.request(method.upper(), address, **request)
                assert answer.status_code < 500, (method, address, request, answer.text)
                asked += 1
    assert asked > 100


def names_of(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]


def requests_of(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            yield {"params": {parameter["name"]: DIGITS}}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        reference = schema.get("$ref", schema.get("anyOf", [{}])[0].get("$ref", ""))
        found = document["components"]["schemas"].get(reference.rpartition("/")[2], {})
        for name in found.get("properties", {}):
            others = dict.fromkeys(found.get("required", ()), "x")
            yield {"json": {**others, name: DIGITS}}
            yield {"json": {**others, name: [DIGITS]}}
            yield {
                "content": f'{{"{name}": {DIGITS}}}',
                "headers": {"content-type": "application/json"},
            }


@pytest.mark.parametrize("given", [DIGITS[:20], DIGITS, "٣"])
def test_a_limit_of_a_lane_that_is_none_says_so(sqlite_client: TestClient, given: str) -> None:
    answer = sqlite_client.put("/api/v1/lanes/example.com", json={"in_flight": given})
    assert answer.status_code == 422
    assert "in_flight" in answer.json()["detail"]


def test_files_for_each_source_that_nobody_can_count_are_refused(
    sqlite_client: TestClient,
) -> None:
    form = {"queries": "red bicycle", "sources": ["openverse"], "per_source": DIGITS}
    answer = sqlite_client.post("/media", data=form)
    assert answer.status_code == 422
    assert "a number from 1 to 500" in answer.text


def test_a_priority_of_too_many_digits_is_a_bad_line(
    sqlite_client: TestClient, sqlite: Store, books: str
) -> None:
    run = a_registered_run(sqlite_client)
    table = f"url,rank\nhttps://e.com/1,{DIGITS}\nhttps://e.com/2,3\n"
    address, query = f"/api/v1/uploads/{run}", {"column": "url", "priority_column": "rank"}
    refused = sqlite_client.post(address, content=table, headers=CSV, params=query)
    assert refused.status_code == 422
    assert "upload line 2: column 'rank': expected a whole number" in refused.json()["detail"]
    query["skip_bad"] = "true"
    loaded = sqlite_client.post(address, content=table, headers=CSV, params=query).json()
    assert (loaded["enqueued"], loaded["skipped"]) == (1, 1)
    assert states(sqlite, run) == {"ready": 1}


@pytest.mark.parametrize("rate", ["9" * 32 + "/s", "1000001/s", "1/9999999d", f"{DIGITS}/s"])
def test_a_rate_that_no_lane_can_have_is_refused(sqlite_client: TestClient, rate: str) -> None:
    answer = sqlite_client.put("/api/v1/lanes/example.com", json={"rate": rate[:50]})
    assert answer.status_code == 422
    assert "rate" in answer.json()["detail"]


def test_what_is_wrong_is_named_as_the_request_names_it(sqlite_client: TestClient) -> None:
    wrong = (
        {"in_flight": 0},
        {"in_flight": "many"},
        {"burst": 5},
        {"override": True},
        {"rate": "auto"},
    )
    for given in wrong:
        answer = sqlite_client.put("/api/v1/lanes/example.com", json=given)
        assert (answer.status_code, "--" in answer.text) == (422, False), answer.text
