import type { ListedPage, Section } from './contents.ts';
import type { SearchText } from './markdown.ts';

interface Layout {
  readonly title: string;
  /** Path of the page on the site, such as `caller.html`. */
  readonly path: string;
  readonly body: string;
  /** The sections of the page; none of a source file. */
  readonly contents?: readonly Pick<SearchText, 'heading' | 'anchor'>[];
  readonly sections: readonly Section[];
  readonly previous?: ListedPage | undefined;
  readonly next?: ListedPage | undefined;
}

/** A whole page of the site. All its links are relative: it works below any address, and as a file. */
export function layOut({ title, path, body, contents = [], sections, previous, next }: Layout): string {
  const base = '../'.repeat(path.split('/').length - 1);
  const link = ({ file, name }: ListedPage, attributes = '') =>
    `<a href="${base}${escapeHtml(sitePath(file))}"${attributes}>${escapeHtml(name)}</a>`;
  const sidebar = sections.map(
    (section) =>
      `<h2>${escapeHtml(section.title)}</h2>\n<ul>\n${section.pages
        .map((page) => `<li>${link(page, sitePath(page.file) === path ? ' aria-current="page"' : '')}</li>`)
        .join('\n')}\n</ul>`,
  );
  const onward = [
    previous ? `<span>Previous: ${link(previous, ' rel="prev"')}</span>` : '<span></span>',
    next ? `<span>Next: ${link(next, ' rel="next"')}</span>` : '',
  ].join('\n');
  const own = contents.map(
    ({ heading, anchor }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a></li>`,
  );
  const contentsOfPage =
    own.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>\n<ul>\n${own.join('\n')}\n</ul>\n</details></nav>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Faceplate</title>
<link rel="icon" href="${base}assets/icon.svg">
<link rel="stylesheet" href="${base}assets/style.css">
<script src="${base}assets/page.js"></script>
<script defer src="${base}assets/search.js" data-base="${base}"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="home" href="${base}index.html">Faceplate</a>
<search><input id="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"></search>
<select id="look" aria-label="Look"><option value="auto">Auto</option><option value="light">Light</option><option value="dark">Dark</option></select>
</header>
<section id="results" aria-label="Search results" aria-live="polite" hidden></section>
<div class="columns">
<nav class="pages" aria-label="Pages"><details><summary>All pages</summary>
${sidebar.join('\n')}
</details></nav>
<main id="content">
${body}
<footer>
${onward}
</footer>
</main>
${contentsOfPage}</div>
</body>
</html>
`;
}

/** The address of a page of `docs/` on the site. */
export function sitePath(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** Text as HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
