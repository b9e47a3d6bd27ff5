// What an answer lacks before it can be committed: a sentence, or nothing. The site has the last word.
import { pastedRows, readNumber } from "./numerals.js";

const CHECKS = {
  number: (form) => readNumber(form.elements.answer.value).problem,
  vector: ofCells,
  matrix: ofCells,
  choice: (form) => picked(form) || "Pick one of the options.",
  choices: (form) => picked(form) || "Pick all the options that hold; at least one does.",
  token: (form) => picked(form) || "Pick one word of the sentence.",
  order: ofOrder,
  output: (form) => (form.elements.answer.value.trim() ? "" : "Type what it prints."),
  free_text: ofText,
};

export function missing(form) {
  const said = CHECKS[form.dataset.answer]?.(form);
  return typeof said === "string" ? said : "";
}

// The field to go to for what is missing.
export function fieldOf(form) {
  const fields = [...form.querySelectorAll("[name=answer], [name=place], [data-move]")].filter(
    (field) => field.checkVisibility({ visibilityProperty: true }),
  );
  const numeric = form.matches("[data-answer=vector], [data-answer=matrix]");
  return (numeric && fields.find((field) => readNumber(field.value).problem)) || fields[0];
}

function picked(form) {
  return form.querySelector("[name=answer]:checked") !== null;
}

function ofCells(form) {
  const cells = [...form.querySelectorAll("[name=answer]")];
  const filled = cells.filter((cell) => cell.value.trim());
  if (form.elements.pasted.value.trim()) {
    return filled.length ? "Numbers stand in the cells and below them: leave one of the two empty." : "";
  }
  if (!filled.length) return "Fill in the cells.";
  if (filled.length === 1 && pastedRows(filled[0].value)) return "";
  if (filled.length < cells.length) {
    const left = cells.length - filled.length;
    return left === 1 ? "One cell is still empty." : `${left} cells are still empty.`;
  }
  const wrong = cells.find((cell) => readNumber(cell.value).problem);
  return wrong ? `${wrong.getAttribute("aria-label")}: ${readNumber(wrong.value).problem}` : "";
}

function ofOrder(form) {
  const placed = [...form.querySelectorAll("[name=place]")].map((place) => place.value).filter(Boolean);
  if (!placed.length) return "Put something into the order first.";
  return new Set(placed).size < placed.length ? "Something stands in the order twice." : "";
}

function ofText(form) {
  const letters = form.elements.answer.value.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const least = Number(form.dataset.least ?? 1);
  if (letters >= least) return "";
  return `Write a little more: ${least} letters at least, and so far ${letters === 1 ? "there is" : "there are"} ${letters}.`;
}
