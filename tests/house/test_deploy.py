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
from swather.cli import main
from swather.cli.app import Commands
from swather.settings import Settings
from tests.postgres import PostgresServer
from tests.store.given import a_run

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)


def read(name: str) -> Any:
    return YAML(typ="safe").load(DEPLOY / name)


def manifests() -> dict[str, Any]:
    found = [read(f"kubernetes/{path.name}") for path in (DEPLOY / "kubernetes").glob("*.yaml")]
    return {one["kind"]: one for one in found}


def container(kind: str) -> dict[str, Any]:
    (one,) = manifests()[kind]["spec"]["template"]["spec"]["containers"]
    return one


def instruction(name: str) -> str:
    """Of the last stage."""
    stage = DOCKERFILE.rpartition("\nFROM ")[2].replace("\\\n", " ")
    return re.findall(rf"^{name} (.*)$", stage, re.MULTILINE)[-1]


def commands() -> list[list[str]]:
    services = read("compose.yaml")["services"]
    health = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
    probe = container("Deployment")["readinessProbe"]["exec"]["command"]
    assert {health[0], probe[0], *json.loads(instruction("ENTRYPOINT"))} == {"swather"}
    return [
        json.loads(instruction("CMD")),
        health[1:],
        probe[1:],
        container("Deployment")["args"],
        container("Job")["args"],
        *(service["command"] for name, service in services.items() if name != "postgres"),
    ]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_is_one_of_ours(command: list[str], capsys: pytest.CaptureFixture[str]):
    assert command[0] in Commands.table
    assert main([*command, "--help"]) == 0
    options = capsys.readouterr().out
    assert all(word in options for word in command if word.startswith("--"))


def test_compose_is_what_its_schema_says():
    schema = resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"
    jsonschema.validate(read("compose.yaml"), json.loads(schema.read_text()))


def test_every_variable_is_a_setting():
    worker = read("compose.yaml")["services"]["worker"]["environment"]
    for name in {**worker, **manifests()["ConfigMap"]["data"]}:
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
    found = manifests()
    deployment, scaled = found["Deployment"], found["ScaledObject"]
    assert scaled["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    pod = deployment["spec"]["template"]
    assert deployment["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert "replicas" not in deployment["spec"]
    grace = Settings.model_fields["grace_seconds"].default
    assert pod["spec"]["terminationGracePeriodSeconds"] > grace
    resources_ = set(found["Kustomization"]["resources"])
    there = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert resources_ == there - {"kustomization.yaml"}
    for kind in ("Deployment", "Job"):
        assert container(kind)["securityContext"]["readOnlyRootFilesystem"] is True
        assert found[kind]["spec"]["template"]["spec"]["securityContext"]["runAsUser"] == 10001
        named = [next(iter(one.values()))["name"] for one in container(kind)["envFrom"]]
        assert named == [found["ConfigMap"]["metadata"]["name"]] * 2
    trigger = scaled["spec"]["triggers"][0]["metadata"]
    assert f"--from-literal={trigger['passwordFromEnv']}=" in (DEPLOY / "README.md").read_text()


@pytest.mark.slow
def test_the_query_that_keda_asks_gives_the_number_of_workers(postgres_server: PostgresServer):
    metadata = manifests()["ScaledObject"]["spec"]["triggers"][0]["metadata"]
    assert metadata["targetQueryValue"] == "1"
    with postgres_server.fresh_database() as url:
        swather.store.prepare(url)
        store = swather.store.open(url)
        with psycopg.connect(url, autocommit=True) as keda:
            assert keda.execute(metadata["query"]).fetchone() == (0,)
            a_run(store, 1_500)
            assert keda.execute(metadata["query"]).fetchone() == (2,)
        store.close()
