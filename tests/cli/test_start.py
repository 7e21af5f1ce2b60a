import os
import subprocess
import sys

import pytest

import swather as package
from swather.cli import main
from swather.cli.arguments import StrategyChoice
from swather.cli.commands import Commands
from swather.cli.group import _Loaded
from swather.model.lease import Strategy
from swather.store import factory
from tests.cli.conftest import Swather

LOADED = _Loaded(Commands.table)
GROUPS = ("db", "fleet", "lanes", "partitions", "proxies", "runs", "settings", "sources")
# Of these only the commands take options.
BARE_GROUPS = ("db", "fleet", "partitions", "sources")
COMMANDS = [
    *((name,) for name in Commands.table if name not in BARE_GROUPS),
    *((group, name) for group in GROUPS for name in LOADED[group].commands),
]
WITHOUT_DATABASE = {("try",), ("init",), ("scrapers",)}
HEAVY = {"apsw", "psycopg", "rich", "msgspec", "asyncio"}


def loaded_by(program: str, *, whole: bool = False) -> set[str]:
    """The packages that are loaded then; their modules, too, if `whole`."""
    code = f"import sys\n{program}\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=50
    )
    modules = done.stderr.splitlines()
    return set(modules) if whole else {module.partition(".")[0] for module in modules}


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "import swather.cli",
        "from swather.cli import main; main(['--help'])",
        "from swather.cli import main; main(['--version'])",
        "from swather.cli import main; main(['db', '--help'])",
        "from swather.cli import main; main(['db', 'stats', '--help'])",
        "from swather.cli import main; main(['demo', '--help'])",
        "from swather.cli import main; main(['run', '--help'])",
        "from swather.cli import main; main(['settings', '--help'])",
    ],
)
def test_help_loads_no_driver_and_nothing_heavy(program):
    modules = loaded_by(program)
    assert "swather" in modules
    assert modules.isdisjoint(HEAVY)


def test_the_list_of_commands_loads_no_settings_either():
    modules = loaded_by("from swather.cli import main; main(['--help'])")
    assert "pydantic_settings" not in modules
    assert "pydantic" not in modules


def test_the_version_is_the_packages(installed: Swather):
    assert installed("--version") == (0, f"swather {package.__version__}\n", "")


@pytest.mark.slow
def test_the_module_is_the_same_program(installed: Swather):
    done = subprocess.run(
        [sys.executable, "-m", "swather.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    )
    assert done.stdout == installed("--help").out


def test_help_lists_every_command(swather: Swather):
    said = swather("--help")
    assert said.code == 0
    assert all(f"\n  {name} " in said.out for name in Commands.table)
    said = swather("db", "--help")
    assert said.code == 0
    assert all(f"\n  {name} " in said.out for name in LOADED["db"].commands)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_has_examples_json_and_a_database(swather: Swather, command):
    said = swather(*command, "--help")
    assert said.code == 0
    assert f"\nExamples:\n  swather {' '.join(command)}" in said.out
    assert "--json" in said.out
    assert ("--db URL" in said.out) is (command not in WITHOUT_DATABASE)


def test_the_list_says_of_a_command_what_its_own_help_begins_with():
    for name, command in LOADED.items():
        assert command.help.partition("\n")[0] == Commands.table[name].summary


def test_the_strategies_of_the_command_line_are_those_of_the_model():
    assert [*map(str, StrategyChoice)] == [*map(str, Strategy)]


def test_the_default_that_help_names_is_the_stores(swather: Swather):
    said = " ".join(swather("db", "stats", "--help").out.split())
    assert f"Default: {factory.sqlite_path(factory.DEFAULT_URL)} in this folder" in said
    assert "SWATHER_DB" in said


@pytest.mark.parametrize("arguments", [(), ("db",)])
def test_without_a_command_the_help_goes_to_stderr(swather: Swather, arguments):
    said = swather(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: swather ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dbb",), "error: No such command 'dbb'. Did you mean 'db'? (see: swather --help)\n"),
        (("db", "stat"), "error: No such command 'stat'. Did you mean 'stats'? "),
        (("db", "stats", "--jsn"), "error: No such option: --jsn (Possible options: --json) "),
        (("db", "stats", "extra"), "error: Got unexpected extra argument(s) (extra) "),
        (("db", "backup"), "error: Missing argument 'PATH' (see: swather db backup --help)\n"),
        (("db", "stats", "--db"), "error: Option '--db' requires an argument"),
        (("demo", "--books", "many"), "error: Invalid value for '--books': "),
        (("demo", "--workers", "1"), "error: Invalid value for '--workers': "),
    ],
)
def test_a_mistyped_command_is_a_usage_error_in_one_line(swather: Swather, arguments, message):
    said = swather(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(message)
    assert said.err.count("\n") == 1


def test_a_usage_error_is_json_too(swather: Swather):
    said = swather("db", "stats", "--json", "--nonsense")
    assert (said.code, said.out) == (2, "")
    assert "--nonsense" in said.error["message"]


def test_a_closed_pipe_is_no_traceback():
    script = f"'{sys.executable}' -m swather.cli db --help | head -c 1"
    done = subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, text=True, check=False, env=os.environ
    )
    assert "Traceback" not in done.stderr


def test_ctrl_c_while_the_program_loads_ends_with_130(monkeypatch: pytest.MonkeyPatch):
    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "swather.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "swather.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert main(["--version"]) == 130
