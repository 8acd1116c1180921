-- The size of the population, and what is told beside the aggregates.
WITH of_operators AS (
    SELECT count(*), coalesce(sum(overflows), 0) FROM operators
),
of_population AS (
    SELECT coalesce(sum(n), 0), coalesce(bool_or(kind = 'device'), false)
    FROM population
),
of_tracks AS (
    SELECT count(*), count(DISTINCT (session, host, process))
    FROM tracks
    WHERE in_population
),
of_sessions AS (
    SELECT coalesce(sum(memory_events), 0),
        coalesce(sum(graph_events), 0),
        coalesce(sum(graph_ns), 0),
        -- Times of several sessions have a meaning together only if all count from the epoch.
        coalesce(count(*) FILTER (has_times) = 1 OR bool_and(has_base) FILTER (has_times), false),
        min(start_ns) FILTER (has_times),
        max(end_ns) FILTER (has_times)
    FROM sessions
)
SELECT * FROM of_operators, of_population, of_tracks, of_sessions;
