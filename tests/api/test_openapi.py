"""The OpenAPI document: complete, and true of what the server does."""

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import sampled_from
from schemathesis.python import asgi
from starlette.testclient import TestClient

from swather.access_token import Tokens
from swather.model.outcome import File
from swather.model.proxy_list import parse_proxies
from swather.model.schedule import NewSchedule
from swather.model.supervisor import NewSupervisor
from swather.posix import this_process
from swather.store import Store
from tests.api.conftest import ADMIN, BASE, an_app
from tests.store.given import a_run, a_worker, claim, completed, failed, finish

DOCUMENT: Final = "/api/v1/openapi.json"
# By hand: API_EXAMPLES=200 pytest tests/api/test_openapi.py -k fits
EXAMPLES: Final = int(os.environ.get("API_EXAMPLES", "2"))
CHECKS: Final = [
    getattr(schemathesis.checks, name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]
METHODS: Final = ("get", "post", "put", "delete", "patch")


@pytest.fixture
def document(sqlite_client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = sqlite_client.get(DOCUMENT).json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method.upper()} {path}", item[method]


def test_every_operation_says_what_it_does_and_how_it_fails(document: dict[str, Any]) -> None:
    found = dict(operations(document))
    assert len(found) > 60
    for name, operation in found.items():
        assert operation.get("summary"), name
        assert operation.get("description"), name
        assert operation.get("operationId"), name
        assert operation.get("tags"), name
        problem = operation["responses"]["4XX"]["content"]["application/problem+json"]
        assert "detail" in str(problem["schema"]), name
        assert "503" in operation["responses"], name
        for parameter in operation.get("parameters", []):
            assert parameter["schema"], name


def test_names_of_operations_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(names) == len(set(names))


def test_every_body_and_every_answer_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        contents = dict(operation.get("requestBody", {}).get("content", {}))
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                contents |= response.get("content", {})
        assert contents, name
        for kind, content in contents.items():
            if "format" in content.get("schema", {}):
                continue  # bytes
            assert is_exemplified(document, content), (name, kind)


def is_exemplified(document: dict[str, Any], content: dict[str, Any]) -> bool:
    return "example" in content or "examples" in content or has_example(document, content["schema"])


def has_example(document: dict[str, Any], schema: dict[str, Any]) -> bool:
    """Whether an example can be put together: of the whole, or of some of its members."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return has_example(document, document["components"]["schemas"][name])
    if "example" in schema or "examples" in schema:
        return True
    if schema.get("type") == "array":
        return not schema["items"] or has_example(document, schema["items"])
    inner = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
    if isinstance(schema.get("additionalProperties"), dict):
        inner.append(schema["additionalProperties"])
    return any(has_example(document, each) for each in inner)


def filled(store: Store) -> dict[str, Any]:
    """Something of every noun, and what it is called in addresses."""
    run, worker = a_run(store, 6, lane="example.com"), a_worker(store, name="barn-0")
    first, second, *_ = claim(store, worker, 3)
    file = File(name="cover.png", sha256="0" * 64, size_bytes=3, media_type="image/png")
    finish(store, completed(first, {"title": "A"}, files=[file]), failed(second))
    store.runs.pause(a_run(store, 1))
    store.lanes.pause("example.com")
    store.breakers.trip("books", "example.com", seen={}, probe_seconds=30)
    store.supervisors.register(NewSupervisor(process=this_process(), name="local", wanted=1))
    store.proxies.load(parse_proxies(["198.51.100.7:3128"])[0], source="list", replace=True)
    due = store.schedules.now().replace(year=2020)
    store.schedules.add(NewSchedule(name="books", scraper="books", cron="0 2 * * *"), due)
    (group,) = store.results.errors(run)
    (stored,) = store.results.of_task(first.task_id).files
    return {
        "run": run,
        "task": second.task_id,
        "group": group.fingerprint,
        "position": stored.position,
        "worker": "barn-0",
        "fleet": "local",
        "lane": "example.com",
        "proxy": store.proxies.find()[0].id,
        "schedule": "books",
        "scraper": "books",
        "name": "concurrency",
    }


@pytest.mark.slow
@pytest.mark.timeout(0 if EXAMPLES > 2 else 120)
def test_every_answer_fits_the_document_and_none_is_an_error_of_the_server(
    store: Store, tokens: Tokens, books: str
) -> None:
    app, served = an_app(store, tokens)
    known = filled(store)
    headers = {"authorization": f"Bearer {ADMIN}"}
    schema = schemathesis.openapi.from_asgi(DOCUMENT, app, headers={**headers, "host": "localhost"})
    failures: list[str] = []
    try:
        with asgi.get_client(app) as session:
            found = [each.ok() for each in schema.get_all_operations()]
            # What removes things comes last.
            for operation in sorted(found, key=lambda each: each.method == "delete"):
                failures += tried(operation, session, headers, known)
    finally:
        served.acting.close()
        served.stores.close()
    assert failures == []


def tried(
    operation: Any, session: Any, headers: dict[str, str], known: dict[str, Any]
) -> list[str]:
    """What is wrong with one operation. Most addresses name something that there is."""

    @given(case=operation.as_strategy(), is_known=sampled_from([True, True, False]))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @seed(7)
    def holds(case: Any, is_known: bool) -> None:
        if is_known:
            case.path_parameters |= {
                name: known[name] for name in case.path_parameters if name in known
            }
        case.call_and_validate(session=session, headers=headers, base_url=BASE, checks=CHECKS)

    try:
        holds()
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - all are told at once
        return [f"{operation.label}: {error}"]
    return []
