/* report.js: sorts and filters tables, chooses a flame graph, switches colours. Everything is there
 * without it; nothing is stored, nothing is fetched. */
(() => {
    "use strict";
    const root = document.documentElement;

    /* --- colours: the reader's own until the button is used --- */

    const dark = matchMedia("(prefers-color-scheme: dark)");
    const theme = document.getElementById("theme");

    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

    const nameTheme = () => {
        theme.textContent = isDark() ? "Light colours" : "Dark colours";
    };

    theme.addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        nameTheme();
    });
    dark.addEventListener("change", nameTheme);
    nameTheme();

    /* --- tables --- */

    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

    /* Whole numbers may be larger than a double holds exactly. */
    const keyOf = (cell, isText) =>
        isText ? cell.textContent || null : cell.dataset.v ? BigInt(cell.dataset.v) : null;

    /* Returns a function that lays the rows out again; `isWanted` says which are seen. */
    const makeSortable = (table, isWanted) => {
        const body = table.tBodies[0];
        const heads = Array.from(table.tHead.rows[0].cells);
        let rows = Array.from(body.rows);
        const places = new Map(rows.map((row, i) => [row, i]));

        const layOut = () => {
            for (const row of rows)
                row.hidden = !isWanted(row);
            /* What is not seen comes last, so that the first rows are those that are printed. */
            const seen = rows.filter((row) => !row.hidden);
            for (const row of seen.concat(rows.filter((row) => row.hidden)))
                body.append(row);
            return seen.length;
        };

        const sort = (head) => {
            const isText = "text" in head.dataset;
            const before = head.getAttribute("aria-sort");
            const isUp = before ? before === "descending" : isText;
            const keyed = rows.map((row) => [keyOf(row.cells[head.cellIndex], isText), row]);
            keyed.sort(([a, rowA], [b, rowB]) => {
                if (a === null || b === null) /* what has no value comes last, either way */
                    return (a === null) - (b === null) || places.get(rowA) - places.get(rowB);
                return (isUp ? compare(a, b) : compare(b, a)) || places.get(rowA) - places.get(rowB);
            });
            rows = keyed.map(([, row]) => row);
            for (const other of heads)
                other.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
            layOut();
        };

        for (const head of heads)
            head.firstElementChild.addEventListener("click", () => sort(head));
        return layOut;
    };

    /* A row that is not on the page may match as well. */
    const sayMatches = (n, {shown, total}) => {
        const [matching, here, elsewhere] = [n, shown, total - shown].map((n) => Number(n).toLocaleString("en"));
        const rows = `${here} ${shown === "1" ? "row" : "rows"}`;
        if (shown === total)
            return `${matching} of ${rows} match. What is not shown is counted all the same.`;
        return `${matching} of the ${rows} shown match; ${elsewhere} more are not on this page (--limit all).`;
    };

    const operators = document.getElementById("operators-table");
    if (operators) {
        const text = document.getElementById("filter-text");
        const kind = document.getElementById("filter-kind");
        const shown = document.getElementById("operators-shown");
        const unfiltered = shown.textContent;
        const names = new Map();
        for (const row of operators.tBodies[0].rows)
            names.set(row, row.cells[0].textContent.toLowerCase());
        const isWanted = (row) =>
            names.get(row).includes(text.value.trim().toLowerCase()) &&
            (!kind.value || row.cells[1].textContent === kind.value);
        const layOut = makeSortable(operators, isWanted);
        const filter = () => {
            const n = layOut();
            const isFiltered = text.value.trim() || kind.value;
            shown.textContent = isFiltered ? sayMatches(n, shown.dataset) : unfiltered;
        };
        document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
        text.addEventListener("input", filter);
        kind.addEventListener("change", filter);
    }

    const repeated = document.getElementById("repeated-table");
    if (repeated)
        makeSortable(repeated, () => true);

    /* --- flame graphs: one at a time --- */

    const weights = document.getElementById("weights");
    if (weights) {
        const choose = () => {
            const chosen = weights.querySelector(":checked").value;
            for (const graph of document.querySelectorAll(".graph"))
                graph.hidden = graph.id !== `flame-${chosen}`;
        };
        weights.addEventListener("change", choose);
        weights.querySelector("input").checked = true;
        choose();
    }
})();
