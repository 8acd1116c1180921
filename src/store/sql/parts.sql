-- What the aggregates are made of: per device, per reason.
WITH memory_devices AS (
    SELECT memory.*,
        CASE
            WHEN device_types.label IS NULL THEN 'type' || device_type || ':' || device_id
            WHEN device_type = 0 THEN device_types.label
            ELSE device_types.label || ':' || device_id
        END AS label
    FROM memory LEFT JOIN device_types USING (device_type)
),
parts AS (
    SELECT aggregate, 'by_device' AS parts, session, names.bytes AS label,
        NULL::BIGINT AS device_type, NULL::BIGINT AS device_id, events, value,
        octet_length(names.bytes) AS size
    FROM devices JOIN names ON names.id = devices.label, LATERAL (VALUES
        ('device_time_sum', sum_ns),
        ('device_time_union', union_ns)
    ) AS of(aggregate, value)
    UNION ALL
    SELECT aggregate, 'by_device', session, encode(label), device_type, device_id, events, value, 0
    FROM memory_devices, LATERAL (VALUES
        ('allocation_bytes', allocated_bytes),
        ('freed_bytes', freed_bytes),
        ('peak_allocated_bytes', peak_bytes)
    ) AS of(aggregate, value)
    UNION ALL
    SELECT aggregate, 'by_reason', 0, encode(reason), NULL, NULL, events, value, place
    FROM (
        SELECT
            coalesce(sum(no_launch_events), 0) AS no_launch_events,
            coalesce(sum(no_launch_ns), 0) AS no_launch_ns,
            coalesce(sum(graph_only_events), 0) AS graph_only_events,
            coalesce(sum(graph_only_ns), 0) AS graph_only_ns,
            coalesce(sum(outside_events), 0) AS outside_events,
            coalesce(sum(outside_ns), 0) AS outside_ns
        FROM sessions
    ), LATERAL (VALUES
        (1, 'no_launch_record', no_launch_events, no_launch_ns),
        (2, 'graph_launch', graph_only_events, graph_only_ns),
        (3, 'outside_every_operator', outside_events, outside_ns)
    ) AS why(place, reason, events, ns), LATERAL (VALUES
        ('unattributed_device_events', events),
        ('unattributed_device_time', ns)
    ) AS of(aggregate, value)
)
SELECT aggregate, parts, session, label, device_type, device_id, events, value
FROM parts
ORDER BY aggregate, session, device_type, device_id, size, label;
