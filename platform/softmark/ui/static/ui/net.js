// Says when a part of the page could not be fetched, and takes that back once it can be.
const ID = "net-trouble";

function say(text) {
  const messages = document.getElementById("messages");
  if (!messages || document.getElementById(ID)) return;
  const notice = document.createElement("div");
  notice.id = ID;
  notice.className = "notice notice-warn";
  notice.textContent = text;
  messages.append(notice);
}

document.addEventListener("htmx:error", () => {
  say("The site cannot be reached just now. Nothing is lost: what you see stays, and is brought up to date again soon.");
});
document.addEventListener("htmx:response:error", (event) => {
  const { sourceElement, response, hx } = event.detail?.ctx ?? {};
  const status = response?.status ?? 0;
  if (hx?.redirect || sourceElement?.hasAttribute(`hx-status:${status}`)) return; // the answer says it in its place
  say(
    status === 401 || status === 403
      ? "You may not see this part any more, perhaps because you are signed out. Reload the page to go on."
      : "The site could not answer just now: its fault, not yours. Nothing is lost; reload the page in a moment.",
  );
});
document.addEventListener("htmx:after:swap", () => document.getElementById(ID)?.remove());
