-- The only rows that leave the database.
SELECT session, name_bytes, kind, category_bytes, calls, self_ns, inclusive_ns, min_ns, max_ns,
    device_self_ns, device_inclusive_ns, allocated_bytes, synchronizes, compiles, warms_up
FROM operators, options
WHERE options.rows < 0 OR place <= options.rows
ORDER BY place;
