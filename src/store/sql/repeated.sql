-- Small operations that are run again and again, chosen from all operators.
CREATE TABLE repeated AS
SELECT
    row_number() OVER (
        ORDER BY operators.calls DESC, inclusive_ns, name_bytes, kind, category_bytes, session
    ) AS place,
    operators.*
FROM operators, threshold
WHERE operators.calls >= 3
    AND inclusive_ns::HUGEINT * threshold.calls <= threshold.ns::HUGEINT * operators.calls;

SELECT count(*) FROM repeated;
