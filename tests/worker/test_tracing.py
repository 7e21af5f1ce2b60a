"""What a worker tells a collector of its run, its attempts and their requests."""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import ValidationError

from swather.errors import MissingExtra, Permanent, Transient
from swather.fleet import worker_factory
from swather.scraping.scraper import scraper
from swather.settings import Settings
from swather.testing.site import Answer
from swather.worker.access.asked import MAX_ASKED, Asked, note
from swather.worker.settings import TracingPolicy
from swather.worker.tracing import Tracing, run_context
from tests.worker.given import Shop
from tests.worker.sites import NotingSite

CANARY = "hunter2canary"


class Collector:
    """Takes OTLP over HTTP, as a real one does."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.instances: set[str] = set()
        self.bytes = b""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.take(self.path, body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def take(self, path: str, body: bytes) -> None:
        assert path == "/v1/traces"
        self.bytes += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            told = {each.key: each.value.string_value for each in resource.resource.attributes}
            assert told["service.name"] == "swather"
            self.instances.add(told["service.instance.id"])
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


@pytest.fixture
def collector() -> Iterator[Collector]:
    opened = Collector()
    yield opened
    opened.close()


@scraper(retries=1, backoff=1)
async def visit(ctx, target):
    path = target["path"]
    if path == "/permanent":
        raise Permanent(f"password={CANARY}")
    if path == "/transient":
        raise Transient("not now")
    await ctx.get(path)
    return {"path": path}


def told(span: Span) -> dict[str, object]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes
    }


@pytest.mark.slow
def test_run_attempts_and_requests_of_two_workers_are_one_trace(
    either_shop: Shop, site: NotingSite, collector: Collector
):
    site.routes["/moved"] = Answer(status=302, headers={"Location": "/b"})
    site.routes["/gone"] = Answer(status=404)
    where = site.url.replace("://", f"://user:{CANARY}@")
    paths = ["/a", "/moved", "/gone", "/permanent", "/transient"]
    run = either_shop.run(visit, [{"url": f"{where}{path}", "path": path} for path in paths])
    tracing = TracingPolicy(endpoint=collector.endpoint)
    workers = [
        either_shop.start(visit, run=run, concurrency=1, tracing=tracing, name=name)
        for name in ("anna", "bert")
    ]
    for worker in workers:
        worker.report()
    assert collector.instances == {"anna", "bert"}
    (root,) = collector.named("run visit")
    own = run_context(run)
    assert {span.trace_id for span in collector.spans} == {own.trace_id.to_bytes(16, "big")}
    assert (root.span_id, root.parent_span_id) == (own.span_id.to_bytes(8, "big"), b"")
    assert (told(root)["swather.completed"], told(root)["swather.failed"]) == (2, 3)
    tasks = collector.named("task visit")
    assert {span.parent_span_id for span in tasks} == {root.span_id}
    assert all(root.start_time_unix_nano <= span.start_time_unix_nano for span in tasks)
    assert Counter(told(span)["swather.outcome"] for span in tasks) == {
        "completed": 2, "failed": 3, "retry": 1,
    }  # fmt: skip
    failed = {told(span)["error.type"]: span.status for span in tasks if "error.type" in told(span)}
    assert failed.keys() == {"permanent", "transient"}
    assert all(status.code == Status.STATUS_CODE_ERROR for status in failed.values())
    assert failed["transient"].message == "transient: not now"
    requests = collector.named("request")
    parents = {span.span_id for span in tasks}
    assert {span.parent_span_id for span in requests} <= parents
    asked = Counter(
        (
            str(told(span)["url.full"]).removeprefix(site.url),
            told(span)["http.response.status_code"],
        )
        for span in requests
    )
    robots = asked.pop(("/robots.txt", 404))
    assert 1 <= robots <= 2
    assert asked == {("/a", 200): 1, ("/moved", 302): 1, ("/b", 200): 1, ("/gone", 404): 1}
    assert CANARY.encode() not in collector.bytes


@pytest.mark.slow
def test_a_request_without_an_answer_says_what_went_wrong(shop: Shop, collector: Collector):
    target = {"url": "http://127.0.0.1:9/", "path": "/"}
    run = shop.run(visit, [target])
    shop.start(visit, run=run, tracing=TracingPolicy(endpoint=collector.endpoint)).report()
    requests = collector.named("request")
    assert requests
    assert {told(span)["error.type"] for span in requests} == {"ConnectionFailed"}
    assert {span.status.code for span in requests} == {Status.STATUS_CODE_ERROR}


@pytest.mark.slow
def test_a_collector_that_is_away_holds_nothing_up(shop: Shop, caplog: pytest.LogCaptureFixture):
    run = shop.run(visit, [{"url": "http://127.0.0.1:9/", "path": "/permanent"}] * 1)
    policy = TracingPolicy(endpoint="http://127.0.0.1:9")
    report = shop.start(visit, run=run, tracing=policy).report()
    assert (report.reason, report.failed) == ("finished", 1)


def test_a_share_of_the_tasks_is_the_same_for_all_workers():
    first, second = (Tracing(InMemorySpanExporter(), share=0.25) for _ in range(2))
    wanted = [task_id for task_id in range(4_000) if first.wants(task_id)]
    assert wanted == [task_id for task_id in range(4_000) if second.wants(task_id)]
    assert 800 < len(wanted) < 1_200
    assert not any(Tracing(InMemorySpanExporter(), share=0.0).wants(n) for n in range(100))
    assert all(Tracing(InMemorySpanExporter()).wants(n) for n in range(100))


def test_the_trace_of_a_run_follows_from_its_name():
    assert run_context("20260215_120000-books") == run_context("20260215_120000-books")
    assert run_context("20260215_120000-books").trace_id != run_context("other").trace_id
    assert run_context("").is_valid


def test_a_body_that_breaks_off_is_part_of_its_request():
    asked: list[Asked] = []
    note(asked, "http://a/", 200, "", 0.1)
    note(asked, "http://a/", 0, "FetchTimeout", 5.0)
    note(asked, "http://b/", 0, "ConnectError", 0.0)
    assert [(each.url, each.status, each.error) for each in asked] == [
        ("http://a/", 200, "FetchTimeout"),
        ("http://b/", 0, "ConnectError"),
    ]
    for _ in range(MAX_ASKED + 5):
        note(asked, "http://c/", 200, "", 0.1)
    assert len(asked) == MAX_ASKED


@pytest.mark.slow
def test_without_it_nothing_of_opentelemetry_is_loaded():
    names = "swather.worker.process, swather.fleet.worker_factory"
    code = f"import sys, {names}; print('opentelemetry' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "False\n"


def test_settings_say_where_traces_go(monkeypatch: pytest.MonkeyPatch):
    assert worker_factory.tracing_policy(Settings()) is None
    settings = Settings(tracing_endpoint="http://localhost:4318", tracing_share=0.5)
    policy = TracingPolicy(endpoint="http://localhost:4318", share=0.5)
    assert worker_factory.tracing_policy(settings) == policy
    with pytest.raises(ValidationError, match="should look like"):
        Settings(tracing_endpoint="localhost:4318")
    monkeypatch.setattr(worker_factory, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"swather\[tracing\]"):
        worker_factory.tracing_policy(settings)
