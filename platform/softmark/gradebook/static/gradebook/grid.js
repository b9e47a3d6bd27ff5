// The grid by keyboard: one stop for Tab, arrow keys between the grades, Home and End, with Ctrl the corners.

for (const grid of document.querySelectorAll("[data-grid]")) {
  const rows = grid.querySelector("tbody").rows;
  const first = 2; // before the grades stand the name and the total
  let current = null;

  const link = (row, column) => rows[row]?.cells[column]?.querySelector("a") ?? null;

  const stopAt = (next) => {
    if (current) current.tabIndex = -1;
    next.tabIndex = 0;
    current = next;
  };

  for (const each of grid.querySelectorAll("tbody a")) each.tabIndex = -1;
  stopAt(link(0, first));

  grid.addEventListener("focusin", (event) => {
    const cell = event.target.closest("tbody a");
    if (cell && cell !== current) stopAt(cell);
  });

  grid.addEventListener("keydown", (event) => {
    const cell = event.target.closest("tbody td");
    if (!cell || event.altKey || event.metaKey) return;
    const row = cell.parentNode.sectionRowIndex;
    const column = cell.cellIndex;
    const lastColumn = rows[row].cells.length - 1;
    const all = event.ctrlKey;
    const to = {
      ArrowUp: [all ? 0 : row - 1, column],
      ArrowDown: [all ? rows.length - 1 : row + 1, column],
      ArrowLeft: [row, all ? first : column - 1],
      ArrowRight: [row, all ? lastColumn : column + 1],
      Home: [all ? 0 : row, first],
      End: [all ? rows.length - 1 : row, lastColumn],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const next = link(...to);
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest", inline: "nearest" }); // all of it, and not below what stays
  });
}
