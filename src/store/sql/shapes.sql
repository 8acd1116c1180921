-- The most frequent shapes of the inputs of the operators that are shown.
WITH counted AS (
    SELECT place, shapes.shapes, sum(shapes.calls) AS calls
    FROM shapes
        JOIN population ON population.id = shapes.folded_id
        JOIN operators USING (session, kind, category, name),
        options
    WHERE options.rows < 0 OR place <= options.rows
    GROUP BY place, shapes.shapes
),
ordered AS (
    SELECT place, bytes, calls,
        row_number() OVER (PARTITION BY place ORDER BY calls DESC, bytes) AS rank,
        count(*) OVER (PARTITION BY place) AS total
    FROM counted JOIN names ON names.id = shapes
)
SELECT place, total, bytes, held(calls)
FROM ordered
WHERE rank <= 10
ORDER BY place, rank;
