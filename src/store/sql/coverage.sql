-- What the population shows to be there, whatever is shown of it.
WITH of_population AS (
    SELECT
        coalesce(bool_or(kind <> 'device'), false) AS has_host,
        coalesce(bool_or(kind = 'device'), false) AS has_device,
        coalesce(bool_or(kind <> 'device' AND synchronizes), false) AS synchronizes,
        coalesce(bool_or(kind <> 'device' AND warm_calls > 0), false) AS warms_up,
        coalesce(bool_or(kind = 'op' AND has_overload), false) AS has_overloads
    FROM population JOIN names ON names.id = name
),
of_sessions AS (
    SELECT
        coalesce(bool_or(memory_events > 0), false) AS has_memory,
        coalesce(bool_or(has_phases), false) AS has_phases,
        coalesce(bool_or(has_python_stacks), false) AS has_stacks
    FROM sessions
),
of_shapes AS (
    SELECT count(*) > 0 AS has_shapes
    FROM shapes JOIN population ON population.id = shapes.folded_id
    WHERE kind = 'op'
)
SELECT name, is_there
FROM of_population, of_sessions, of_shapes, LATERAL (VALUES
    (1, 'self_cpu_time', has_host),
    (2, 'total_cpu_time', has_host),
    (3, 'device_time', has_device),
    (4, 'input_shapes', has_shapes),
    (5, 'memory_allocations', has_memory),
    (6, 'synchronization', synchronizes),
    (7, 'phase_annotations', has_phases OR warms_up),
    (8, 'warmup_phases', warms_up),
    (9, 'python_stacks', has_stacks),
    (10, 'overload_names', has_overloads)
) AS flag(place, name, is_there)
ORDER BY place;
