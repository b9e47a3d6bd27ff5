// Adds the reader's own time to a time in the course's zone, where the two differ.
function offsetMinutes(iso) {
  const match = /([+-])(\d\d):(\d\d)$/.exec(iso);
  if (!match) return 0; // Z
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function addOwn(element) {
  const iso = element.dateTime;
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime()) || -instant.getTimezoneOffset() === offsetMinutes(iso)) return;
  const there = new Date(instant.getTime() + offsetMinutes(iso) * 60_000);
  const sameDay = there.getUTCDate() === instant.getDate();
  const day = sameDay ? {} : { weekday: "short", day: "numeric", month: "short" };
  const own = new Intl.DateTimeFormat("en-GB", { ...day, hour: "2-digit", minute: "2-digit" }).format(instant);
  const note = document.createElement("span");
  note.className = "when-yours";
  note.textContent = ` (${own} your time)`;
  element.append(note);
  element.classList.remove("when"); // once
}

function addAll(root) {
  for (const element of root.querySelectorAll("time.when")) addOwn(element);
}

addAll(document);
document.addEventListener("htmx:after:swap", () => addAll(document));
