// What stands in the form of a stop is kept: in this browser at once, and on the site when the typing pauses; it is
// dropped here only when the site has it. How sure somebody is stays here: the site takes that with a commit only. A
// draft is never a commit.
//
//     data-draft-url     where the whole form is sent
//     data-draft-key     names person, reading and stop
//     data-drafted-at    of the draft that the form came with, if any
import { send, Shelf } from "../ui/drafting.js";

const PAUSE = 1000; // milliseconds without a key
const RETRY = 15_000;
const NOT_TYPED = ["csrfmiddlewaretoken", "form_token"];

const drafts = new Map(); // by form

export function keepDraft(form) {
  if (form.dataset.draftUrl && !drafts.has(form)) drafts.set(form, new Draft(form));
}

// Before the time is over.
export function saveAll() {
  return Promise.all([...drafts.values()].map((draft) => draft.save()));
}

class Draft {
  #shelf = new Shelf();
  #timer = 0;
  #onTheirWay = 0;
  #suspended = false;

  constructor(form) {
    this.form = form;
    this.key = `softmark-answer:${form.dataset.draftKey}`;
    this.base = instant(form.dataset.draftedAt); // of what the site has
    this.saved = typed(form);
    this.state = form.querySelector(".lesson-saved");
    this.#restore();
    form.addEventListener("input", () => this.#changed());
  }

  async save({ leaving = false } = {}) {
    clearTimeout(this.#timer);
    const text = typed(this.form);
    if (text === this.saved || this.#suspended || (this.#onTheirWay && !leaving)) return;
    this.#onTheirWay += 1;
    const token = this.form.elements.csrfmiddlewaretoken.value;
    const { answer, trouble } = await send(this.form.dataset.draftUrl, new URLSearchParams(text), { token, leaving });
    this.#onTheirWay -= 1;
    if (this.#suspended || !this.form.isConnected) return;
    if (trouble) {
      const kept = this.#shelf.works ? "It is kept in this browser." : "This browser keeps nothing: copy it to a safe place.";
      this.#say(`Not saved. ${trouble} ${kept}`);
      this.#timer = setTimeout(() => this.save(), RETRY);
      return;
    }
    this.saved = text;
    this.base = instant(answer.drafted_at);
    if (typed(this.form) === text) {
      this.#shelf.write(this.key, text === answerIn(text) ? null : { text, base: this.base });
      this.#say("Saved, not committed");
    } else {
      this.#timer = setTimeout(() => this.save(), PAUSE);
    }
  }

  // While the form itself is on its way, nothing else is sent.
  suspend() {
    clearTimeout(this.#timer);
    this.#suspended = true;
  }

  resume() {
    this.#suspended = false;
    if (typed(this.form) !== this.saved) this.#timer = setTimeout(() => this.save(), PAUSE);
  }

  // The site has taken the form, or has said why not.
  close() {
    this.suspend();
    this.#shelf.write(this.key, null);
    drafts.delete(this.form);
  }

  #changed() {
    this.#shelf.write(this.key, { text: typed(this.form), base: this.base });
    this.#say("");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), PAUSE);
  }

  #say(text) {
    this.state.textContent = text;
  }

  #restore() {
    const kept = this.#shelf.read(this.key);
    if (!kept) return;
    if (kept.text === this.saved) {
      this.#shelf.write(this.key, null);
    } else if (answerIn(kept.text) === answerIn(this.saved)) {
      fill(this.form, kept.text);
      this.saved = typed(this.form);
    } else if (kept.base === this.base || !this.base) {
      this.#fill(kept.text);
    } else {
      this.#offer(kept.text); // another browser or tab has saved since
    }
  }

  #offer(text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-small";
    button.textContent = "Put it into the form";
    button.addEventListener("click", () => this.#fill(text));
    this.state.replaceChildren("This browser kept another answer from before. ", button);
  }

  #fill(text) {
    fill(this.form, text);
    this.#changed();
  }
}

// The site writes one in several ways.
function instant(iso) {
  return Date.parse(iso) || 0;
}

function typed(form) {
  const body = new URLSearchParams(new FormData(form));
  for (const name of NOT_TYPED) body.delete(name);
  return body.toString();
}

// Without how sure somebody is.
function answerIn(text) {
  const body = new URLSearchParams(text);
  body.delete("sure");
  return body.toString();
}

function fill(form, text) {
  const kept = new URLSearchParams(text);
  for (const name of ["answer", "place", "pasted", "sure"]) {
    const values = kept.getAll(name);
    for (const [at, field] of [...form.querySelectorAll(`[name=${name}]`)].entries()) {
      if (field.type === "radio" || field.type === "checkbox") field.checked = values.includes(field.value);
      else field.value = values[at] ?? "";
    }
  }
  form.dispatchEvent(new Event("softmark:filled"));
  form.dispatchEvent(new Event("input"));
}

// -- the page

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented || event.target.hasAttribute("hx-post")) drafts.get(event.target)?.suspend();
});
document.addEventListener("htmx:after:swap", () => {
  for (const [form, draft] of drafts) if (!form.isConnected) draft.close();
});
document.addEventListener("htmx:finally:request", ({ detail }) => drafts.get(detail.ctx.sourceElement)?.resume());
addEventListener("pagehide", leave);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") leave();
});
addEventListener("online", () => saveAll());

function leave() {
  for (const draft of drafts.values()) draft.save({ leaving: true });
}
