// A link to something inside a pane that is not shown (or into it) shows its pane first.
function showTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const pane = target && target.closest(".pane");
  if (!pane) return;
  const panes = [...pane.parentElement.children].filter((element) => element.matches(".pane"));
  const choice = pane.parentElement.querySelectorAll(".pane-switch input")[panes.indexOf(pane)];
  if (!choice || choice.checked) return;
  choice.checked = true;
  target.scrollIntoView();
}

addEventListener("hashchange", showTarget);
showTarget();
