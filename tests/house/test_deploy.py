"""What is in deploy/: files for other programs, held to what Swather is."""

import json
import re
import shlex
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
from ruamel.yaml import YAML

import swather.store
from swather.api.guard import LOOPBACK, OPEN_PATHS
from swather.cli import main
from swather.cli.commands import Commands
from swather.settings import Settings
from tests.postgres import PostgresServer
from tests.store.given import a_run

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
README = (DEPLOY / "README.md").read_text()
PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)


def read(name: str) -> Any:
    return YAML(typ="safe").load(DEPLOY / name)


def manifest(name: str) -> Any:
    return read(f"kubernetes/{name}.yaml")


def container(name: str) -> dict[str, Any]:
    (one,) = manifest(name)["spec"]["template"]["spec"]["containers"]
    return one


def instruction(name: str) -> str:
    """Of the last stage."""
    stage = DOCKERFILE.rpartition("\nFROM ")[2].replace("\\\n", " ")
    return re.findall(rf"^{name} (.*)$", stage, re.MULTILINE)[-1]


def commands() -> list[list[str]]:
    services = read("compose.yaml")["services"]
    health = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
    probe = container("worker")["readinessProbe"]["exec"]["command"]
    asks = services["api"]["healthcheck"]["test"]
    assert {health[0], probe[0], asks[1], *json.loads(instruction("ENTRYPOINT"))} == {"swather"}
    return [
        json.loads(instruction("CMD")),
        health[1:],
        probe[1:],
        asks[2:],
        *(container(name)["args"] for name in ("worker", "migrate", "api")),
        *(service["command"] for name, service in services.items() if name != "postgres"),
    ]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_is_one_of_ours(command: list[str], capsys: pytest.CaptureFixture[str]):
    assert command[0] in Commands.table
    assert main([*command, "--help"]) == 0
    options = capsys.readouterr().out
    assert all(word in options for word in command if word.startswith("--"))


@pytest.mark.slow
def test_compose_is_what_its_schema_says():
    schema = resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"
    jsonschema.validate(read("compose.yaml"), json.loads(schema.read_text()))


def test_every_variable_is_a_setting():
    services = read("compose.yaml")["services"]
    named = {
        *services["worker"]["environment"],
        *services["api"]["environment"],
        *manifest("settings")["data"],
        *(one["name"] for one in [*container("api")["env"], *container("worker")["env"]]),
    }
    assert named >= services["worker"]["environment"].keys()
    for name in named:
        if name.startswith("SWATHER_"):
            assert name.removeprefix("SWATHER_").lower() in Settings.model_fields


def test_the_image_is_not_roots_and_copies_what_is_there():
    assert instruction("USER") == "10001:10001"
    let_in = re.findall(r"^!(.+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE):
        for source in shlex.split(line)[:-1]:
            assert (ROOT / source).exists(), source
            assert source in let_in
    for install in re.findall(r"bin/pip install[^&]*", DOCKERFILE):
        assert "--require-hashes" in install or "--no-index" in install


@pytest.mark.parametrize("name", ["requirements.txt", "build-requirements.txt"])
def test_the_image_has_the_versions_that_are_tested(name: str):
    tested = dict(PIN.findall((ROOT / "requirements.txt").read_text()))
    text = (DEPLOY / name).read_text()
    pinned = dict(PIN.findall(text))
    assert pinned
    assert {package: tested.get(package) for package in pinned} == pinned
    assert all("--hash=sha256:" in pin for pin in re.split(r"\n(?=[a-z])", text.strip()))


def test_the_manifests_fit_together():
    deployment, scaled = manifest("worker"), manifest("scaledobject")
    assert scaled["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    pod = deployment["spec"]["template"]
    assert deployment["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert "replicas" not in deployment["spec"]
    grace = Settings.model_fields["grace_seconds"].default
    assert pod["spec"]["terminationGracePeriodSeconds"] > grace
    resources_ = set(manifest("kustomization")["resources"])
    there = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert resources_ == there - {"kustomization.yaml"}
    for name in ("worker", "migrate", "api"):
        assert container(name)["securityContext"]["readOnlyRootFilesystem"] is True
        assert manifest(name)["spec"]["template"]["spec"]["securityContext"]["runAsUser"] == 10001
        named = [next(iter(one.values()))["name"] for one in container(name)["envFrom"]]
        assert named[:2] == [manifest("settings")["metadata"]["name"]] * 2
    trigger = scaled["spec"]["triggers"][0]["metadata"]
    assert f"--from-literal={trigger['passwordFromEnv']}=" in README


def test_the_api_is_found_by_its_service_and_let_in_by_its_name():
    api, service = manifest("api"), manifest("service")
    labels = api["spec"]["template"]["metadata"]["labels"]
    assert api["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    (port,) = service["spec"]["ports"]
    assert port["targetPort"] == container("api")["ports"][0]["name"]
    assert port["port"] == Settings.model_fields["api_port"].default
    (names,) = [one["value"] for one in container("api")["env"]]
    inside = f"{service['metadata']['name']}.{manifest('kustomization')['namespace']}.svc"
    assert {service["metadata"]["name"], inside} <= set(names.split(","))
    for probe in ("readinessProbe", "livenessProbe"):
        asked = container("api")[probe]["httpGet"]
        assert asked["path"] in OPEN_PATHS
        assert asked["httpHeaders"][0]["value"] in LOOPBACK
    secret = container("api")["envFrom"][2]["secretRef"]["name"]
    from_secret = container("worker")["env"][2]["valueFrom"]["secretKeyRef"]
    assert from_secret["name"] == secret
    assert f"create secret generic {secret} " in README
    for token in ("SWATHER_API_TOKEN", "SWATHER_API_READ_TOKEN"):
        assert f"--from-literal={token}=" in README
    annotated = manifest("worker")["spec"]["template"]["metadata"]["annotations"]
    (metrics,) = container("worker")["ports"]
    assert annotated["prometheus.io/port"] == str(metrics["containerPort"])
    assert {"name": "SWATHER_METRICS_PORT", "value": str(metrics["containerPort"])} in container(
        "worker"
    )["env"]


def test_the_api_of_compose_can_be_reached_from_this_machine_only():
    api = read("compose.yaml")["services"]["api"]
    (port,) = api["ports"]
    assert port.startswith("127.0.0.1:")
    for token in ("SWATHER_API_TOKEN", "SWATHER_API_READ_TOKEN"):
        assert ":?" in api["environment"][token]
        assert token in README


@pytest.mark.slow
def test_the_query_that_keda_asks_gives_the_number_of_workers(postgres_server: PostgresServer):
    metadata = manifest("scaledobject")["spec"]["triggers"][0]["metadata"]
    assert metadata["targetQueryValue"] == "1"
    with postgres_server.fresh_database() as url:
        swather.store.prepare(url)
        store = swather.store.open(url)
        with psycopg.connect(url, autocommit=True) as keda:
            assert keda.execute(metadata["query"]).fetchone() == (0,)
            a_run(store, 1_500)
            assert keda.execute(metadata["query"]).fetchone() == (2,)
        store.close()
