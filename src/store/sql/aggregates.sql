-- One row per aggregate. `needs` is what a trace has to hold for it to be known.
WITH of_population AS (
    SELECT
        coalesce(sum(self_ns) FILTER (kind <> 'device'), 0) AS host_busy,
        coalesce(sum(warm_self_ns) FILTER (kind <> 'device'), 0) AS warmup,
        coalesce(sum(n), 0) AS events
    FROM population
),
of_operators AS (SELECT count(*)::HUGEINT AS operators FROM operators),
of_devices AS (
    SELECT coalesce(sum(sum_ns), 0) AS device_sum, coalesce(sum(union_ns), 0) AS device_union
    FROM devices
),
of_tracks AS (
    SELECT
        count(*) FILTER (in_population)::HUGEINT AS tracks,
        coalesce(sum(synchronization_ns), 0) AS synchronization,
        coalesce(sum(compilation_ns), 0) AS compilation
    FROM tracks
),
of_memory AS (
    SELECT
        coalesce(sum(allocated_bytes), 0) AS allocated,
        coalesce(sum(freed_bytes), 0) AS freed,
        coalesce(max(peak_bytes), 0)::HUGEINT AS peak
    FROM memory
),
of_sessions AS (
    SELECT
        coalesce(sum(no_launch_events + graph_only_events + outside_events), 0) AS lost_events,
        coalesce(sum(no_launch_ns) + sum(graph_only_ns) + sum(outside_ns), 0) AS lost_ns,
        coalesce(sum(lost_allocated_bytes), 0) AS lost_bytes
    FROM sessions
)
SELECT name, unit, needs, value
FROM of_population, of_operators, of_devices, of_tracks, of_memory, of_sessions, LATERAL (VALUES
    (1, 'host_busy_time', 'ns', '', host_busy),
    (2, 'device_time_sum', 'ns', 'device', device_sum),
    (3, 'device_time_union', 'ns', 'device', device_union),
    (4, 'synchronization_time', 'ns', '', synchronization),
    (5, 'compilation_time', 'ns', '', compilation),
    (6, 'allocation_bytes', 'bytes', 'memory', allocated),
    (7, 'freed_bytes', 'bytes', 'memory', freed),
    (8, 'peak_allocated_bytes', 'bytes', 'memory', peak),
    (9, 'warmup_time', 'ns', '', warmup),
    (10, 'events', 'events', '', events),
    (11, 'operators', 'operators', '', operators),
    (12, 'tracks', 'tracks', '', tracks),
    (13, 'unattributed_device_events', 'events', 'device', lost_events),
    (14, 'unattributed_device_time', 'ns', 'device', lost_ns),
    (15, 'unattributed_allocation_bytes', 'bytes', 'memory', lost_bytes)
) AS aggregate(place, name, unit, needs, value)
ORDER BY place;
