// The forms of stops, made easier. They work as they are; and what they send, they send with or without this.
import { fieldOf, missing } from "./answers.js";
import { keepDraft } from "./drafts.js";
import { easeGrid } from "./grid.js";
import { echo } from "./numerals.js";
import { easeOrder } from "./order.js";

const EASE = { vector: easeGrid, matrix: easeGrid, order: easeOrder, number: easeNumber };
const eased = new WeakSet();

function ease(form) {
  if (eased.has(form)) return;
  eased.add(form);
  EASE[form.dataset.answer]?.(form);
  keepDraft(form);
  const button = form.querySelector("[type=submit]");
  const line = form.querySelector(".lesson-missing");
  button.setAttribute("aria-describedby", line.id);
  const judge = () => {
    line.textContent = missing(form);
    if (line.textContent) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  };
  form.addEventListener("input", judge);
  judge();
}

function easeNumber(form) {
  const line = form.querySelector(".lesson-read");
  let timer = 0;
  const say = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      line.textContent = echo(form.elements.answer.value);
    }, 500); // not after every key
  };
  form.addEventListener("input", say);
  say();
}

// The button is not disabled, so that it can be reached and says what is missing. Pressed, it leads there.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!eased.has(form) || !missing(form)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const field = fieldOf(form);
    if (!field) return;
    const line = form.querySelector(".lesson-missing").id;
    const described = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)).add(line);
    field.setAttribute("aria-describedby", [...described].join(" "));
    field.focus();
  },
  true, // before htmx has it
);

for (const [event, busy] of [["htmx:before:request", true], ["htmx:finally:request", false]]) {
  document.addEventListener(event, ({ detail }) => {
    if (!eased.has(detail.ctx.sourceElement)) return;
    const button = detail.ctx.sourceElement.querySelector("[type=submit]");
    if (busy) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
  });
}

function easeAll() {
  for (const form of document.querySelectorAll("form[data-answer]")) ease(form);
}

easeAll();
document.addEventListener("htmx:after:swap", easeAll);
