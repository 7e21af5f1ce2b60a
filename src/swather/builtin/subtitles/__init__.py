"""The scraper `subtitles`: subtitles of videos, playlists and channels, through yt-dlp."""
