// Where a word looks: arcs from the word that is picked, in a row where there is room, in a column where there is not.
import { Widget, choice, html, svg, table } from "./widget.js";

const SAID = 0.05; // a smaller weight has no number on its arc; the table has them all
const ROOM = { row: 16, column: 28 }; // beyond the furthest arc, for its number
const FLATTEST = 20;

class Arcs extends Widget {
  build() {
    const { states } = this.values;
    this.note = this.querySelector("[data-note]");
    this.folded = [...this.querySelectorAll("details")];
    this.at = 0;
    this.from = this.values.select;
    this.restore();
    this.canvas = svg("svg", { class: "arcs-canvas", "aria-hidden": "true", focusable: "false" });
    this.words = html("div", { class: "arcs-words" });
    this.stage = html("div", { class: "arcs-stage" }, this.words, this.canvas);
    this.said = html("p", { class: "widget-said", role: "status" });
    this.summary = html("summary");
    this.rows = html("div");
    const side = states.length > 1 && choice(
      "The sentence with", "widget-choice widget-controls",
      states.map(({ name }, at) => [at, name]), this.at, (at) => this.switchTo(at),
    );
    this.replaceChildren(
      ...[
        side && side.element,
        this.stage,
        this.said,
        html("div", { class: "widget-tables" }, html("details", {}, this.summary, this.rows), ...this.folded),
        this.note,
      ].filter(Boolean),
    );
    this.setWords();
    this.whenSized(this.stage, (width) => this.arrange(width));
    document.fonts?.ready.then(() => this.stage.clientWidth && this.arrange(this.stage.clientWidth));
    this.tell(false);
  }

  get tokens() {
    return this.values.states[this.at].tokens;
  }

  get weights() {
    return this.values.states[this.at].weights[this.from];
  }

  setWords() {
    const { element, labels } = choice(
      "Look from the word", "arcs-choice", this.tokens.map((token, at) => [at, token]), this.from, (at) => this.pick(at),
    );
    this.labels = labels;
    labels.forEach((label, at) => label.classList.toggle("is-special", /^\[.*\]$/.test(this.tokens[at])));
    this.words.replaceChildren(element);
    this.arcs = this.tokens.map(() => ({
      path: svg("path", { class: "arcs-arc", fill: "none" }),
      number: svg(
        "g", { class: "arcs-number" },
        svg("rect", { x: "-1.2em", y: "-0.65em", width: "2.4em", height: "1.3em", rx: 3 }),
        svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }),
      ),
    }));
    this.canvas.replaceChildren(...this.arcs.map(({ path }) => path), ...this.arcs.map(({ number }) => number));
  }

  pick(at) {
    this.from = at;
    this.changed();
  }

  // The words of both sides stand in the same places, so the same arcs move.
  switchTo(at) {
    const before = this.tokens;
    this.at = at;
    if (this.tokens.length !== before.length) {
      this.from = Math.max(this.tokens.indexOf(before[this.from]), 0);
      this.setWords();
    }
    this.labels.forEach((label, place) => {
      label.querySelector("span").textContent = this.tokens[place];
    });
    this.arrange(this.stage.clientWidth);
    this.changed();
  }

  changed() {
    this.draw();
    this.tell(true);
    this.keep([this.from, this.at].join("_"));
  }

  // -- drawing

  arrange(width) {
    this.stage.classList.remove("is-column");
    const list = this.words.querySelector("fieldset > div");
    if (list.scrollWidth > width) this.stage.classList.add("is-column");
    this.draw();
  }

  draw() {
    const inColumn = this.stage.classList.contains("is-column");
    const box = this.stage.getBoundingClientRect();
    const list = this.words.querySelector("fieldset > div").getBoundingClientRect();
    const middles = this.labels.map((label) => {
      const { left, width, top, height } = label.getBoundingClientRect();
      return inColumn ? top - list.top + height / 2 : left - list.left + width / 2;
    });
    const length = inColumn ? list.height : list.width;
    const furthest = Math.max(...middles.map((middle) => Math.abs(middle - middles[this.from])));
    const depth = inColumn
      ? Math.min(Math.max(box.width - list.width - 8, 80), 260)
      : Math.min(Math.max(0.3 * length, 60), 190) + ROOM.row;
    const [width, height] = inColumn ? [depth, length] : [length, depth];
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      this.canvas.setAttribute(name, value);
    }
    const most = depth - (inColumn ? ROOM.column : ROOM.row);
    const point = (along, away) => (inColumn ? [away, along] : [along, depth - away]);
    this.labels.forEach((label, at) => label.style.setProperty("--weight", this.weights[at] ?? 0));
    this.arcs.forEach((arc, at) => {
      const weight = this.weights[at];
      const [from, to] = [middles[this.from], middles[at]];
      const away = FLATTEST + (most - FLATTEST) * (Math.abs(to - from) / furthest || 0);
      const wide = at === this.from ? 11 : 0; // to itself: a loop
      const curve = [point(from - wide, 2), point(from - wide, 2 + away * 4 / 3), point(to + wide, 2 + away * 4 / 3),
        point(to + wide, 2)].map((pair) => pair.map((each) => each.toFixed(1)).join(" "));
      const path = `M ${curve[0]} C ${curve[1]} ${curve[2]} ${curve[3]}`;
      arc.path.setAttribute("d", path);
      arc.path.style.d = `path("${path}")`; // which moves where browsers can
      arc.path.style.strokeWidth = `${(1 + 9 * weight).toFixed(2)}px`;
      arc.path.style.opacity = (0.12 + 0.88 * Math.sqrt(weight)).toFixed(3);
      const [x, y] = point((from + to) / 2, 2 + away);
      arc.number.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      arc.number.lastChild.textContent = weight.toFixed(2);
      arc.number.style.opacity = weight >= SAID ? 1 : 0;
    });
  }

  // -- words and table

  // The largest weights as a sentence.
  tell(aloud) {
    const { states } = this.values;
    const ranked = this.tokens.map((token, at) => [this.weights[at], token]).sort((one, other) => other[0] - one[0]);
    const most = ranked.slice(0, 3).map(([weight, token]) => `${token} ${weight.toFixed(2)}`).join(", ");
    const where = states.length > 1 ? ` (with “${states[this.at].name}”)` : "";
    this.said.setAttribute("aria-live", aloud ? "polite" : "off");
    this.said.textContent = `“${this.tokens[this.from]}”${where} looks most at: ${most}.`;
    this.tabulate();
  }

  tabulate() {
    const { states } = this.values;
    const together = states.every(({ tokens }) => tokens.length === this.tokens.length);
    const shown = together ? states : [states[this.at]];
    const names = this.tokens.map((_, at) => [...new Set(shown.map(({ tokens }) => tokens[at]))].join(" / "));
    const heads = states.length > 1 ? shown.map(({ name }) => `with “${name}”`) : ["Weight"];
    const rows = names.map((name, at) => [name, ...shown.map(({ weights }) => weights[this.from][at].toFixed(2))]);
    const title = `Where “${names[this.from]}” looks`;
    this.summary.textContent = `${title}: all weights`;
    this.rows.replaceChildren(table(title, ["Token", ...heads], rows));
  }

  restore() {
    const [from, at] = (this.recall() ?? "").split("_").map(Number);
    if (!Number.isInteger(at) || !this.values.states[at]) return;
    this.at = at;
    if (Number.isInteger(from) && this.tokens[from] !== undefined) this.from = from;
  }
}

customElements.define("softmark-arcs", Arcs);
