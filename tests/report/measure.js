// SPDX-License-Identifier: BSL-1.0
//
// Measures the report in each frame of the check's page: what overflows, what is empty, what stands outside of its box.
// Writes a line per finding, then `measured`, into the page, from where run.sh reads it.
'use strict';
window.addEventListener('load', () => {
  const lines = [];
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument;
    const width = frame.clientWidth;
    const fault = (what) => lines.push(`fault at ${width}: ${what}`);
    if (page.documentElement.scrollWidth > width) fault(`the page is ${page.documentElement.scrollWidth} wide`);
    const plots = page.querySelectorAll('svg.plot');
    if (plots.length !== 7) fault(`${plots.length} plots, not 7`);
    let marks = 0;
    let smallest = 99;
    for (const plot of plots) {
      const name = plot.querySelector('title').textContent;
      const box = plot.getBoundingClientRect();
      if (box.width < 200 || box.height < 80) fault(`${name}: only ${box.width} × ${box.height}`);
      if (box.left < 0 || box.right > width) fault(`${name}: beyond the page`);
      const words = [];
      let shapes = 0;
      for (const shape of plot.querySelectorAll('rect, polyline, circle, text')) {
        const own = shape.getBoundingClientRect();
        const what = `${name}: ${shape.tagName} ${shape.textContent || shape.getAttribute('class')}`;
        if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1)
          fault(`${what} stands outside`);
        if (shape.tagName !== 'text') {
          if (own.width + own.height > 0) ++shapes;
          continue;
        }
        smallest = Math.min(smallest, parseFloat(page.defaultView.getComputedStyle(shape).fontSize) * box.width / 360);
        for (const [other, theirs] of words)
          if (own.left < theirs.right - 1 && theirs.left < own.right - 1 && own.top < theirs.bottom - 3 &&
              theirs.top < own.bottom - 3)
            fault(`${what} lies upon ${other}`);
        words.push([shape.textContent, own]);
      }
      if (shapes < 2) fault(`${name}: empty`);
      if (!plot.parentElement.querySelector('figcaption').textContent) fault(`${name}: no text beside it`);
      marks += shapes;
    }
    if (smallest < 9) fault(`letters of ${smallest.toFixed(1)} px`);
    lines.push(`at ${width}: ${plots.length} plots, ${marks} shapes, smallest letters ${smallest.toFixed(1)} px`);
  }
  lines.push('measured');
  document.getElementById('found').textContent = lines.join('\n');
});
