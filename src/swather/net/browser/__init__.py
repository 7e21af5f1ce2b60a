"""A real browser, Chromium, under our control: guarded, paced, cut off in time, and never left."""

from swather.net.browser.browser import Browser
from swather.net.browser.tab import Tab
from swather.net.browser.visit import Visit

__all__ = ["Browser", "Tab", "Visit"]
