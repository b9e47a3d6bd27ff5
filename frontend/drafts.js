// Nothing typed is ever lost. What is in the textarea is kept in this browser at once, sent to the server when the
// typing pauses, and dropped here only when the server has said that it holds it. Where two tabs write the same draft,
// the server has what was saved last, and what the other tab shows is kept here.
//
//     data-draft-url    where to POST `text`; any 2xx answer means that it is kept there, and JSON with an `error`
//                       says why it is not
//     data-draft-key    names the place in this browser; must name the person and the item

import { send, Shelf } from "../platform/softmark/ui/static/ui/drafting.js";

const PAUSE = 1500; // milliseconds without a key
const RETRY = 15_000;

export function keepDrafts(textarea, frame, bar, replace) {
  const { draftUrl: url, draftKey: key = url } = textarea.dataset;
  const store = new Store(`softmark-draft:${key}`);
  let saved = textarea.value; // what the server is known to hold, or null
  let onTheirWay = 0; // one after another, for a later text must not be overtaken; but a page that is left cannot wait
  let overlapped = false;
  let typed = false;
  let timer = 0;

  const state = document.createElement("span");
  state.className = "editor-state";
  state.setAttribute("role", "status");
  bar.append(state);
  const say = (name, text) => {
    state.dataset.state = name;
    state.textContent = text;
  };

  async function save({ leaving = false } = {}) {
    clearTimeout(timer);
    const text = textarea.value;
    if (text === saved) {
      store.drop();
      say("saved", "Saved");
      return;
    }
    if (onTheirWay && !leaving) return; // when that one has settled, this one's turn comes
    overlapped ||= onTheirWay > 0;
    onTheirWay += 1;
    const token = textarea.form?.elements.csrfmiddlewaretoken?.value;
    const { trouble } = await send(url, new URLSearchParams({ text }), { token, leaving });
    onTheirWay -= 1;
    if (onTheirWay) return;
    saved = trouble || overlapped ? null : text;
    overlapped = false;
    if (!trouble) tabs.postMessage(text);
    if (textarea.value === saved) {
      store.drop();
      say("saved", "Saved");
    } else if (trouble) {
      const kept = store.works ? "It is kept in this browser." : "This browser keeps nothing: copy it to a safe place.";
      say("kept", `Not saved. ${trouble} ${kept}`);
      timer = setTimeout(save, RETRY);
    } else {
      timer = setTimeout(save, PAUSE);
    }
  }

  textarea.addEventListener("input", () => {
    typed = true;
    store.keep(textarea.value);
    say("typing", "");
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE);
  });
  const tabs = new BroadcastChannel(store.key);
  tabs.addEventListener("message", ({ data: theirs }) => {
    if (textarea.value === theirs) return;
    if (typed) store.lose(textarea.value);
    say("kept", `Another tab has saved another text.${typed ? " This one is kept in this browser." : ""}`);
  });
  const leave = () => {
    if (textarea.value !== saved) save({ leaving: true });
  };
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") leave();
  });
  addEventListener("online", () => {
    if (textarea.value !== saved) save();
  });

  for (const lost of store.rescue(textarea.value)) frame.prepend(offer(lost));

  function offer({ text, at }) {
    const notice = document.createElement("div");
    notice.className = "notice notice-warn";
    const words = document.createElement("div");
    words.className = "notice-text flow";
    const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
    words.append(
      paragraph("notice-title", "This browser kept another text"),
      paragraph("", `It was typed here on ${when} (${text.split("\n").length} lines), and is not what the site has.`),
      paragraph("row", button("Put it into the editor", () => replace(text)), button("Throw it away", () => {})),
    );
    notice.append(words);
    return notice;

    function paragraph(name, ...children) {
      const element = document.createElement("p");
      element.className = name;
      element.append(...children);
      return element;
    }

    function button(label, act) {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "button button-small";
      element.textContent = label;
      element.addEventListener("click", () => {
        act();
        store.settle(text);
        notice.remove();
      });
      return element;
    }
  }
}

// In this browser: the text that the server does not hold yet, and texts from earlier visits that nobody has decided
// about.
class Store {
  #shelf = new Shelf();

  constructor(key) {
    this.key = key;
    this.lostKey = `${key}:lost`;
  }

  get works() {
    return this.#shelf.works;
  }

  keep(text) {
    this.#shelf.write(this.key, { text, at: Date.now() });
  }

  drop() {
    this.#shelf.write(this.key, null);
  }

  // What an earlier visit left behind, other than what the server has; newest last.
  rescue(serverText) {
    const left = this.#shelf.read(this.key);
    const lost = this.#shelf.read(this.lostKey) ?? [];
    if (left) lost.push(left);
    const open = lost.filter((one, index) =>
      one.text !== serverText && lost.findLastIndex((other) => other.text === one.text) === index).slice(-5);
    this.#shelf.write(this.lostKey, open.length ? open : null);
    this.drop();
    return open;
  }

  lose(text) {
    const lost = this.#shelf.read(this.lostKey) ?? [];
    if (lost.at(-1)?.text !== text) this.#shelf.write(this.lostKey, [...lost, { text, at: Date.now() }].slice(-5));
  }

  settle(text) {
    const open = (this.#shelf.read(this.lostKey) ?? []).filter((one) => one.text !== text);
    this.#shelf.write(this.lostKey, open.length ? open : null);
  }
}
