"""The overview: its numbers are those of the database."""

from starlette.testclient import TestClient

from swather.model.run import NewRun
from swather.store import Store
from swather.web.pages.overview import PAGE
from swather.web.words import NONE
from tests.store.given import a_run, a_worker, claim, completed, failed, finish
from tests.web.html import read


def some_runs(store: Store) -> tuple[str, str, str]:
    """One that goes, one that is paused, one that has ended."""
    worker = a_worker(store, name="barn-0")
    done = a_run(store, 4, scraper="prices", name="ended-run")
    finish(store, *(completed(lease, {"n": 1}) for lease in claim(store, worker, 3, runs=(done,))))
    finish(store, *(failed(lease) for lease in claim(store, worker, 1, runs=(done,))))
    assert store.runs.settle(done)
    going = a_run(store, 1_200, scraper="books", name="going-run")
    finish(store, *(completed(lease) for lease in claim(store, worker, 300, runs=(going,))))
    paused = a_run(store, 50, scraper="books", name="paused-run")
    store.runs.pause(paused)
    store.workers.tell(
        worker,
        {
            "slots": 10,
            "busy": 5,
            "running": {going: 5},
            "recent": {going: {"ended": 300, "seconds": 30.0, "quiet_seconds": 0.1}},
        },
    )
    return going, paused, done


def test_the_headline_counts_all_runs(client: TestClient, store: Store) -> None:
    some_runs(store)
    page = read(client, "/")
    figures = dict(zip(page.texts("#figures dt"), page.texts("#figures dd"), strict=True))
    assert figures["runs active"] == "2"
    assert figures["by 1 worker"] == "10/s"
    assert figures["tasks done, 950 to go"] == "304"
    assert figures["of them failed, 1 task"] == "0.3%"
    assert page.texts("#figures dd")[-1] == "ETA ~1m 30s"


def test_each_active_run_has_a_line_with_its_state_and_what_holds_it(
    client: TestClient, store: Store
) -> None:
    going, paused, done = some_runs(store)
    page = read(client, "/")
    rows = {row[0]: row[1:] for row in page.rows("#runs tbody tr")}
    assert rows[going] == ["running", "25 %", "300 / 1,200", "10/s", "0", "~1m 30s", "1", NONE]
    assert rows[paused][0] == "paused"
    assert rows[paused][-1] == "The run is paused."
    assert rows[done][:5] == ["finished", "", "4", "1", "3"]


def test_finished_runs_are_listed_by_the_address(client: TestClient, store: Store) -> None:
    _, _, done = some_runs(store)
    assert [row[0] for row in read(client, "/?state=finished").rows("#runs tbody tr")] == [done]
    assert read(client, "/?state=cancelled").text(".empty h2") == "No run is cancelled"
    assert client.get("/?state=nonsense").status_code == 422


def test_more_runs_than_fit_are_paged_and_each_is_shown_once(
    client: TestClient, store: Store
) -> None:
    made = {store.runs.create(NewRun(scraper="books")).name for _ in range(PAGE + 3)}
    first = read(client, "/")
    (older,) = first.attributes("a[rel=next]", "href")
    second = read(client, older)
    assert second.attributes("a[rel=next]", "href") == []
    shown = [row[0] for row in first.rows("#runs tbody tr")] + [
        row[0] for row in second.rows("#runs tbody tr")
    ]
    assert len(shown) == len(made)
    assert set(shown) == made


def test_an_empty_database_says_what_to_type(client: TestClient) -> None:
    page = read(client, "/")
    assert page.text(".empty h2") == "No runs yet"
    assert "swather run books.py" in page.text(".empty code")


def test_text_of_others_is_shown_as_text(client: TestClient, store: Store) -> None:
    a_run(store, 1, name="<script>alert(1)<script>", scraper="<b>x")
    page = read(client, "/")
    assert "<script>alert" not in page.html
    assert page.texts("th a.name") == ["<script>alert(1)<script>"]
