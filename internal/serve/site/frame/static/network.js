// Who is around an organization of the picture, shown below it without leaving the page.
(() => {
  const second = document.getElementById("second");
  let shown = second.querySelector("h2") ? location.search : ""; // Back and Forward may change the address before this runs
  let asked = 0;
  const show = async (href) => {
    const mine = ++asked;
    const answer = await fetch(href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) throw new Error(page.title);
    if (mine !== asked) return false; // another ring was asked for meanwhile
    second.replaceChildren(...page.getElementById("second").childNodes);
    if (second.querySelector("h2")) {
      second.focus({ preventScroll: true });
      second.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    }
    return true;
  };
  document.addEventListener("click", async (e) => {
    const href = e.target.closest("a")?.getAttribute("href");
    if (!href?.includes("?around=") || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    try {
      if (!(await show(href))) return;
      history.pushState(null, "", href);
      shown = location.search;
    } catch {
      location.assign(href); // the server says why
    }
  });
  const restore = () => {
    if (location.search === shown) return;
    shown = location.search;
    show(location.href).catch(() => location.reload());
  };
  addEventListener("popstate", restore);
  if (location.search.includes("around=")) restore();
})();
