// Keys for whoever goes through hundreds of things. Without it the page does all the same.
"use strict";

const follow = (selector) => document.querySelector(selector)?.click();
const focus = (selector) => document.querySelector(selector)?.focus();

// On the list, the things; each is a link that has the focus in turn.
function step(by) {
  const links = [...document.querySelectorAll(".things a")];
  const at = links.indexOf(document.activeElement);
  const next = at < 0 ? 0 : at + by;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (isTyped) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isList = document.querySelector(".things") !== null;
  switch (event.key) {
    case "j": isList ? step(1) : follow(".way a[rel=next]"); break;
    case "k": isList ? step(-1) : follow(".way a[rel=prev]"); break;
    case "a": focus("#accept"); break;
    case "c": focus("#comment"); break;
    case "l": follow(".way a.up"); break;
    default: return;
  }
  event.preventDefault();
});

// What is chosen is shown at once.
document.querySelector("form.choice")?.addEventListener("change", (event) => event.currentTarget.requestSubmit());

// An acceptance is sent once, however often the button is pressed.
document.querySelector("form.accept")?.addEventListener("submit", (event) => {
  if (event.currentTarget.dataset.sent) event.preventDefault();
  event.currentTarget.dataset.sent = "1";
});
window.addEventListener("pageshow", () => delete document.querySelector("form.accept")?.dataset.sent);

// What was refused is read first.
document.querySelector(".alert")?.scrollIntoView();
