// The buttons that copy a key, shown where the browser lets us copy.
(() => {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select it and copy it by hand";
      }
      setTimeout(() => { button.textContent = label; }, 2500);
    });
  }
})();
