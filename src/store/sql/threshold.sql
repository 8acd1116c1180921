-- Up to which mean duration an operation is small: the larger of 1 ns and the 25th percentile of
-- the operators' means, or what the user said.
--
-- The percentile lies between two neighbours in the order of means, `lower` and `upper`, and no
-- operator's mean lies between these. So the operators at or below the percentile are those at or
-- below `lower`, and the choice needs no more than a comparison of fractions, whose products fit
-- into 127 bits. Only what is shown needs the interpolated value.

-- Means in exact order: whole nanoseconds, then 62 bits of the rest, then 62 more. Two fractions
-- that differ do so in these, since a count has no more than 63 bits.
CREATE MACRO bits(rest, calls) AS (rest << 62) // calls;
CREATE MACRO rest_of(rest, calls) AS (rest << 62) % calls;

CREATE TABLE threshold AS
WITH means AS (
    SELECT inclusive_ns::HUGEINT AS ns, calls::HUGEINT AS calls FROM operators
),
parts AS (
    SELECT ns, calls, ns // calls AS whole, ns % calls AS rest FROM means
),
ordered AS (
    SELECT ns, calls,
        row_number() OVER (
            ORDER BY whole, bits(rest, calls), bits(rest_of(rest, calls), calls)
        ) - 1 AS place,
        count(*) OVER () - 1 AS last
    FROM parts
),
neighbours AS (
    SELECT lower.ns AS lower_ns, lower.calls AS lower_calls,
        coalesce(upper.ns, lower.ns) AS upper_ns, coalesce(upper.calls, lower.calls) AS upper_calls,
        lower.last % 4 AS quarters
    FROM ordered AS lower LEFT JOIN ordered AS upper ON upper.place = lower.place + 1
    WHERE lower.place = lower.last // 4
),
shown AS (
    SELECT lower_ns, lower_calls,
        TRY((4 - quarters) * lower_ns * upper_calls + quarters * upper_ns * lower_calls) AS num,
        TRY(4 * lower_calls * upper_calls) AS den
    FROM neighbours
),
percentile AS (
    SELECT lower_ns AS ns, lower_calls AS calls,
        coalesce(
            TRY(num // den * 1000 + (num % den * 1000 + den // 2) // den),
            lower_ns // lower_calls * 1000
                + (lower_ns % lower_calls * 1000 + lower_calls // 2) // lower_calls
        ) AS thousandths
    FROM shown
),
chosen AS (
    SELECT
        CASE WHEN ns < calls THEN 1 ELSE ns END AS ns,
        CASE WHEN ns < calls THEN 1 ELSE calls END AS calls,
        greatest(thousandths, 1000) AS thousandths
    FROM percentile, options WHERE small_below_ns < 0
    UNION ALL
    SELECT small_below_ns, 1, small_below_ns::HUGEINT * 1000
    FROM options WHERE small_below_ns >= 0
)
SELECT * FROM chosen;

SELECT thousandths // 1000, thousandths % 1000 FROM threshold;
