-- What queries see (docs/man/optally-sql.1). A session is here once, however many runs it is in.

CREATE VIEW runs AS
SELECT
    r.run, r.name, make_timestamp(r.imported_ns // 1000) AS imported_at, r.imported_ns,
    coalesce(l.labels, MAP([]::VARCHAR[], []::VARCHAR[])) AS labels, r.sessions
FROM parts.runs r
LEFT JOIN (
    SELECT run, MAP(list(key ORDER BY key), list("value" ORDER BY key)) AS labels
    FROM parts.labels GROUP BY run
) l ON l.run = r.no
ORDER BY r.no;

CREATE VIEW members AS
SELECT r.run, r.name, i.session, m."position"
FROM parts.members m
JOIN parts.runs r ON r.no = m.run
JOIN parts.ids i ON i.no = m.session;

CREATE VIEW artifacts AS
SELECT
    artifact, any_value(bytes) AS bytes, list(DISTINCT path ORDER BY path) AS paths,
    count(*) AS sessions
FROM parts.ids GROUP BY artifact;

CREATE VIEW sessions AS
SELECT
    i.session, s.artifact, s.format, s.extractor, s.recovered,
    make_timestamp(s.imported_ns // 1000) AS imported_at, s.imported_ns,
    s.path, s.host, s.torch, s.devices, s.rank, s.world_size, s.base_ns,
    CASE WHEN s.base_ns IS NOT NULL THEN make_timestamp(s.start_ns // 1000) END AS start_at,
    s.start_ns,
    CASE WHEN s.base_ns IS NOT NULL THEN make_timestamp(s.end_ns // 1000) END AS end_at,
    s.end_ns,
    s.end_ns - s.start_ns AS wall_ns,
    s.* EXCLUDE (no, id, artifact, format, extractor, recovered, imported_ns, path, host, torch,
        devices, "rank", world_size, base_ns, start_ns, end_ns)
FROM parts.sessions s
JOIN parts.ids i USING (no);

CREATE VIEW operators AS
SELECT i.session, o.* EXCLUDE (no)
FROM parts.operators o
JOIN parts.ids i USING (no);

CREATE VIEW slices AS
SELECT
    s.session, s.operator, o.name, o.kind, o.category, o.host, o.process, o.process_label,
    o.thread, o.thread_label, s.parent, p.name AS caller, s.depth, s.at_ns AS start_ns,
    s.ts_ns, s.dur_ns, s.self_ns
FROM parts.slices s
JOIN parts.operators o ON o.no = s.no AND o.operator = s.operator
LEFT JOIN parts.operators p ON p.no = s.no AND p.operator = s.parent;

CREATE VIEW memory AS
SELECT
    m.session, m.device, d.device_type, d.type_label, d.device_id, m.owner, o.name AS owner_name,
    m.process, m.process_label, m.thread, m.thread_label, m.at_ns, m.ts_ns, m.bytes,
    m.total_allocated
FROM parts.memory m
JOIN parts.memory_devices d ON d.no = m.no AND d.device = m.device
LEFT JOIN parts.operators o ON o.no = m.no AND o.operator = m.owner;

CREATE VIEW memory_devices AS
SELECT
    i.session, d.device, d.device_type, d.type_label, d.device_id, d.events, d.allocated_bytes,
    d.freed_bytes, d.peak_bytes, d.first_ns + i.base_ns AS first_ns,
    d.last_ns + i.base_ns AS last_ns
FROM parts.memory_devices d
JOIN parts.ids i USING (no);

CREATE VIEW devices AS
SELECT i.session, d.* EXCLUDE (no)
FROM parts.devices d
JOIN parts.ids i USING (no);

CREATE VIEW tracks AS
SELECT i.session, t.* EXCLUDE (no)
FROM parts.tracks t
JOIN parts.ids i USING (no);

CREATE VIEW shapes AS
SELECT i.session, s.operator, o.name, s.shapes, s.calls
FROM parts.shapes s
JOIN parts.ids i USING (no)
JOIN parts.operators o ON o.no = s.no AND o.operator = s.operator;

CREATE VIEW warnings AS
SELECT i.session, w.code, w."count", w."first"
FROM parts.warnings w
JOIN parts.ids i USING (no);
