"""A web site whose links are hard to get right, and a crawler of its own to compare with.

Every page has a title of its own, so that pages can be compared whatever their addresses look like.
"""

import posixpath
import random
from collections import deque
from html.parser import HTMLParser
from urllib.error import HTTPError
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urljoin, urlsplit
from urllib.request import urlopen

from swather.testing import Answer, Asked, FakeSite

PAGES_IN_MESH = 60


class TrickySite(FakeSite):
    """Fixed pages with one trick each, and a mesh of pages linked at random."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__({})
        self._random = random.Random(seed)

    @property
    def home(self) -> str:
        return f"http://localhost:{self.port}/"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def start(self) -> None:
        super().start()
        self.routes = Unquoting({**fixed(self.port), **mesh(self._random, self.port)})


class Unquoting(dict[str, object]):
    """A server takes /%61 for /a."""

    def get(self, path, default=None):
        return super().get(unquote(path), default)


def page(title: str, *parts: str, head: str = "") -> str:
    body = "\n".join(parts)
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


def a(href: str) -> str:
    return f"<p><a href='{href}'>{href}</a></p>"


def fixed(port: int) -> dict[str, object]:
    return {
        "/": page(
            "home",
            a("fragment.html#part"),
            a("fragment.html#another"),
            a("#here"),
            a("search.html?a=1&amp;b=2"),
            a("search.html?b=2&a=1"),
            a("deep/er/page.html"),
            a("deep/../deep/er/./page.html"),
            a("/../../above.html"),
            a(f"//localhost:{port}/no-scheme.html"),
            a(f"HTTP://LOCALHOST:{port}/upper.html"),
            a(f"http://127.0.0.1:{port}/other-host.html"),
            a("based/"),
            a("caf%C3%A9.html"),
            a("%63af%c3%a9.html"),
            a("with space.html"),
            a("  padded.html\n"),
            a("tilde/%7Euser.html"),
            a("directory"),
            a("directory/"),
            a("missing.html"),
            a("mailto:somebody@example.com"),
            a("javascript:void(0)"),
            a("tel:+3112345"),
            a("data:text/html,hello"),
            a("ftp://localhost/file.html"),
            a("http://"),
            a(""),
            "<map name=m><area href='area.html'></map>",
            "<iframe src='iframe.html'></iframe>",
            a("frames.html"),
            a("moved.html"),
            a("to-other-host.html"),
            a("silent.html"),
            a("refresh.html"),
            a("file.txt"),
            a("mesh/0.html"),
            "<!-- " + a("commented.html") + " -->",
            "<script>var link = \"<a href='scripted.html'>\";</script>",
            head="<link rel=next href=next.html><link rel=stylesheet href=style.css>",
        ),
        "/fragment.html": page("fragment"),
        "/search.html": lambda asked: page("search " + str(sorted(parse_qsl(asked.query)))),
        "/deep/er/page.html": page("deep", a("../../up.html"), a("./same.html"), a("../er/")),
        "/up.html": page("up"),
        "/deep/er/same.html": page("same"),
        "/deep/er/": lambda asked: page(f"folder {asked.query or 'itself'}", a("?query=only")),
        "/above.html": page("above"),
        "/no-scheme.html": page("no scheme"),
        "/upper.html": page("upper"),
        "/other-host.html": page("other host"),
        "/based/": page("based", a("elsewhere.html"), head="<base href='/elsewhere/'>"),
        "/elsewhere/elsewhere.html": page("elsewhere"),
        "/based/elsewhere.html": page("not based"),
        "/café.html": page("café"),
        "/with space.html": page("with space"),
        "/padded.html": page("padded"),
        "/tilde/~user.html": page("tilde", a("~user.html")),
        "/directory": Answer(status=301, headers={"Location": "/directory/"}),
        "/directory/": page("directory", a("inside.html")),
        "/directory/inside.html": page("inside"),
        "/area.html": page("area"),
        "/iframe.html": page("iframe"),
        "/frames.html": "<html><head><title>frames</title></head>"
        "<frameset cols='*,*'><frame src='left.html'><frame src='right.html'></frameset></html>",
        "/left.html": page("left"),
        "/right.html": page("right"),
        "/moved.html": Answer(status=302, headers={"Location": "fragment.html"}),
        "/to-other-host.html": Answer(
            status=302, headers={"Location": f"http://127.0.0.1:{port}/other-host.html"}
        ),
        "/silent.html": page(
            "silent", a("unheard.html"), head="<meta name='ROBOTS' content='NOFOLLOW'>"
        ),
        "/unheard.html": page("unheard"),
        "/refresh.html": page(
            "refresh", head="<meta http-equiv=Refresh content='5; URL=refreshed.html'>"
        ),
        "/refreshed.html": page("refreshed"),
        "/file.txt": Answer(a("in-text.html"), headers={"Content-Type": "text/plain"}),
        "/in-text.html": page("in text"),
        "/next.html": page("next"),
        "/style.css": Answer("p {}", headers={"Content-Type": "text/css"}),
        "/commented.html": page("commented"),
        "/scripted.html": page("scripted"),
    }  # fmt: skip


def mesh(rng: random.Random, port: int) -> dict[str, object]:
    """Pages with two links on the average, so that some of them cannot be reached."""
    paths = [
        f"/mesh/{'sub/' * (number % 3)}{number}.html" if number else "/mesh/0.html"
        for number in range(PAGES_IN_MESH)
    ]
    made: dict[str, object] = {}
    for path in paths:
        links = [
            spelled(rng, port, path, rng.choice(paths), rng.randrange(3))
            for _ in range(rng.randrange(5))
        ]
        made[path] = answering(path, [a(link.replace("&", "&amp;")) for link in links])
    return made


def answering(path: str, links: list[str]):
    def answer(asked: Asked) -> str:
        variant = parse_qs(asked.query).get("variant", ["0"])[0]
        return page(f"{path} {variant}", *links)

    return answer


def spelled(rng: random.Random, port: int, source: str, target: str, variant: int) -> str:
    """One of the many ways to write the same link."""
    folder, name = posixpath.split(target)
    if rng.random() < 0.3:
        at = rng.randrange(len(name))
        name = f"{name[:at]}%{ord(name[at]):{rng.choice(['02x', '02X'])}}{name[at + 1 :]}"
    path = rng.choice([f"{folder}/{name}", f"{folder}/./{name}", f"{folder}/gone/../{name}"])
    link = rng.choice(
        [
            path,
            posixpath.relpath(folder, posixpath.dirname(source)) + "/" + name,
            f"//localhost:{port}{path}",
            f"http://LocalHost:{port}{path}",
        ]
    )
    pairs = [("variant", variant), ("lang", "en")] if variant else []
    rng.shuffle(pairs)
    query = f"?{urlencode(pairs)}" if pairs else ""
    return link + query + rng.choice(["", "#top"])


SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.links: list[str] = []
        self.title = ""
        self.follow = True
        self._in_title = False

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self._in_title = tag == "title"
        if tag in SOURCES and SOURCES[tag] in given:
            self.links.append(given[SOURCES[tag]])
        elif tag == "base":
            self.base = given.get("href", "")
        elif tag == "link" and given.get("rel") == "next":
            self.links.append(given["href"])
        elif tag == "meta" and given.get("name", "").lower() == "robots":
            self.follow = "nofollow" not in given["content"].lower()
        elif tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.links.append(given["content"].lower().partition("url=")[2])

    def handle_data(self, data):
        if self._in_title:
            self.title, self._in_title = data, False


def crawled(home: str) -> list[str]:
    """The titles of all pages that can be reached on the host of `home`."""
    host = urlsplit(home).netloc
    seen, waiting, titles = {same(home)}, deque([home]), {}
    while waiting:
        try:
            with urlopen(waiting.popleft()) as answer:  # noqa: S310  (only http is put there)
                address, kind = answer.url, answer.headers.get_content_type()
                text = answer.read().decode()
        except HTTPError:
            continue
        if urlsplit(address).netloc.lower() != host or kind != "text/html":
            continue
        links = _Links()
        links.feed(text)
        titles[same(address)] = links.title
        for link in links.links if links.follow else ():
            url = urljoin(urljoin(address, links.base), link.strip().replace(" ", "%20"))
            parts = urlsplit(url)
            if parts.scheme == "http" and parts.netloc.lower() == host and same(url) not in seen:
                seen.add(same(url))
                waiting.append(parts._replace(path=tidy(parts.path), fragment="").geturl())
    return sorted(titles.values())


def same(url: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    parts = urlsplit(url)
    path = unquote(tidy(parts.path))
    return parts.netloc.lower(), path, tuple(sorted(parse_qsl(parts.query)))


def tidy(path: str) -> str:
    """Without '.' and '..'; to Python an absolute URL has them for good."""
    resolved = posixpath.normpath(path or "/")
    return resolved + "/" if path.endswith("/") and resolved != "/" else resolved
