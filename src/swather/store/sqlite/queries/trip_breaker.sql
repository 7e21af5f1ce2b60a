INSERT INTO breakers (lane_id, scraper_id, opened_at, probe_at, probe_seconds, seen)
VALUES (:lane_id, :scraper_id, :now, :now + :probe_seconds, :probe_seconds, :seen)
ON CONFLICT (lane_id, scraper_id) DO UPDATE SET
    probe_seconds = max(probe_seconds, excluded.probe_seconds),
    probe_at = max(probe_at, :now + max(probe_seconds, excluded.probe_seconds)),
    seen = excluded.seen
