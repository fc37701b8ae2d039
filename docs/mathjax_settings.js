// Formulas as GitHub marks them, ```math and $...$, which the site generator puts into class arithmatex.
window.MathJax = {
  tex: { inlineMath: [['\\(', '\\)']], displayMath: [['\\[', '\\]'], ['$$', '$$']] },
  svg: { fontCache: 'global' },
  options: { enableMenu: false, ignoreHtmlClass: '.*', processHtmlClass: 'arithmatex' },
};
