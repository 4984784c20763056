"use strict";
// The page works without this. It sends the filters when one of them changes,
// keeps the place on the page, folds the filters on a phone and copies the link.
(() => {
  const form = document.getElementById("filters");
  const box = document.querySelector(".filterbox");
  const narrow = matchMedia("(max-width: 59.99rem)");
  if (box && narrow.matches && sessionStorage.getItem("explore-open") !== "1") box.open = false;
  box?.addEventListener("toggle", () => sessionStorage.setItem("explore-open", box.open ? "1" : "0"));

  const key = "explore-scroll";
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (kept !== null && !location.hash) scrollTo(0, Number(kept) || 0);

  // Empty fields are not sent, so that the address is short from the start.
  form?.addEventListener("submit", () => {
    sessionStorage.setItem(key, String(scrollY));
    for (const field of form.elements) {
      if (field.name && field.value === "" && field.type !== "checkbox") field.disabled = true;
    }
    if (form.elements.near?.disabled && form.elements.within) form.elements.within.disabled = true;
  });
  addEventListener("pageshow", () => {
    for (const field of form?.elements ?? []) field.disabled = false;
  });
  // A box is an answer by itself; on a phone several are ticked before Apply.
  form?.addEventListener("change", (e) => {
    if (!narrow.matches && e.target.matches("input[type=checkbox], input[type=radio]")) form.requestSubmit();
  });

  const share = document.getElementById("share-view");
  const status = document.getElementById("share-status");
  if (share && navigator.clipboard) {
    share.hidden = false;
    share.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(location.href.replace(/#.*$/, ""));
        status.textContent = "The link is copied.";
      } catch {
        status.textContent = "The link could not be copied; copy it from the address bar.";
      }
    });
  }
})();
