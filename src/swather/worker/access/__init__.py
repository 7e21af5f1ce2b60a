"""An attempt's way to the web: robots.txt, permits, allowed hosts, what sites say of us."""
