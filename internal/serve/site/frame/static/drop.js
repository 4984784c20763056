// Files can be dropped where they can be chosen. With data-send the form is sent
// as soon as there is one. And what is folded is printed unfolded.
(() => {
  for (const zone of document.querySelectorAll("[data-drop]")) {
    const input = zone.querySelector("input[type=file]"), name = zone.querySelector("[data-name]");
    if (!input) continue;
    const chosen = () => {
      const file = input.files[0];
      if (name) name.textContent = file ? file.name : "";
      if (file && "send" in zone.dataset) input.form.requestSubmit();
    };
    zone.querySelector("[data-hint]")?.removeAttribute("hidden");
    input.addEventListener("change", chosen);
    for (const kind of ["dragenter", "dragover"]) zone.addEventListener(kind, (e) => { e.preventDefault(); zone.classList.add("over"); });
    for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
    zone.addEventListener("drop", (e) => {
      e.preventDefault();
      if (e.dataTransfer.files.length === 0) return;
      input.files = e.dataTransfer.files;
      chosen();
    });
  }
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; opened = []; });
})();
