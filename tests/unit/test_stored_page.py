import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.stored_page import StoredPage, request_key
from swather.store.page_rows import MAX_PART_BYTES, page_of, prepare

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
pages = st.builds(
    StoredPage,
    task_id=st.integers(1, 3),
    request_key=st.binary(min_size=1, max_size=1).map(lambda byte: byte * 32),
    method=st.sampled_from(["GET", "POST"]),
    url=texts,
    status=st.integers(100, 599),
    headers=st.lists(st.tuples(texts, texts), max_size=3),
    content=st.binary(max_size=200) | st.integers(1, 9).map(lambda n: b"word " * n * 100),
)
requests = st.tuples(st.sampled_from(["GET", "POST"]), texts, st.binary(max_size=10))


@given(st.lists(pages, max_size=8))
def test_what_is_prepared_can_be_read_back(given_pages):
    (batch,) = list(prepare(given_pages)) or [((), ())]
    rows, bodies = batch
    packed = {body.sha256: (body.encoding, body.content) for body in bodies}
    found = {
        (row.task_id, row.request_key): page_of((*row[:6], *packed[row.sha256]), None)
        for row in rows
    }
    assert found == {(page.task_id, page.request_key): page for page in given_pages}
    assert [body.sha256 for body in bodies] == sorted(packed)


@given(requests, requests)
def test_only_the_same_request_has_the_same_key(first, second):
    assert (request_key(*first) == request_key(*second)) == (first == second)
    assert len(request_key(*first)) == 32


@pytest.mark.slow
def test_parts_are_of_a_bearable_size():
    def page(number: int) -> StoredPage:
        content = number.to_bytes(8, "big") + b"".join(
            (number * 7_919 + n * n * n * 104_729 % 2**61).to_bytes(8, "big") for n in range(2**18)
        )
        return StoredPage(
            task_id=number, request_key=bytes(32), method="GET", url="", status=200, headers=[],
            content=content,
        )  # fmt: skip

    parts = list(prepare([page(number) for number in range(1, 13)]))
    assert len(parts) > 1
    assert sum(len(part.pages) for part in parts) == 12
    assert all(sum(body.stored_bytes for body in part.bodies) <= MAX_PART_BYTES for part in parts)
