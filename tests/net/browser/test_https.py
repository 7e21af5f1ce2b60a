"""Pages over TLS: the guard proxy sees only the host, routes see the URL."""

import pytest

from swather.net.browser import chromium
from swather.net.errors import Disallowed
from tests.debian import need_chromium
from tests.net.browser.test_rules import Policies
from tests.net.browser.visiting import Runs, html, visit
from tests.net.site import respond, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PAGES = {
    "page": html("<p>there</p><img src=/picture>"),
    "picture": respond(b"", Content_Type="image/png"),
    "start": respond(b"", "302 Found", Location="/page"),
}


@pytest.fixture(scope="module")
def trusting():
    """A browser that trusts every certificate, as Chromium takes authorities from the system."""
    need_chromium()
    runs = Runs()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chromium, "FLAGS", (*chromium.FLAGS, "--ignore-certificate-errors"))
        yield runs
    runs.close()


def rendered(runs, authority, path, policies):
    _, tls = authority
    paths = []

    async def scene(browser):
        async with site(tls=tls, **PAGES) as served:
            wanted = visit()
            object.__setattr__(wanted, "new_policy", policies.new)
            try:
                async with browser.visit(wanted) as tab:
                    return await tab.render(f"{served.url}/{path}")
            finally:
                paths.extend(asked.path for asked in served.asked)

    return runs(scene), paths


def test_a_page_and_what_it_loads_share_a_tunnel_and_have_their_own_policies(trusting, authority):
    policies = Policies()
    page, paths = rendered(trusting, authority, "page", policies)
    assert page.one("p").text() == "there"
    assert paths == ["/page", "/picture"]
    told = [each for each in policies.made if each.answers]
    assert [(each.is_page, each.answers[0][1]) for each in told] == [(True, 200), (False, 200)]


def test_a_redirect_on_the_same_connection_is_admitted_and_answered(trusting, authority):
    policies = Policies()
    page, paths = rendered(trusting, authority, "start", policies)
    assert page.one("p").text() == "there"
    assert paths[:2] == ["/start", "/page"]
    (one,) = [each for each in policies.made if each.is_page]
    assert [url.rpartition("/")[2] for url in one.admitted] == ["start", "page"]
    assert [status for _, status, _ in one.answers] == [302, 200]


def test_where_such_a_redirect_is_disallowed_nobody_sees_the_page(trusting, authority):
    with pytest.raises(Disallowed):
        rendered(trusting, authority, "start", Policies({"/page": Disallowed("robots.txt")}))
