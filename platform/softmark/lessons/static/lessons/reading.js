// The page of a lesson: where the focus goes after a commit, and how much time is left.
import { fieldOf } from "./answers.js";
import { saveAll } from "./drafts.js";

// -- the focus

document.addEventListener("htmx:after:swap", ({ detail }) => {
  const stop = detail.ctx.sourceElement?.dataset.stop;
  if (stop) lead(stop);
});

function lead(stop) {
  const form = document.querySelector(`form[data-stop="${stop}"]`);
  const told = document.getElementById(`problem-${stop}`);
  const target =
    (told && form && fieldOf(form)) ??
    document.querySelector(`#stop-${stop} #not-taken`) ??
    document.getElementById(`revealed-${stop}`) ??
    document.getElementById("not-taken");
  target?.focus();
  target?.closest(".lesson-stop, .flow")?.scrollIntoView({ block: "nearest" });
  target?.scrollIntoView({ block: "nearest" });
}

const told = document.querySelector(".lesson-stop [role=alert]");
if (told) lead(told.closest(".lesson-stop").id.slice("stop-".length));
// after the end of the time the page is loaded again, and browsers leave the focus where it was
else if (location.hash.startsWith("#revealed-")) document.getElementById(location.hash.slice(1))?.focus();

// -- the rail is folded where there is no room for it

const rail = document.querySelector(".lesson-rail details");
const roomy = matchMedia("(width >= 64rem)");
const fold = () => {
  if (rail) rail.open = roomy.matches;
};
roomy.addEventListener("change", fold);
fold();

// -- the time that is left, by the clock of the site

const SAID = [300, 60]; // seconds
const SAVE_FROM = 4;
const HIDDEN = "softmark-time-hidden";

const time = document.getElementById("time-left");
if (time) countDown();

function countDown() {
  const shown = time.querySelector("[role=timer]");
  const ahead = Date.parse(time.dataset.now) - Date.now();
  const endsAt = Date.parse(time.dataset.endsAt);
  const left = () => Math.ceil((endsAt - Date.now() - ahead) / 1000);
  let before = left() + 1;
  time.hidden = false;
  time.open = sessionStorage.getItem(HIDDEN) === null;
  time.addEventListener("toggle", () => {
    if (time.open) sessionStorage.removeItem(HIDDEN);
    else sessionStorage.setItem(HIDDEN, "yes");
  });
  tick();
  const clock = setInterval(tick, 1000);

  function tick() {
    if (!time.isConnected) {
      clearInterval(clock); // the lesson is done
      return;
    }
    const now = left();
    shown.textContent = inWords(Math.max(now, 0));
    time.classList.toggle("lesson-time-short", now <= 60);
    const passed = (mark) => before > mark && now <= mark;
    const mark = SAID.find(passed);
    if (mark) say(`${inMinutes(mark)} left. What stands in the form then is committed.`);
    if (now > 0 && now <= SAVE_FROM) saveAll(); // again and again: somebody may type until the end
    if (now <= 0) {
      clearInterval(clock);
      end();
    }
    before = now;
  }

  function end() {
    say("Your time has run out. The page is loaded again.");
    const stop = document.querySelector("#ahead form[data-stop]")?.dataset.stop;
    if (stop) history.replaceState(history.state, "", `#revealed-${stop}`);
    setTimeout(() => location.reload(), 1000); // so that the site, too, has seen the end
  }
}

function say(text) {
  document.getElementById("time-said").textContent = text;
}

function inMinutes(seconds) {
  return seconds === 60 ? "1 minute" : `${seconds / 60} minutes`;
}

function inWords(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const pad = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
