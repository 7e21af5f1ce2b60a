-- `xmax` is 0 for a row that was inserted: the breaker was closed before.
INSERT INTO swather.breakers AS b (
    lane_id, scraper_id, opened_at, probe_at, probe_seconds, seen
)
VALUES (
    %(lane_id)s, %(scraper_id)s, swather.clock(),
    swather.clock() + %(probe_seconds)s * interval '1 second', %(probe_seconds)s, %(seen)s
)
ON CONFLICT (lane_id, scraper_id) DO UPDATE SET
    probe_seconds = greatest(b.probe_seconds, excluded.probe_seconds),
    probe_at = greatest(
        b.probe_at,
        excluded.opened_at
        + greatest(b.probe_seconds, excluded.probe_seconds) * interval '1 second'
    ),
    seen = excluded.seen
RETURNING b.xmax = 0
