// The table by hand: its columns appear step by step, or are typed; a cell says where it comes from.
import { Widget, html } from "./widget.js";

const HOW = "Type a number, like 0.25, with a point for decimals";
const CLASSES = { key: "key", value: "value", share: "weight" };

class Numbers extends Widget {
  build() {
    const { tokens, given, columns } = this.values;
    this.icons = new Map([...this.querySelectorAll("template")].map((each) => [each.dataset.icon, each.content]));
    this.cells = [...given, ...columns].map((column) => this.cellsOf(column));
    this.typed = this.cells.flat().filter((cell) => cell.typed);
    this.restore();

    this.query = html("span", { class: "numbers" }, this.values.query);
    this.said = html("p", { class: "widget-said", role: "status" });
    this.heard = html("p", { class: "visually-hidden", role: "status" });
    this.next = html("button", { type: "button", class: "button button-small", click: () => this.step() });
    this.all = html(
      "button",
      { type: "button", class: "button button-small button-quiet", click: () => this.showAll() },
      "Show all steps",
    );
    const hasTotal = columns.some((column) => column.total);
    const rows = tokens.map((token, row) =>
      html("tr", {}, html("th", { scope: "row" }, token), ...this.cells.map((cells) => cells[row].element)),
    );
    if (hasTotal) {
      const totals = this.cells.map((cells) => cells[tokens.length]?.element ?? html("td", { class: "is-empty" }));
      rows.push(html("tr", {}, html("th", { scope: "row" }, "Sum"), ...totals));
    }
    this.heads = [...given, ...columns].map((column) => this.headOf(column));
    const grid = html(
      "table",
      { class: "table table-sticky numbers-table", role: "grid", "aria-label": "The table by hand" },
      html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Token"), ...this.heads)),
      html("tbody", {}, ...rows),
    );
    grid.addEventListener("keydown", (event) => this.move(event));
    for (const type of ["pointerover", "focusin", "pointerleave", "focusout"]) {
      grid.addEventListener(type, () => setTimeout(() => this.mark()));
    }
    this.grid = grid;
    this.reachable(this.cells[0][0]);
    this.replaceChildren(
      html(
        "p",
        {},
        "The query ", html("span", { class: "query" }, "q"), " is ", this.query, `, and √d is ${this.values.root}.`,
      ),
      html("div", { class: "table-scroll" }, grid),
      this.said,
      this.heard,
      html("p", { class: "row widget-controls" }, this.next, this.all),
    );
    this.show();
    for (const cell of this.typed) if (cell.is !== "shown" && cell.input.value) this.judge(cell, true);
    this.tell(this.steps ? columns[this.steps - 1].rule : "");
    this.heard.textContent = "";
  }

  // -- cells

  cellsOf(column) {
    const { tokens } = this.values;
    const texts = column.cells.map((cell) => (typeof cell === "string" ? { text: cell } : cell));
    if (column.total) texts.push(column.total);
    return texts.map((shown, row) => {
      const cell = { column: column.name, row, of: tokens[row] ?? "the sum", ...shown, typed: column.typed, is: "" };
      cell.element = html("td", { class: `align-right nowrap is-${column.name}` });
      if (column.name === "share" && row < tokens.length) cell.element.style.setProperty("--share", `${100 * cell.numbers[0]}%`);
      if (column.typed) this.makeInput(cell, column);
      else cell.element.append(shown.text);
      cell.element.cell = cell;
      return cell;
    });
  }

  makeInput(cell, column) {
    const many = cell.numbers.length;
    const label = cell.row < this.values.tokens.length ? `${column.head} of ${cell.of}` : `${column.head}: the sum`;
    cell.input = html("input", {
      type: "text",
      class: many > 1 ? "input numbers-many" : "input",
      inputmode: many > 1 ? "text" : "decimal",
      autocomplete: "off",
      "aria-label": many > 1 ? `${label}: ${many} numbers` : label,
      placeholder: many > 1 ? "0, 0" : "",
      input: () => this.judge(cell, false),
      change: () => this.judge(cell, true),
    });
    cell.verdict = html("span", { class: "numbers-verdict" });
    cell.element.append(html("div", { class: "numbers-typed" }, cell.verdict, cell.input));
  }

  headOf(column) {
    const mark = CLASSES[column.name];
    const text = mark && column.name !== "share" ? `${mark[0]} ` : "";
    const label = html("span", { class: mark }, text ? mark[0] : column.head);
    const head = html("th", { scope: "col", class: "align-right" }, label, text ? ` ${column.head}` : null);
    if (column.typed && this.cells[this.indexOf(column)].every((cell) => cell.is !== "shown")) {
      const button = html(
        "button",
        { type: "button", class: "button button-small numbers-show", click: () => this.reveal(column, button) },
        "Show",
        html("span", { class: "visually-hidden" }, ` the column ${column.head}`),
      );
      head.append(" ", button);
    }
    return head;
  }

  // -- what is typed

  // done: the reader has left the cell, or pressed Enter. Before that only what is right is told.
  judge(cell, done) {
    const text = cell.input.value;
    const numbers = read(text);
    const many = cell.numbers.length;
    const right =
      numbers?.length === many &&
      numbers.every((number, at) => Math.abs(number - cell.numbers[at]) <= cell.slack[at] + 1e-9);
    const problem = numbers?.length === many ? "Not yet" : many > 1 ? `${many} numbers` : "A number";
    cell.is = right ? "right" : "";
    this.verdict(cell, right ? "Right" : done && text.trim() ? problem : "");
    if (right) this.tell(cell.said);
    else if (done && text.trim() && problem !== "Not yet") {
      this.tell(`“${text.trim()}” cannot be read here. ${many > 1 ? `Type ${many} numbers, like 1, 0.5` : HOW}.`);
    }
    this.heard.textContent = right ? "Right." : done && text.trim() ? `${name(cell)}: ${problem}.` : "";
    this.keepAll();
  }

  verdict(cell, word) {
    const right = cell.is === "right";
    const icon = right ? "check" : word === "Not yet" ? "cross" : "";
    const drawn = icon && this.icons.get(icon).cloneNode(true);
    cell.verdict.className = `numbers-verdict ${right ? "is-right" : "is-wrong"}`;
    cell.verdict.replaceChildren(...(drawn ? [drawn] : []), word);
    if (word && !right) cell.input.setAttribute("aria-invalid", "true");
    else cell.input.removeAttribute("aria-invalid");
  }

  // Fills in what is not right yet; what was typed is kept beside it.
  reveal(column, button) {
    for (const cell of this.cells[this.indexOf(column)]) {
      if (cell.is === "right") continue;
      cell.is = "shown";
      this.fill(cell);
    }
    button.remove();
    this.tell(column.rule);
    this.reachable(this.cells[this.indexOf(column)][0], true);
    this.keepAll();
  }

  fill(cell) {
    const typed = cell.input.value.trim();
    cell.element.replaceChildren(cell.text);
    if (typed) cell.element.append(html("span", { class: "numbers-verdict" }, `You typed ${typed}`));
  }

  // -- steps

  step() {
    const { columns } = this.values;
    this.steps = this.steps < columns.length ? this.steps + 1 : 0;
    this.show();
    this.tell(this.steps ? columns[this.steps - 1].rule : "");
    this.keepAll();
  }

  showAll() {
    this.steps = this.values.columns.length;
    this.next.focus();
    this.show();
    this.keepAll();
  }

  show() {
    const { given, columns } = this.values;
    const isLater = (at) => at >= given.length + this.steps;
    this.heads.forEach((head, at) => head.classList.toggle("is-later", isLater(at)));
    this.cells.forEach((cells, at) => {
      for (const cell of cells) cell.element.classList.toggle("is-later", isLater(at));
    });
    for (const empty of this.grid.querySelectorAll(".is-empty")) {
      const at = empty.cellIndex - 1;
      empty.classList.toggle("is-later", isLater(at));
    }
    const sum = this.grid.rows[this.values.tokens.length + 1];
    sum?.classList.toggle("is-later", !columns.slice(0, this.steps).some(({ total }) => total));
    const done = this.steps >= columns.length;
    this.next.textContent = done ? "Hide the steps" : `Next step: ${columns[this.steps].head}`;
    this.all.hidden = done;
    const scroller = this.grid.parentElement;
    scroller.scrollLeft = this.steps && scroller.scrollWidth; // to the new column, where there is no room for all
    if (!this.reached || this.reached.element.classList.contains("is-later")) this.reachable(this.cells[0][0]);
  }

  // -- moving about: one stop for the Tab key beside the inputs, and arrow keys

  reachable(cell, focus = false) {
    this.reached?.element.removeAttribute("tabindex");
    this.reached = cell;
    const target = this.targetOf(cell);
    if (target === cell.element) target.setAttribute("tabindex", "0");
    if (focus) target.focus();
  }

  targetOf(cell) {
    return cell.input?.isConnected ? cell.input : cell.element;
  }

  move(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const from = event.target.closest("td")?.cell;
    if (!step || !from || event.ctrlKey || event.altKey || event.metaKey) return;
    const input = event.target.matches("input") ? event.target : null;
    if (input && step[1]) {
      const { selectionStart, selectionEnd, value } = input;
      if (selectionStart !== selectionEnd || selectionStart !== (step[1] < 0 ? 0 : value.length)) return;
    }
    const at = this.cells.findIndex((cells) => cells.includes(from));
    const to = this.cells[at + step[1]]?.[from.row + step[0]];
    if (!to || to.element.classList.contains("is-later") || to.element.closest("tr.is-later")) return;
    event.preventDefault();
    this.reachable(to, true);
  }

  // -- where a cell comes from

  // The cell under the pointer, or else the one with the focus, and those that it was made of.
  mark() {
    const element = this.grid.querySelector("td:hover") ?? this.grid.querySelector("td:focus, td:focus-within");
    const cell = element?.cell;
    if (cell === this.marked) return;
    this.marked = cell;
    const sources = cell ? this.sourcesOf(cell) : [];
    for (const each of this.cells.flat()) {
      each.element.classList.toggle("is-source", sources.includes(each));
      each.element.classList.toggle("is-marked", each === cell);
    }
    this.query.classList.toggle("is-source", cell?.column === "score");
    if (cell?.said && (!cell.typed || cell.is)) this.tell(cell.said);
    else if (cell?.typed) this.tell(this.columnOf(cell.column).rule);
    else if (cell) this.tell(`${cell.column === "key" ? "Key" : "Value"} of ${cell.of}: ${cell.text}`);
  }

  sourcesOf(cell) {
    const column = (name) => this.cells[this.indexOf({ name })] ?? [];
    const beside = (name) => column(name)[cell.row] ?? [];
    const { tokens } = this.values;
    if (cell.row === tokens.length) return column(cell.column).slice(0, tokens.length);
    switch (cell.column) {
      case "score":
        return [beside("key")].flat();
      case "scaled":
        return [beside("score")].flat();
      case "exp":
        return [beside("scaled")].flat();
      case "share":
        return (this.columnOf("exp") ? column("exp") : column("scaled")).slice(0, tokens.length);
      case "blend":
        return [beside("share"), beside("value")].flat();
      default:
        return [];
    }
  }

  columnOf(name) {
    return this.values.columns.find((column) => column.name === name);
  }

  indexOf({ name }) {
    return [...this.values.given, ...this.values.columns].findIndex((column) => column.name === name);
  }

  tell(sentence) {
    this.said.textContent = sentence;
  }

  // -- keeping: steps, then for each typed cell what was typed, with a ! before it once it was shown

  keepAll() {
    const texts = this.typed.map((cell) => (cell.is === "shown" ? "!" : "") + cell.input.value.replace(/[*_!]/g, " "));
    this.keep([this.steps, texts.join("*")].join("_"));
  }

  restore() {
    const [steps, texts = ""] = (this.recall() ?? "0").split("_");
    this.steps = Math.min(Math.max(Number.parseInt(steps, 10) || 0, 0), this.values.columns.length);
    const found = texts.split("*");
    if (found.length !== this.typed.length) return;
    this.typed.forEach((cell, at) => {
      cell.input.value = found[at].replace("!", "");
      if (found[at].startsWith("!")) {
        cell.is = "shown";
        this.fill(cell);
      }
    });
  }
}

function name(cell) {
  return cell.input.getAttribute("aria-label");
}

// The numbers of what was typed, or null: a point for decimals, spaces or commas between numbers, brackets at will.
function read(text) {
  const parts = text.replace(/[\u2212\u2013]/g, "-").replace(/[[\]()]/g, " ").trim().split(/\s*[,;]\s*|\s+/);
  const numbers = parts.map((part) => {
    const [, above, below] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:\/(\d+))?$/i.exec(part) ?? [];
    return Number(above) / Number(below ?? 1);
  });
  return numbers.every(Number.isFinite) ? numbers : null;
}

customElements.define("softmark-numbers", Numbers);
