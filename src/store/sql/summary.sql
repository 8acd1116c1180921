-- The size of the population, and what is told beside the aggregates.
SELECT
    (SELECT count(*) FROM operators),
    (SELECT held(sum(n)) FROM population),
    (SELECT count(*) FROM tracks),
    (SELECT count(*) FROM (
        SELECT DISTINCT session, host, process FROM population WHERE kind <> 'device')),
    (SELECT count(*) > 0 FROM population WHERE kind = 'device') AS has_device,
    (SELECT coalesce(sum(memory_events), 0) FROM sessions) AS memory_events,
    (SELECT coalesce(sum(overflows), 0) FROM operators),
    (SELECT coalesce(sum(graph_events), 0) FROM sessions),
    (SELECT coalesce(sum(graph_ns), 0) FROM sessions),
    -- Times of several sessions have a meaning together only if all count from the epoch.
    coalesce(count(*) FILTER (has_times) = 1 OR bool_and(has_base) FILTER (has_times), false),
    min(start_ns) FILTER (has_times),
    max(end_ns) FILTER (has_times)
FROM sessions;
