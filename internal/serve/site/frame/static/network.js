// Who is around an organization of the picture, shown below it without leaving the page.
(() => {
  let shown = location.search;
  const second = document.getElementById("second");
  const show = async (href) => {
    const answer = await fetch(href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) throw new Error(page.title);
    second.replaceChildren(...page.getElementById("second").childNodes);
    second.focus({ preventScroll: true });
    second.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  document.addEventListener("click", async (e) => {
    const href = e.target.closest("a")?.getAttribute("href");
    if (!href?.includes("?around=") || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    try {
      await show(href);
      history.pushState(null, "", href);
      shown = location.search;
    } catch {
      location.assign(href); // the server says why
    }
  });
  addEventListener("popstate", () => { if (location.search !== shown) location.reload(); });
})();
