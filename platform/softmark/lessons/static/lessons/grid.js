// Cells that are filled by a paste, and walked through by arrow keys.
import { pastedRows } from "./numerals.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function easeGrid(form) {
  const rows = [...form.querySelectorAll(".lesson-grid tr")].map((row) => [...row.querySelectorAll("input")]);
  const all = rows.flat();
  for (const [row, cells] of rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      cell.addEventListener("paste", (event) => {
        const pasted = pastedRows(event.clipboardData.getData("text"));
        if (!pasted || !fill(pasted, row, column)) return;
        event.preventDefault();
      });
      cell.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
        const next = event.key === "Enter" ? after(cell) : beside(event, cell, row, column);
        if (!next) return;
        event.preventDefault();
        next.focus();
        next.select?.();
      });
    }
  }

  // The last one leads to the button: nobody shall commit by going on.
  function after(cell) {
    return all[all.indexOf(cell) + 1] ?? form.querySelector("[type=submit]");
  }

  // From a cell on, or from the first where just that fits. False: it fits nowhere.
  function fill(pasted, row, column) {
    const fits = (top, left) => pasted.every((texts, down) => texts.every((_, along) => rows[top + down]?.[left + along]));
    const [top, left] = fits(row, column) ? [row, column] : [0, 0];
    if (!fits(top, left)) return false;
    for (const [down, texts] of pasted.entries()) {
      for (const [along, text] of texts.entries()) rows[top + down][left + along].value = text;
    }
    const last = rows[top + pasted.length - 1][left + pasted.at(-1).length - 1];
    last.focus();
    last.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  }

  function beside(event, cell, row, column) {
    const [down, along] = STEPS[event.key] ?? [0, 0];
    const atEdge = cell.selectionStart === cell.selectionEnd || cell.selectionEnd - cell.selectionStart === cell.value.length;
    if (along < 0 && !(atEdge && cell.selectionStart === 0)) return null;
    if (along > 0 && !(atEdge && cell.selectionEnd === cell.value.length)) return null;
    return down || along ? rows[row + down]?.[column + along] : null;
  }
}
