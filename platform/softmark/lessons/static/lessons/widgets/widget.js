// What the widgets of lessons share: their element, how they are drawn, and how a setting is kept.
const SVG = "http://www.w3.org/2000/svg";
const NARROW = "\u202f";
const SETTLED = 200; // milliseconds between two changes of the address, of which browsers take only so many

// A link with a setting leads to its figure. Whoever comes back, or loads the page again, stays where they were.
addEventListener("load", () => {
  const [{ type }] = performance.getEntriesByType("navigation");
  if (type !== "navigate" || location.hash) return;
  const settings = new URL(location.href).searchParams;
  const widgets = [...document.querySelectorAll("figure[data-widget] > [data-name]")];
  widgets.find(({ dataset }) => settings.has(`w.${dataset.name}`))?.closest("figure").scrollIntoView();
});

// The content of the element is what is read without a script. It stays until `build` has succeeded.
export class Widget extends HTMLElement {
  connectedCallback() {
    if (this.values) return; // it was moved
    this.values = JSON.parse(this.querySelector("script").textContent);
    this.name = this.dataset.name;
    this.build();
    this.fold();
  }

  // The figure in words tells what there is to find in it: with the figure to look at, it is there on demand.
  fold() {
    const caption = this.parentElement.querySelector("figcaption");
    this.parentElement.setAttribute("aria-label", caption.textContent.trim());
    const said = html("details", {}, html("summary", {}, "In words"), ...caption.childNodes);
    addEventListener("beforeprint", () => (said.open = true));
    caption.replaceChildren(said);
    this.after(caption);
  }

  // What the reader left here: as the address says, or as it was in this tab before the page was loaded again.
  recall() {
    const linked = new URL(location.href).searchParams.get(`w.${this.name}`);
    if (linked !== null) return linked;
    try {
      return sessionStorage.getItem(this.place);
    } catch {
      return null; // the browser keeps nothing for this site
    }
  }

  // Keeps it, and in the address beside whatever else stands there, so that it can be linked.
  keep(setting) {
    try {
      sessionStorage.setItem(this.place, setting);
    } catch {
      // the address has it
    }
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settled = Date.now();
      const url = new URL(location.href);
      url.searchParams.set(`w.${this.name}`, setting);
      history.replaceState(history.state, "", url);
    }, Math.max(SETTLED - (Date.now() - (this.settled ?? 0)), 0));
  }

  get place() {
    return `widget ${location.pathname} ${this.name}`;
  }

  // Calls `draw(width)` now and whenever the room changes.
  whenSized(element, draw) {
    let width = 0;
    new ResizeObserver(() => {
      const now = Math.floor(element.clientWidth);
      if (now === width || !now) return;
      width = now;
      draw(width);
    }).observe(element);
  }
}

export function html(tag, attributes, ...children) {
  return made(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return made(document.createElementNS(SVG, tag), attributes, children);
}

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

let groups = 0;

// Radio buttons in a fieldset: one stop for the Tab key, and the arrow keys pick.
// Returns {element, pick(value)}; options are [value, text].
export function choice(legend, className, options, chosen, onPick) {
  groups += 1;
  const inputs = options.map(([value]) =>
    html("input", {
      type: "radio",
      name: `widget-choice-${groups}`,
      value: String(value),
      autocomplete: "off",
      change: () => onPick(value),
    }),
  );
  const labels = options.map(([, text], at) => html("label", {}, inputs[at], html("span", {}, text)));
  const element = html("fieldset", { class: className }, html("legend", {}, legend), html("div", {}, ...labels));
  const pick = (value) => {
    for (const input of inputs) input.checked = input.value === String(value);
  };
  pick(chosen);
  return { element, labels, pick };
}

// A table in a box of its own to scroll in. rows: each with its heading first.
export function table(title, head, rows) {
  const cell = (text) => html("td", { class: "align-right nowrap" }, text);
  return html(
    "div",
    { class: "table-scroll", role: "group", "aria-label": title, tabindex: "0" },
    html(
      "table",
      { class: "table table-sticky" },
      html("thead", {}, html("tr", {}, ...head.map((text, at) =>
        html("th", { scope: "col", class: at > 0 && "align-right" }, text)))),
      html("tbody", {}, ...rows.map(([name, ...texts]) =>
        html("tr", {}, html("th", { scope: "row" }, name), ...texts.map(cell)))),
    ),
  );
}

export function whole(number) {
  const text = String(Math.round(number));
  return number >= 10_000 ? text.replace(/\B(?=(\d{3})+$)/g, NARROW) : text;
}
