"""Scrapers that ship with Swather; they are registered by entry points, like anyone's."""
