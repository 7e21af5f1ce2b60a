"""deploy/grafana and deploy/prometheus name only metrics and labels that there are."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from swather.api.metrics_families import FAMILIES as SERVER
from swather.settings import Settings
from swather.worker.exposition import Family, Kind
from swather.worker.metrics import FAMILIES as WORKER
from tests import debian

DEPLOY = Path(__file__).parents[2] / "deploy"
PROMETHEUS = DEPLOY / "prometheus"
FAMILIES = {**SERVER, **WORKER}
METRIC = re.compile(r"\bswather_\w+")
SELECTED = re.compile(r"\b(swather_\w+)\{([^}]*)\}")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
# What Prometheus adds.
ADDED = {"instance", "job", "le"}


def read(name: str) -> Any:
    return YAML(typ="safe").load(PROMETHEUS / name)


def family(name: str) -> Family:
    """Of a series, which has an ending of its own if it is one of a histogram."""
    if name in FAMILIES:
        return FAMILIES[name]
    found = FAMILIES[re.sub(r"_(bucket|count|sum)$", "", name)]
    assert found.kind is Kind.HISTOGRAM
    return found


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((DEPLOY / "grafana" / "swather.json").read_text())
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def queries() -> Iterator[str]:
    for panel in panels():
        yield from (target["expr"] for target in panel["targets"])
    for rule in rules():
        yield rule["expr"]
    for test in read("alerts_test.yml")["tests"]:
        yield from (series["series"] for series in test["input_series"])


def rules() -> list[dict[str, Any]]:
    (group,) = read("alerts.yml")["groups"]
    return group["rules"]


@pytest.mark.parametrize("query", sorted(set(queries())))
def test_every_metric_and_label_of_a_query_is_exposed(query: str):
    names = METRIC.findall(query)
    assert names or query.startswith("up{")
    labels = {label for name in names for label in family(name).labels} | ADDED
    for name, matchers in SELECTED.findall(query):
        for label in re.findall(r"(\w+)\s*=~?", matchers):
            assert label in {*family(name).labels, *ADDED}
    for grouped in GROUPED.findall(query):
        assert set(re.split(r",\s*", grouped)) <= labels


def test_the_dashboard_shows_every_metric_of_a_server():
    shown = {
        name
        for panel in panels()
        for one in panel["targets"]
        for name in METRIC.findall(one["expr"])
    }
    left_out = {
        "swather_build_info", "swather_leases", "swather_producers", "swather_supervisors",
        "swather_fleet_workers", "swather_schedules", "swather_schedules_late",
    }  # fmt: skip
    assert {re.sub(r"_bucket$", "", name) for name in shown} >= SERVER.keys() - left_out


def test_the_dashboard_can_be_imported():
    dashboard = json.loads((DEPLOY / "grafana" / "swather.json").read_text())
    variables = {one["name"] for one in dashboard["templating"]["list"]}
    assert variables == {"datasource", "scraper"}
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(numbers) == len(set(numbers))
    for panel in panels():
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


def test_every_alert_says_what_to_do_and_is_tested_both_ways():
    names = {rule["alert"] for rule in rules()}
    assert {
        "SwatherWorkerStuck",
        "SwatherErrorRate",
        "SwatherNoProgress",
        "SwatherServerDown",
    } <= names
    for rule in rules():
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"].keys() == {"summary", "description"}
    fires: dict[bool, set[str]] = {True: set(), False: set()}
    for test in read("alerts_test.yml")["tests"]:
        for one in test["alert_rule_test"]:
            fires["exp_alerts" in one].add(one["alertname"])
    assert fires == {True: names, False: names}


def test_prometheus_asks_where_we_listen_and_brings_a_token():
    settings = read("prometheus.yml")
    assert settings["rule_files"] == ["alerts.yml"]
    server, workers = settings["scrape_configs"]
    port = Settings.model_fields["api_port"].default
    assert server["static_configs"][0]["targets"] == [f"127.0.0.1:{port}"]
    assert server["job_name"] == "swather"  # as the alerts call it
    for job in (server, workers):
        assert job["authorization"]["credentials_file"]


def test_the_guide_lists_every_alert():
    guide = (DEPLOY.parent / "docs" / "guides" / "monitoring.md").read_text()
    listed = re.findall(r"^\| `(Swather\w+)` \|", guide, re.MULTILINE)
    assert listed == [rule["alert"] for rule in rules()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "check config --syntax-only prometheus.yml",
        "check rules alerts.yml",
        "test rules alerts_test.yml",
    ],
)
def test_promtool_accepts_it(words: str):
    debian.need({"prometheus": "/usr/bin/promtool"})
    done = subprocess.run(
        ["promtool", *words.split()], cwd=PROMETHEUS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
