// What a long context costs: a length, a model and its heads give a chart, and the figures at that length.
// No formula is here: for each model the page says how much a token, a pair of tokens, and both lines' crossing are.
import { Widget, choice, html, svg, table, whole } from "./widget.js";

const STEPS = 16; // of the slider, for each doubling
const MARGIN = { left: 46, right: 12, top: 26, bottom: 44 };
const NARROW = "\u202f";
const GIGA = [1e9, 2 ** 30, "GB", "GiB"];
const MEGA = [1e6, 2 ** 20, "MB", "MiB"];

class Cost extends Widget {
  build() {
    const { least, most, models, tokens, model, grouped } = this.values;
    this.set = { tokens, model: models.find(({ id }) => id === model), grouped };
    this.restore();
    const last = Math.ceil(STEPS * Math.log2(most / least));
    this.slider = html("input", {
      type: "range", class: "cost-slider", min: 0, max: last, step: 1, autocomplete: "off",
      "aria-label": "Length of the context, each step of sixteen doubles it",
      input: () => this.to(this.lengthAt(Number(this.slider.value))),
      keydown: (event) => this.page(event),
    });
    this.box = html("input", {
      type: "number", class: "input cost-box", min: least, max: most, step: 1, autocomplete: "off", inputmode: "numeric",
      input: () => this.type(false), change: () => this.type(true),
    });
    this.wrong = html("p", { class: "cost-wrong", role: "status" });
    this.model = choice(
      "Model", "widget-choice", models.map(({ id, name }) => [id, name]), this.set.model.id, (id) => this.load(id),
    );
    this.heads = html("div");
    this.chart = html("div", { class: "cost-chart" });
    this.readout = html("div", { class: "cost-readout" });
    this.said = html("p", { class: "visually-hidden", role: "status" });
    this.beyond = html("p", { class: "cost-beyond" });
    this.summary = html("summary");
    this.rows = html("div");
    this.replaceChildren(
      html("div", { class: "widget-bar widget-controls" }, this.model.element, this.heads),
      html(
        "div", { class: "cost-length widget-controls" },
        html("label", {}, html("span", {}, "Tokens"), this.box), this.slider,
      ),
      this.wrong, this.chart, this.beyond, this.readout, this.said,
      html("details", {}, this.summary, this.rows),
    );
    this.chart.addEventListener("pointerdown", (event) => this.drag(event));
    this.setHeads();
    this.show();
    this.whenSized(this.chart, (width) => {
      this.width = width;
      this.draw();
    });
  }

  // -- what is set

  get costs() {
    const { groupings } = this.set.model;
    return this.set.grouped ? groupings[0] : groupings.at(-1);
  }

  lengthAt(step) {
    const { least, most } = this.values;
    return Math.min(Math.round(least * 2 ** (step / STEPS)), most);
  }

  to(tokens) {
    const { least, most } = this.values;
    this.set.tokens = Math.min(Math.max(Math.round(tokens), least), most);
    this.wrong.textContent = "";
    this.box.removeAttribute("aria-invalid");
    this.changed();
  }

  // A page of the slider doubles or halves.
  page(event) {
    const times = { PageUp: 2, PageDown: 0.5 }[event.key];
    if (!times) return;
    event.preventDefault();
    this.to(this.set.tokens * times);
  }

  type(done) {
    const { least, most } = this.values;
    const tokens = this.box.valueAsNumber;
    if (Number.isInteger(tokens) && tokens >= least && tokens <= most) {
      this.to(tokens);
    } else if (done) {
      this.box.setAttribute("aria-invalid", "true");
      this.wrong.textContent =
        `Type a whole number from ${whole(least)} to ${whole(most)}. Shown is still ${whole(this.set.tokens)}.`;
    }
  }

  drag(event) {
    const follow = ({ clientX }) => {
      const { left } = this.chart.getBoundingClientRect();
      const share = (clientX - left - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right);
      const { least, most } = this.values;
      this.to(this.lengthAt(Math.round(STEPS * Math.log2(most / least) * Math.min(Math.max(share, 0), 1))));
    };
    const stop = () => {
      this.chart.removeEventListener("pointermove", follow);
    };
    follow(event);
    this.chart.setPointerCapture(event.pointerId);
    this.chart.addEventListener("pointermove", follow);
    this.chart.addEventListener("pointerup", stop, { once: true });
    this.chart.addEventListener("pointercancel", stop, { once: true });
  }

  load(id) {
    this.set.model = this.values.models.find((model) => model.id === id);
    this.setHeads();
    this.changed();
  }

  setHeads() {
    const { groupings } = this.set.model;
    const [few, all] = [groupings[0].heads, groupings.at(-1).heads];
    if (groupings.length === 1) {
      const said = html("p", {}, `${all}, one for each head of queries`);
      this.heads.replaceChildren(html("div", { class: "widget-choice" }, html("p", { class: "legend" }, "Key-value heads"), said));
      return;
    }
    const options = [[true, `${few}, shared`], [false, `all ${all}`]];
    const { element } = choice("Key-value heads", "widget-choice", options, this.set.grouped, (grouped) => {
      this.set.grouped = grouped;
      this.changed();
    });
    this.heads.replaceChildren(element);
  }

  changed() {
    this.show();
    this.draw();
    const { tokens, model, grouped } = this.set;
    this.keep([tokens, model.id, grouped ? "shared" : "all"].join("_"));
  }

  restore() {
    const [tokens, id, heads] = (this.recall() ?? "").split("_");
    const { least, most, models } = this.values;
    const model = models.find((each) => each.id === id);
    const n = Number(tokens);
    if (!model || !Number.isInteger(n) || n < least || n > most) return;
    this.set = { tokens: n, model, grouped: heads !== "all" };
  }

  // -- figures

  figures(n) {
    const { bytes, attention, other, crossover } = this.costs;
    const share = (attention * n * n) / (attention * n * n + other * n);
    return [
      `${whole(bytes)} bytes`,
      sized(bytes * n),
      power(attention * n * n),
      power(other * n),
      `${Math.round(100 * share)}\u00a0%`,
      `${whole(crossover)} tokens`,
    ];
  }

  show() {
    const { tokens, model } = this.set;
    const { heads, along, least } = this.values;
    if (document.activeElement !== this.box) this.box.value = tokens;
    this.slider.value = Math.round(STEPS * Math.log2(tokens / least));
    this.slider.setAttribute("aria-valuetext", `${whole(tokens)} tokens`);
    const figures = this.figures(tokens);
    const title = `${model.name} at ${whole(tokens)} tokens`;
    this.readout.replaceChildren(
      html("p", { class: "small" }, title),
      table(title, ["Quantity", "Value"], heads.map((head, at) => [head, figures[at]])),
    );
    this.said.textContent = `${title}: cache ${figures[1]}, attention's share ${figures[4]}.`;
    this.beyond.textContent = model.context !== null && tokens > model.context ? model.beyond : "";
    const other = `${model.name} at other lengths`;
    this.summary.textContent = other;
    this.rows.replaceChildren(
      table(other, ["Tokens", ...heads.slice(1, 5)], along.map((n) => [whole(n), ...this.figures(n).slice(1, 5)])),
    );
  }

  // -- the chart

  draw() {
    if (!this.width) return;
    const { least, most } = this.values;
    const { attention, other, crossover } = this.costs;
    const { tokens, model } = this.set;
    const [width, height] = [this.width, this.width < 480 ? 320 : 380];
    const lines = { attention: (n) => attention * n * n, other: (n) => other * n };
    const ends = [least, most].flatMap((n) => [lines.attention(n), lines.other(n)]);
    const [low, high] = [Math.floor(Math.log10(Math.min(...ends))), Math.ceil(Math.log10(Math.max(...ends)))];
    const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    const x = (n) => MARGIN.left + (inner.width * Math.log(n / least)) / Math.log(most / least);
    const y = (work) => MARGIN.top + (inner.height * (high - Math.log10(work))) / (high - low);
    const right = width - MARGIN.right;
    const bottom = height - MARGIN.bottom;
    const parts = [];

    if (model.context) {
      const from = x(model.context);
      parts.push(
        svg("rect", { class: "cost-past", x: from, y: MARGIN.top, width: right - from, height: inner.height }),
        svg("line", { class: "cost-limit", x1: from, x2: from, y1: MARGIN.top, y2: bottom }),
        text(right - 4, bottom - 8, "past its context", "end"),
      );
    }
    for (let exponent = low; exponent <= high; exponent += 2) {
      const at = y(10 ** exponent);
      parts.push(svg("line", { class: "cost-line", x1: MARGIN.left, x2: right, y1: at, y2: at }));
      parts.push(svg("text", { class: "cost-tick", x: MARGIN.left - 6, y: at + 4, "text-anchor": "end" }, raised(exponent)));
    }
    for (const n of [1_000, 10_000, 100_000, 1_000_000]) {
      const at = x(n);
      parts.push(svg("line", { class: "cost-line", x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
      parts.push(text(n === most ? at + 4 : at, bottom + 17, whole(n), n === most ? "end" : "middle", "cost-tick"));
    }
    parts.push(text(0, 12, "Operations", "start", "cost-axis"), text(right, height - 6, "Tokens", "end", "cost-axis"));

    // Their slopes: over ten times the length.
    const [one, ten] = [1_000, 10_000];
    parts.push(
      ...slope([x(one), y(lines.attention(one))], [x(ten), y(lines.attention(ten))], "below"),
      ...slope([x(one), y(lines.other(one))], [x(ten), y(lines.other(ten))], "above"),
    );
    for (const name of ["other", "attention"]) {
      const line = lines[name];
      const [x1, y1, x2, y2] = [x(least), y(line(least)), right, y(line(most))];
      parts.push(svg("line", { class: `cost-${name}`, x1, x2, y1, y2 }));
      const rest = width < 480 ? "the rest: slope 1" : "everything else: slope 1";
      const [away, said] = name === "attention" ? [-10, "attention: slope 2"] : [19, rest];
      const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
      const n = name === "attention" ? most * 0.86 : most * 0.92;
      parts.push(
        svg("text", {
          class: "cost-name", "text-anchor": "end", dy: away,
          transform: `translate(${x(n).toFixed(1)} ${y(line(n)).toFixed(1)}) rotate(${turn.toFixed(2)})`,
        }, said),
      );
    }
    const meet = [x(crossover), y(lines.other(crossover))];
    parts.push(
      svg("circle", { class: "cost-crossing", cx: meet[0], cy: meet[1], r: 7 }),
      svg("path", { class: "cost-slope", d: `M ${meet[0] - 4} ${meet[1] - 6} l -8 -20` }),
      text(meet[0] - 8, meet[1] - 31, `equal at ${whole(crossover)}`, "end"),
    );
    const at = x(tokens);
    parts.push(
      svg("line", { class: "cost-here", x1: at, x2: at, y1: MARGIN.top, y2: bottom }),
      svg("circle", { class: "cost-dot", cx: at, cy: y(lines.attention(tokens)), r: 5 }),
      svg("rect", { class: "cost-dot cost-square", x: at - 4.5, y: y(lines.other(tokens)) - 4.5, width: 9, height: 9 }),
      text(Math.min(Math.max(at, MARGIN.left + 24), right - 30), MARGIN.top - 8, whole(tokens), "middle", "cost-at"),
    );
    const said = `Operations against tokens, both axes logarithmic. Attention has slope 2, everything else slope 1; `
      + `they cross at ${whole(crossover)} tokens.`;
    this.chart.replaceChildren(
      svg("svg", { role: "img", "aria-label": said, width, height, viewBox: `0 0 ${width} ${height}` }, ...parts),
    );
  }
}

function text(x, y, said, anchor, className = "cost-note") {
  return svg("text", { class: className, x, y, "text-anchor": anchor }, said);
}

// A triangle at a line: tenfold along, and how many times up.
function slope([x1, y1], [x2, y2], side) {
  const below = side === "below";
  const corner = below ? [x2, y1] : [x1, y2];
  const times = below ? "× 100" : "× 10";
  return [
    svg("path", { class: "cost-slope", d: `M ${x1} ${y1} L ${corner[0]} ${corner[1]} L ${x2} ${y2}` }),
    text((x1 + x2) / 2, below ? y1 + 15 : y2 - 6, "× 10", "middle", "cost-small"),
    text(below ? x2 + 5 : x1 - 5, (y1 + y2) / 2 + 4, times, below ? "start" : "end", "cost-small"),
  ];
}

function sized(bytes) {
  const [decimal, binary, ...units] = bytes >= GIGA[0] ? GIGA : MEGA;
  const short = (number) => String(Number(number.toPrecision(3)));
  return `${short(bytes / decimal)}${NARROW}${units[0]} (${short(bytes / binary)}${NARROW}${units[1]})`;
}

function power(number) {
  const [mantissa, exponent] = number.toExponential(2).split("e");
  return `${mantissa} × ${raised(Number(exponent))}`;
}

function raised(exponent) {
  return `10${[...String(exponent)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

customElements.define("softmark-cost", Cost);
