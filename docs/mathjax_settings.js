// Formulas as GitHub marks them, ```math and $...$, which the site generator puts into class arithmatex.
window.MathJax = {
  tex: { inlineMath: [['\\(', '\\)']], displayMath: [['\\[', '\\]'], ['$$', '$$']] },
  svg: { fontCache: 'global', scale: 0.9 },
  options: { enableMenu: false, ignoreHtmlClass: '.*', processHtmlClass: 'arithmatex' },
};
