// Runs before the page is drawn, so that it never appears in the wrong colours.
(() => {
  const remembered = localStorage.getItem('forge.theme');
  if (remembered === 'light' || remembered === 'dark') document.documentElement.dataset.theme = remembered;
})();
