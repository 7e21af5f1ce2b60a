"""Finding scrapers by file, module and installed name; what is said when it cannot be done."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from swather.errors import InputError, LoadError
from swather.scraping import installed as entries
from swather.scraping.registry import Known, load, names
from tests.scraping.attempts import nothing

HEAD = "from swather.scraping.scraper import scraper\n"
ONE = HEAD + "@scraper\ndef books(ctx, target):\n    '''All the books.'''\n    return target\n"
TWO = ONE + "@scraper(name='by-author')\ndef authors(ctx, target):\n    return [target]\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into a folder of its own, which is also the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def write(text, name="books.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_the_only_scraper_of_a_file_needs_no_name(write):
    write(ONE)
    found = load("books.py")
    assert found.name == "books"
    assert found(None, 3) == 3


def test_one_of_two_is_found_by_its_name_or_by_its_functions(write):
    path = write(TWO)
    assert load(f"{path}:by-author") is load(f"{path}:authors")
    assert load(f"{path}:books").name == "books"


def test_a_file_is_run_once(write):
    path = write(ONE)
    assert load(path) is load("books.py")


def test_a_file_imports_its_neighbours_also_later(write):
    write("WORD = 'near'\n", "neighbour_of_books.py")
    write("WORD = 'far'\n", "late_neighbour.py")
    path = write(
        HEAD + "import neighbour_of_books\n"
        "@scraper\n"
        "def books(ctx, target):\n"
        "    import late_neighbour\n"
        "    return [neighbour_of_books.WORD, late_neighbour.WORD]\n"
    )
    assert load(path)(None, 1) == ["near", "far"]


def test_a_neighbour_does_not_take_the_place_of_an_installed_module(write):
    write("raise AssertionError", "colorsys.py")
    write("raise AssertionError", "msgspec.py")
    assert load(write(ONE, "quiet.py")).name == "books"
    late = ONE.replace("    return", "    import colorsys\n    return")
    with pytest.raises(LoadError, match=r"late\.py imports 'colorsys', but that is Python's own"):
        load(write(late, "late.py"))
    with pytest.raises(LoadError, match=r"imports 'msgspec', but that is the one in .*/msgspec/"):
        load(write("from msgspec.json import encode\n" + ONE, "early.py"))


def test_a_neighbour_of_a_neighbour_is_told_too(write):
    write("import near_two\n", "near_one.py")
    write("import colorsys\n", "near_two.py")
    write("", "colorsys.py")
    with pytest.raises(LoadError, match=r"near_two\.py imports 'colorsys'"):
        load(write("import near_one\n" + ONE, "far.py"))


def test_neighbours_of_two_scrapers_that_have_the_same_name_are_told(write, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(f"WORD = '{name}'\n", f"{name}/same_name.py")
        write("import same_name\n" + ONE, f"{name}/scraper.py")
    load("one/scraper.py")
    with pytest.raises(LoadError, match=r"the one in .*/one/same_name\.py and not .*/two/same"):
        load("two/scraper.py")


def test_a_scraper_may_be_called_like_a_module(write):
    text = ONE.replace("return target", "return colorsys.rgb_to_hsv(0, 0, 0)")
    assert load(write("import colorsys\n" + text, "colorsys.py"))(None, 1) == (0.0, 0.0, 0)


def test_a_module_of_the_working_folder_comes_after_those_installed(write):
    write(ONE, "colorsys.py")
    with pytest.raises(LoadError, match=r"'colorsys' is named, but that is Python's own and not"):
        load("colorsys:books")
    write("import colorsys\n" + ONE, "shop_with_colours.py")
    with pytest.raises(LoadError, match=r"shop_with_colours\.py imports 'colorsys'"):
        load("shop_with_colours:books")


def test_a_scraper_a_file_only_imports_counts_if_it_defines_none(write):
    write(ONE, "shared_books.py")
    assert load(write("from shared_books import books\n", "only.py")).name == "books"
    both = write(
        HEAD + "from shared_books import books\n@scraper\ndef mine(ctx, target): ...\n", "both.py"
    )
    assert load(both).name == "mine"


def test_a_scraper_that_a_file_imports_is_found_again_through_that_file(write):
    """So that another process has the hooks, rules and sources that the file adds."""
    write(ONE, "lent_books.py")
    path = write("from lent_books import books\n", "borrowing.py")
    for spec in (path, f"{path}:books"):
        found = load(spec)
        assert found.spec == f"{path}:books"
        assert load(found.spec).spec == found.spec


def test_a_module_is_found_from_the_working_folder(write):
    write(TWO, "shop_module.py")
    assert load("shop_module:books").summary == "All the books."


def test_a_spec_finds_the_same_scraper_again(write):
    found = load(write(TWO) + ":by-author")
    assert found.spec == f"{found.function.__code__.co_filename}:by-author"
    assert load(found.spec) is found
    assert nothing.spec == "tests.scraping.attempts:nothing"


@pytest.mark.slow
def test_the_spec_of_a_script_leads_to_its_file(write):
    path = write(ONE + "print(books.spec)\n", "script.py")
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"{path}:books"
    run = subprocess.run(
        [sys.executable, "-m", "script"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "script:books"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("def books(:\n", r"not Python: .*books\.py, line 1: def books\(:"),
        ("x = 1\n\nimport no_such_package\n", r"No module named 'no_such_package' \(.*, line 3\)"),
        ("x = 1 / 0\n", r"ZeroDivisionError: division by zero \(.*books\.py, line 1\)"),
        ("import sys\nsys.exit(3)\n", r"SystemExit: 3"),
        ("\0", "books.py"),
        ("def books(ctx, target): ...\n", r"no scraper: put @scraper above a function"),
        (TWO, r"2 scrapers; name one of them: books\.py:books, books\.py:by-author"),
        (HEAD + "@scraper\ndef books(ctx): ...\n", r"must take \(ctx, target\)"),
        (
            HEAD + "@scraper(rate='5')\ndef books(ctx, t): ...\n",
            r"a rate looks like .*books\.py, line 2\)",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_where(write, text, complaint):
    write(text)
    for _ in range(2):
        with pytest.raises(LoadError, match=complaint):
            load("books.py")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("none.py", "there is no file 'none.py' in "),
        ("none.py:books", "there is no file 'none.py'"),
        ("books.py:films", "books.py has no scraper named 'films'; it has books"),
        ("books.py:helper", "'helper' in books.py is not a scraper: put @scraper above it"),
        ("no_such_module:books", "No module named 'no_such_module'"),
        (":books", "cannot be loaded"),
        ("bookz", "no scraper named 'bookz' is registered"),
        ("", "no scraper named '' is registered"),
    ],
)
def test_a_name_that_leads_nowhere_says_so(write, spec, complaint):
    write(ONE + "def helper(): ...\n")
    with pytest.raises(LoadError, match=complaint) as refused:
        load(spec)
    assert isinstance(refused.value, InputError)


@pytest.fixture
def installed(monkeypatch):
    """Two installed scrapers that work and two entry points that do not."""
    points = [
        EntryPoint("pages", "tests.scraping.attempts:nothing", entries.ENTRY_POINTS),
        EntryPoint("broken", "no_such_module:x", entries.ENTRY_POINTS),
        EntryPoint("odd", "tests.scraping.attempts:lease", entries.ENTRY_POINTS),
    ]
    monkeypatch.setattr(entries, "entry_points", lambda group: points)


@pytest.mark.usefixtures("installed")
def test_installed_scrapers_are_found_by_their_entry_point():
    assert load("pages") is nothing
    with pytest.raises(LoadError, match="did you mean 'pages'"):
        load("page")
    with pytest.raises(LoadError, match="is not a scraper"):
        load("odd")


@pytest.mark.usefixtures("installed")
def test_all_installed_scrapers_are_listed_and_broken_ones_say_why():
    listed = names()
    assert [known.name for known in listed] == ["broken", "odd", "pages"]
    assert listed[2] == Known("pages", "single", "tests.scraping.attempts:nothing", "Do nothing.")
    assert "cannot be loaded" in listed[0].summary
