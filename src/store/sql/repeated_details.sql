SELECT session, name_bytes, kind, category_bytes, calls, self_ns, inclusive_ns, min_ns, max_ns,
    device_self_ns, device_inclusive_ns, allocated_bytes, synchronizes, compiles, warms_up
FROM repeated, options
WHERE options.small_rows < 0 OR place <= options.small_rows
ORDER BY place;
