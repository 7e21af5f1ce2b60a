"""Settings of the server: tokens that clients can send, and names that browsers send."""

import pytest

from swather import settings_sources
from swather.errors import BadSetting


def named(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SWATHER_API_NAMES", text)
    return settings_sources.read().settings.api_names


@pytest.mark.parametrize(
    "token",
    ["  [ abcdefghijklmnopqrst ]", "pässwörd-of-sixteen-ü", 'abcdefghijklmnop"q r', "a" * 15],
)
def test_a_token_that_no_client_can_send_is_refused_and_not_shown(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWATHER_API_TOKEN", token)
    with pytest.raises(BadSetting, match="api_token should have") as refused:
        settings_sources.read()
    assert token.strip() not in str(refused.value)


@pytest.mark.parametrize("token", ["a-token-of-sixteen", "'\"#&%+/?=$`\\abcdefgh!~"])
def test_spaces_around_a_token_do_not_belong_to_it(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWATHER_API_READ_TOKEN", f" {token}\n")
    found = settings_sources.read().settings.api_read_token
    assert found is not None
    assert found.get_secret_value() == token


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("", ""),
        ("Swather.Example.com", "swather.example.com"),
        ("a.example:8443, b.example,a.example", "a.example,b.example"),
        ("api,swather_api:80,xn--bcher-kva.example,", "api,swather_api,xn--bcher-kva.example"),
        ("::1, [2001:DB8::1]:8443, 10.0.0.7:80", "::1,2001:db8::1,10.0.0.7"),
    ],
)
def test_names_are_hosts_without_their_ports(
    given: str, names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert named(given, monkeypatch) == names


@pytest.mark.parametrize(
    "wrong",
    ["https://a.example", "a.example/x", "me@a.example", "*.a.example", "bücher.example", "a b"],
)
def test_a_name_that_no_request_can_have_is_refused(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadSetting, match="api_names should name hosts such as"):
        named(f"good.example,{wrong}", monkeypatch)
