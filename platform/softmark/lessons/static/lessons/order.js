// Two lists in the place of numbered selects: the order, and what is not in it. Items are dragged, or moved by buttons.
export function easeOrder(form) {
  const sorting = form.querySelector(".lesson-sorting");
  const [inside, outside] = [sorting.querySelector(".lesson-sorted"), sorting.querySelector(".lesson-unsorted")];
  const places = [...form.querySelectorAll("[name=place]")];
  const items = new Map([...sorting.querySelectorAll(".lesson-item")].map((item) => [item.dataset.value, item]));
  const said = sorting.querySelector("[role=status]");

  form.querySelector(".lesson-order").hidden = true;
  sorting.hidden = false;
  form.addEventListener("softmark:filled", show);
  show();

  // The lists as the selects have it; of what stands there twice the first place.
  function show() {
    const order = [...new Set(places.map((place) => place.value))].map((value) => items.get(value)).filter(Boolean);
    inside.replaceChildren(...order);
    outside.append(...[...items.values()].filter((item) => !order.includes(item)));
    label();
  }

  function label() {
    const order = [...inside.children];
    for (const item of items.values()) {
      const at = order.indexOf(item);
      const able = { in: at < 0, out: at >= 0, up: at > 0, down: at >= 0 && at < order.length - 1 };
      for (const button of item.querySelectorAll("[data-move]")) {
        const move = button.dataset.move;
        button.hidden = at < 0 ? move !== "in" : move === "in";
        button.setAttribute("aria-disabled", String(!able[move]));
      }
    }
    sorting.classList.toggle("lesson-all-sorted", !outside.children.length);
  }

  // After every move: into the selects, and into words.
  function tell(item) {
    const order = [...inside.children];
    for (const [at, place] of places.entries()) place.value = order[at]?.dataset.value ?? "";
    label();
    const at = order.indexOf(item);
    const where = at < 0 ? "not in the order" : `place ${at + 1} of ${order.length}`;
    said.textContent = `${item.dataset.name}: ${where}.`;
    places[0].dispatchEvent(new Event("input", { bubbles: true }));
  }

  sorting.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    const item = button.closest(".lesson-item");
    const { move } = button.dataset;
    if (move === "in") inside.append(item);
    if (move === "out") outside.append(item);
    if (move === "up") item.previousElementSibling.before(item);
    if (move === "down") item.nextElementSibling.after(item);
    tell(item);
    const stays = button.hidden ? item.querySelector("[data-move]:not([hidden])") : button;
    stays.focus();
  });

  sorting.addEventListener("pointerdown", (event) => {
    const item = event.target.closest(".lesson-item");
    const byHand = event.pointerType !== "mouse"; // else a finger could not scroll the page
    if (!item || event.button || event.target.closest("[data-move]")) return;
    if (byHand && !event.target.closest(".lesson-grip")) return;
    event.preventDefault();
    item.classList.add("lesson-dragged");
    const stop = new AbortController();
    const drag = ({ clientY }) => {
      const list = clientY < outside.previousElementSibling.getBoundingClientRect().top ? inside : outside;
      const below = [...list.children].find((other) => {
        const box = other.getBoundingClientRect();
        return other !== item && clientY < box.top + box.height / 2;
      });
      if (item.parentElement === list && item.nextElementSibling === (below ?? null)) return;
      list.insertBefore(item, below ?? null);
    };
    const drop = () => {
      stop.abort();
      item.classList.remove("lesson-dragged");
      tell(item);
    };
    document.addEventListener("pointermove", drag, { signal: stop.signal });
    document.addEventListener("pointerup", drop, { signal: stop.signal });
    document.addEventListener("pointercancel", drop, { signal: stop.signal });
  });
}
