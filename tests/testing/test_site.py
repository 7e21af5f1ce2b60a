import http.client
import socket
import time

import pytest

from swather.errors import InputError
from swather.testing import Answer, Asked, FakeSite
from tests.testing.web import asked_for


def get(url: str) -> tuple[int, str]:
    answer = asked_for(url)
    return answer.status, answer.text


def connected(site: FakeSite) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(site.url.removeprefix("http://"), timeout=10)


def test_a_path_gives_its_answer_and_any_other_is_not_found():
    with FakeSite({"/": "<h1>Grüße</h1>", "/gone": Answer("away", 410)}) as site:
        assert get(site.url + "/") == (200, "<h1>Grüße</h1>")
        assert get(site.url + "/gone") == (410, "away")
        assert get(site.url + "/other")[0] == 404


def test_requests_are_counted_by_path():
    with FakeSite({"/": "home"}) as site:
        get(site.url + "/")
        get(site.url + "/?page=2")
        get(site.url + "/other")
        assert site.requests == {"/": 2, "/other": 1}


def test_a_function_sees_what_was_asked():
    seen: list[Asked] = []

    def route(asked: Asked) -> str:
        seen.append(asked)
        return str(asked.times)

    with FakeSite({"/form": route}) as site:
        connection = connected(site)
        for expected in (b"1", b"2"):
            connection.request("POST", "/form?a=1", b"name=x", {"X-Colour": "blue"})
            assert connection.getresponse().read() == expected
        connection.close()
    assert seen[0][:3] == ("POST", "/form", "a=1")
    assert seen[0].headers["x-colour"] == "blue"
    assert seen[0].body == b"name=x"
    assert [asked.times for asked in seen] == [1, 2]


def test_a_function_that_fails_is_an_answer_of_500():
    def route(_: Asked) -> str:
        raise LookupError("no such row")

    with FakeSite({"/": route}) as site:
        assert get(site.url + "/") == (500, "the route failed: LookupError('no such row')")


def test_a_connection_serves_many_requests():
    with FakeSite({"/": "home"}) as site:
        connection = connected(site)
        connection.connect()
        first = connection.sock
        for _ in range(3):
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"home"
            assert connection.sock is first
        connection.close()


def test_a_connection_is_closed_when_it_is_asked_for():
    with FakeSite({"/": "home"}) as site:
        connection = connected(site)
        connection.request("GET", "/", headers={"Connection": "close"})
        answer = connection.getresponse()
        assert answer.getheader("Connection") == "close"
        assert answer.read() == b"home"


def test_a_head_request_gets_no_body():
    with FakeSite({"/": "home"}) as site:
        connection = connected(site)
        connection.request("HEAD", "/")
        answer = connection.getresponse()
        assert (answer.getheader("Content-Length"), answer.read()) == ("4", b"")
        connection.close()


def test_headers_and_slowness_are_the_answers_own():
    slow = Answer(
        b"\x89PNG", headers={"Content-Type": "image/png", "Retry-After": "1"}, seconds=0.2
    )
    with FakeSite({"/slow": slow}) as site:
        started = time.monotonic()
        answer = asked_for(site.url + "/slow")
        assert answer.body == b"\x89PNG"
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.headers["Retry-After"] == "1"
        assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize("nonsense", [b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"])
def test_nonsense_is_a_bad_request(nonsense):
    with FakeSite({"/": "home"}) as site:
        host, port = site.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(nonsense)
            assert connection.recv(1024).startswith(b"HTTP/1.1 400 ")
            assert connection.recv(1024) == b""


def test_stopping_hangs_up_on_who_still_waits():
    with FakeSite({"/never": Answer(seconds=3600)}) as site:
        connection = connected(site)
        connection.request("GET", "/never")
        while not site.requests:
            time.sleep(0.01)
    with pytest.raises((ConnectionError, http.client.BadStatusLine)):
        connection.getresponse()
    connection.close()


def test_a_port_that_is_taken_is_told():
    with FakeSite({}) as site:
        port = int(site.url.rpartition(":")[2])
        with pytest.raises(InputError, match=f"port {port} of this machine cannot be used"):
            FakeSite({}, port=port).start()
