-- The population, and its operators.

-- How often a sum meets the limit of what is handed on.
CREATE MACRO fits(x) AS x <= 9223372036854775807::HUGEINT;
CREATE MACRO held(x) AS least(x, 9223372036854775807::HUGEINT)::BIGINT;

-- What has an interval, and is not of a kind that no total counts.
CREATE TABLE population AS
SELECT folded.*, kind, calls - errors AS n
FROM folded JOIN backends USING (backend)
WHERE in_population AND calls > errors;

CREATE TABLE operators AS
WITH sums AS (
    SELECT session, kind, category, name,
        sum(n) AS calls,
        sum(self_ns) AS self_ns,
        sum(inclusive_ns) AS inclusive_ns,
        min(min_ns) AS min_ns,
        max(max_ns) AS max_ns,
        sum(device_self_ns) AS device_self_ns,
        sum(device_inclusive_ns) AS device_inclusive_ns,
        sum(allocated_bytes) AS allocated_bytes,
        bool_or(synchronizes) AS synchronizes,
        bool_or(compiles) AS compiles,
        sum(warm_calls) > 0 AS warms_up
    FROM population
    GROUP BY session, kind, category, name
)
SELECT
    row_number() OVER (
        ORDER BY inclusive_ns DESC, names.bytes, kind, categories.bytes, session
    ) AS place,
    session, kind, category, name,
    names.bytes AS name_bytes,
    categories.bytes AS category_bytes,
    held(calls) AS calls,
    held(self_ns) AS self_ns,
    held(inclusive_ns) AS inclusive_ns,
    min_ns,
    max_ns,
    held(device_self_ns) AS device_self_ns,
    held(device_inclusive_ns) AS device_inclusive_ns,
    held(allocated_bytes) AS allocated_bytes,
    synchronizes, compiles, warms_up,
    list_count(list_filter(
        [calls, self_ns, inclusive_ns, device_self_ns, device_inclusive_ns, allocated_bytes],
        lambda x: NOT fits(x)
    )) AS overflows
FROM sums
    JOIN names ON names.id = name
    JOIN names AS categories ON categories.id = category;
