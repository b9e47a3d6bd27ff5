// A form is sent once, however often its button is pressed. Coming back by the browser's history makes it ready again.
// The button is switched off only after the browser has taken the form's data, which hold the button's own value.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method === "get" || form.target) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  setTimeout(() => {
    if (event.defaultPrevented) {
      delete form.dataset.sent; // htmx or another script has it in hand
      return;
    }
    for (const button of buttons(form)) {
      if (button === event.submitter) button.setAttribute("aria-busy", "true");
      button.disabled = true;
    }
  });
});

addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    for (const button of buttons(form)) {
      button.removeAttribute("aria-busy");
      button.disabled = false;
    }
  }
});

function buttons(form) {
  return [...form.elements].filter((element) => element.type === "submit");
}
