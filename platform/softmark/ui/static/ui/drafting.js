// What all drafts share: a way to the site that answers in words, and a shelf in this browser.
const PATIENCE = 20_000; // milliseconds for an answer

// Sends a draft. {trouble} says in words why it is not kept there; else {answer} is what the site said.
export async function send(url, body, { token = "", leaving = false } = {}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      keepalive: leaving && body.toString().length < 60_000, // browsers refuse more
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
      headers: { "X-CSRFToken": token, "X-Requested-With": "fetch" },
    });
    const answer = await response.json().catch(() => ({}));
    return response.ok ? { answer } : { trouble: answer.error || inWords(response) };
  } catch {
    return { trouble: "The site cannot be reached." };
  }
}

function inWords(response) {
  if (response.type === "opaqueredirect" || response.status === 401) return "You are signed out.";
  if (response.status === 403) return "This page is out of date: reload it.";
  return "The site could not take it just now.";
}

// This browser's own storage, by key. It may be switched off or full; then `works` is false.
export class Shelf {
  works = true;

  read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  // null takes away what is there.
  write(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
      this.works = true;
    } catch {
      this.works = false;
    }
  }
}
