"""Which Chromium is started, and what is said when there is none."""

import asyncio
import sys

import pytest

from swather.errors import InputError, MissingExtra
from swather.net.browser import Browser, program
from swather.net.egress_policy import BrowserPolicy
from swather.net.errors import BrowserFailed
from tests.net.browser.visiting import visit


def opened(executable):
    async def run():
        browser = Browser(BrowserPolicy(executable=executable))
        try:
            async with browser.visit(visit()):
                pass
        finally:
            await browser.close()

    asyncio.run(run())


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "chromium"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return write


def test_without_a_chromium_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(program, "_APPLICATIONS", ())
    with pytest.raises(InputError, match="apt install chromium"):
        opened(None)


def test_a_setting_that_names_no_program_is_told(tmp_path):
    with pytest.raises(InputError, match=r"the setting chromium names .*nowhere"):
        opened(tmp_path / "nowhere")


def test_one_on_the_path_is_found(monkeypatch, write):
    found = write("exit 0")
    monkeypatch.setenv("PATH", str(found.parent))
    assert program.find() == found


def test_one_without_windows_is_preferred_unless_a_window_is_wanted(monkeypatch, write):
    full = write("exit 0")
    shell = full.with_name("chromium-headless-shell")
    shell.symlink_to(full)
    monkeypatch.setenv("PATH", str(full.parent))
    assert (program.find(), program.find(headed=True)) == (shell, full)
    assert program.find(full) == full
    full.replace(shell)
    with pytest.raises(InputError, match=r"headless-shell cannot show a window: .*apt install"):
        program.find(headed=True)


def test_one_that_is_too_old_is_named_with_its_version(write):
    with pytest.raises(InputError, match=r"is Chromium 90, and a browser must be 120 or newer"):
        opened(write("echo Chromium 90.0.4430.212 built on Debian"))


def test_one_that_does_not_run_is_named(write):
    with pytest.raises(InputError, match=r"chromium --version ended with exit code 3"):
        opened(write("exit 3"))


def test_without_playwright_it_is_said_what_to_install(monkeypatch, write):
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(MissingExtra, match=r"pip install 'swather\[browser\]'"):
        opened(write("echo Chromium 150.0.0.1"))


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_program_that_does_not_start_says_why(write):
    with pytest.raises(BrowserFailed, match=r"did not start: exit code 3: no display$"):
        opened(
            write(
                '[ "$1" = --version ] && echo Chromium 150.0.0.1\n'
                "echo warning >&2; echo no display >&2\nexit 3"
            )
        )
