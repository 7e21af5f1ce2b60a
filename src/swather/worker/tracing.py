"""Traces for OpenTelemetry: a run, its attempts, and their requests.

A run is one trace. Its ids are made from its name, so that what all workers tell of it meets, and
none of them has to ask another.
"""

import threading
from contextvars import ContextVar
from hashlib import sha256
from time import time_ns
from typing import Any, Final

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from swather.masking import masked, shown_url
from swather.model.outcome import Completed, Failed, Outcome, Released, Retry
from swather.model.run import Counts, Run
from swather.version import __version__
from swather.worker.access.asked import Asked
from swather.worker.attempt import Attempt
from swather.worker.report import shown
from swather.worker.settings import TracingPolicy

EXPORT_SECONDS: Final = 5.0
# How long the end of a worker waits for a collector.
CLOSE_SECONDS: Final = 3.0
QUEUE_SPANS: Final = 20_000
MAX_MESSAGE_CHARACTERS: Final = 200
_SHARES: Final = 1 << 16


class Tracing:
    """Spans are made when what they tell of has ended, so that a killed worker leaves none half
    open. One thread tells of attempts, another may tell of runs.
    """

    def __init__(self, exporter: SpanExporter, *, share: float = 1.0, worker: str = "") -> None:
        self._below = round(share * _SHARES)
        self._provider = TracerProvider(
            sampler=ALWAYS_ON,
            resource=Resource.create(
                {
                    "service.name": "swather",
                    "service.version": __version__,
                    "service.instance.id": worker,
                }
            ),
            id_generator=_Ids(),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=QUEUE_SPANS))
        self._tracer = self._provider.get_tracer("swather", __version__)

    def wants(self, task_id: int) -> bool:
        """Whether this task is one of the share; all workers agree."""
        digest = sha256(task_id.to_bytes(8, "big")).digest()
        return int.from_bytes(digest[:2], "big") < self._below

    def attempt_ended(
        self, attempt: Attempt, seconds: float, outcome: Outcome | None, asked: list[Asked]
    ) -> None:
        """`outcome` is None if its lease was lost."""
        run, lease = attempt.job.run, attempt.lease
        now = time_ns()
        span = self._tracer.start_span(
            f"task {run.scraper}",
            set_span_in_context(NonRecordingSpan(run_context(run.name))),
            SpanKind.CONSUMER,
            {
                "swather.run": run.name,
                "swather.scraper": run.scraper,
                "swather.task": lease.task_id,
                "swather.attempt": lease.attempt,
                "swather.target": shown(lease.target),
                "swather.lane": masked(lease.lane),
                "swather.waited_seconds": round(sum((attempt.waited or {}).values()), 3),
                **_told(outcome),
            },
            start_time=now - int(seconds * 1e9),
        )
        span.set_status(_status(outcome))
        parent = set_span_in_context(span)
        for each in asked:
            self._request(each, parent)
        span.end(now)

    def run_ended(self, run: Run, counts: Counts) -> None:
        """The span above all others of the run."""
        own = run_context(run.name)
        ended = run.finished_at or run.created_at
        given = _GIVEN.set(own)
        try:
            span = self._tracer.start_span(
                f"run {run.scraper}",
                set_span_in_context(NonRecordingSpan(_NOBODY)),
                attributes={
                    "swather.run": run.name,
                    "swather.scraper": run.scraper,
                    "swather.completed": counts.completed,
                    "swather.failed": counts.failed,
                    "swather.cancelled": counts.cancelled,
                    "swather.items": counts.items,
                },
                start_time=int(run.created_at.timestamp() * 1e9),
            )
        finally:
            _GIVEN.reset(given)
        span.end(int(ended.timestamp() * 1e9))

    def _request(self, asked: Asked, parent: Any) -> None:
        attributes: dict[str, Any] = {"url.full": shown_url(asked.url)}
        if asked.status:
            attributes["http.response.status_code"] = asked.status
        if asked.error:
            attributes["error.type"] = asked.error
        span = self._tracer.start_span(
            "request", parent, SpanKind.CLIENT, attributes, start_time=asked.began_ns
        )
        if asked.error or asked.status >= 400:
            span.set_status(Status(StatusCode.ERROR, asked.error or f"HTTP {asked.status}"))
        span.end(asked.ended_ns)

    def close(self) -> None:
        """Send what waits; a collector that does not answer is not waited for long."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(CLOSE_SECONDS)


def new_tracing(policy: TracingPolicy, worker: str) -> Tracing:
    """To the collector at the policy's address, over OTLP. Headers, certificates and compression
    are those of the variables OTEL_EXPORTER_OTLP_….
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - loads requests
        OTLPSpanExporter,
    )

    endpoint = f"{policy.endpoint.rstrip('/')}/v1/traces"
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=EXPORT_SECONDS)
    return Tracing(exporter, share=policy.share, worker=worker)


def run_context(run: str) -> SpanContext:
    """The trace of a run and its uppermost span, by its name."""
    digest = sha256(f"swather run {run}".encode()).digest()
    return SpanContext(
        trace_id=int.from_bytes(digest[:16], "big"),
        span_id=int.from_bytes(digest[16:24], "big"),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _told(outcome: Outcome | None) -> dict[str, Any]:
    match outcome:
        case Completed():
            return {"swather.outcome": "completed", "swather.items": len(outcome.items)}
        case Retry():
            return {"swather.outcome": "retry", "error.type": str(outcome.fault.error_class)}
        case Failed():
            return {
                "swather.outcome": "failed",
                "swather.reason": masked(outcome.reason),
                "error.type": str(outcome.fault.error_class),
            }
        case Released():
            return {"swather.outcome": "released"}
        case _:
            return {"swather.outcome": "cancelled" if outcome else "lost"}


def _status(outcome: Outcome | None) -> Status:
    if isinstance(outcome, Retry | Failed):
        fault = outcome.fault
        message = masked(fault.message)[:MAX_MESSAGE_CHARACTERS]
        return Status(StatusCode.ERROR, f"{fault.error_class}: {message}")
    return Status(StatusCode.UNSET if outcome else StatusCode.ERROR, None if outcome else "lost")


_NOBODY: Final = SpanContext(trace_id=0, span_id=0, is_remote=False)
# Whose ids the next span has; random ones if nobody's.
_GIVEN: Final[ContextVar[SpanContext | None]] = ContextVar("given", default=None)


class _Ids(RandomIdGenerator):
    def generate_trace_id(self) -> int:
        given = _GIVEN.get()
        return super().generate_trace_id() if given is None else given.trace_id

    def generate_span_id(self) -> int:
        given = _GIVEN.get()
        return super().generate_span_id() if given is None else given.span_id
