"""A stand-in for YouTube, so that yt-dlp's real extractor runs without a network.

It is not YouTube: its answers have only the fields that the extractor of the pinned yt-dlp reads,
written from that extractor, and YouTube may change what it sends on any day.
"""
