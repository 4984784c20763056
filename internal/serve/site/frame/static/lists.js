// A screening of a list goes on by itself until all of the list is screened.
document.querySelector("form[data-continue]")?.requestSubmit();
