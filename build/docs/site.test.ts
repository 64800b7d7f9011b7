import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { readContents } from './contents.ts';
import { parsePage } from './markdown.ts';
import { DocsServer } from './server.ts';
import { buildSite } from './site.ts';

const root = join(import.meta.dirname, '../..');

/** A project with these files in `docs/`, and the icon of the site. */
function project(pages: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('docs');
  const files = { '../renderer-demo/icon.svg': '<svg/>', 'README.md': '# Home\n', ...pages };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'docs', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

describe('the documentation as a site', () => {
  it('should hold every page of docs/, in the order of docs/README.md, without a broken link', async () => {
    const { files, problems } = await buildSite(root);
    assert.deepEqual(problems, []);
    const home = String(files.get('index.html'));
    const guides = ['install', 'setup', 'home-assistant', 'projects', 'caller'];
    const places = guides.map((name) => home.indexOf(`href="${name}.html"`));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(places.every((place) => place > 0));
  });

  it('should load nothing from another host', async () => {
    const { files } = await buildSite(root);
    const loads = /<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:[a-z]+:)?\/\//i;
    for (const [path, content] of files)
      if (path.endsWith('.html')) assert.doesNotMatch(String(content), loads, path);
    assert.doesNotMatch(String(files.get('assets/style.css')), /url\(|@import/);
  });

  it('should tell of links that lead nowhere, of pages in no list, and of text that would be swallowed', async () => {
    const folder = project({
      'README.md': '# Home\n\n## All\n\n- [A](a.md): the page\n- [Gone](gone.md): no page\n',
      'a.md': '# A\n\n[no file](b.txt), [no heading](#none), ![no picture](c.png), set <name>\n',
      'lost.md': '# Lost\n',
    });
    const { problems } = await buildSite(folder);
    assert.deepEqual(problems, [
      'docs/lost.md is in no list of docs/README.md, so nobody finds it.',
      'docs/README.md: the link to gone.md leads to no file.',
      'docs/a.md: "<name>" would be taken for HTML. Put it between backticks.',
      'docs/a.md: the link to b.txt leads to no file.',
      'docs/a.md: #none leads to no heading of docs/a.md.',
      'docs/a.md: the link to c.png leads to no file.',
    ]);
  });

  it('should take along the files that pages link to, sources as pages', async () => {
    const folder = project({
      'README.md': '# Home\n\n## All\n\n- [A](deep/a.md)\n',
      'deep/a.md': '# A\n\n[code](../../server/x.ts) ![picture](p.png) [home](../README.md#home)\n',
      'deep/p.png': 'PNG',
      '../server/x.ts': 'const a = "<b>";\n',
    });
    const { files, problems } = await buildSite(folder);
    assert.deepEqual(problems, []);
    const page = String(files.get('deep/a.html'));
    assert.match(page, /href="\.\.\/source\/server\/x\.ts\.html"/);
    assert.match(page, /src="p\.png"/);
    assert.match(page, /href="\.\.\/index\.html#home"/);
    assert.match(page, /href="\.\.\/assets\/style\.css"/);
    assert.equal(String(files.get('deep/p.png')), 'PNG');
    assert.match(String(files.get('source/server/x.ts.html')), /const a = &quot;&lt;b>&quot;;/);
  });

  it('should list the sections of a page, and lead to the next one', async () => {
    const folder = project({
      'README.md': '# Home\n\n## All\n\n- [A](a.md)\n- [B](b.md)\n',
      'a.md': '# A\n\n## First & last\n\n### Deeper\n\n## Second\n',
      'b.md': '# B\n\n## Alone\n',
    });
    const { files } = await buildSite(folder);
    const page = String(files.get('a.html'));
    const contents = /<nav class="contents"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '';
    assert.deepEqual(
      [...contents.matchAll(/href="([^"]+)">([^<]+)/g)].map(([, href, text]) => `${href} ${text}`),
      ['#first--last First &amp; last', '#second Second'],
    );
    assert.match(page, /Previous: <a href="index\.html" rel="prev">Documentation</);
    assert.match(page, /Next: <a href="b\.html" rel="next">B</);
    assert.doesNotMatch(String(files.get('b.html')), /class="contents"/);
  });

  it('should give headings the anchors of repository pages', () => {
    const { anchors, title } = parsePage('# `a` & B\n\n## Same\n\n## Same\n\n## Über_all: 2-3\n');
    assert.deepEqual([...anchors], ['a--b', 'same', 'same-1', 'über_all-2-3']);
    assert.equal(title, 'a & B');
  });

  it('should list only lines that begin with a link to a page', () => {
    const readme = '# T\n- [No](no.md)\n## A\nsee [B](b.md)\n- [C](c.md): c\n- [D](d.json)\n## Empty\n';
    assert.deepEqual(readContents(readme), [{ title: 'A', pages: [{ name: 'C', file: 'c.md' }] }]);
  });
});

describe('npm run docs', () => {
  it('should show the pages to this machine, and let them load nothing from elsewhere', async (t) => {
    const server = new DocsServer(() => buildSite(root));
    const address = await server.start(0);
    t.after(() => server.stop());
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    const home = await fetch(address);
    assert.equal(home.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(home.headers.get('content-security-policy'), "default-src 'self'");
    assert.match(await home.text(), /<title>Faceplate: the documentation/);
    assert.equal((await fetch(`${address}none.html`)).status, 404);
    assert.equal((await fetch(`${address}%2e%2e/package.json`)).status, 404);
    assert.equal((await fetch(address, { method: 'POST' })).status, 404);
  });

  it('should take another port when its own is taken, and show problems instead of pages', async (t) => {
    const folder = project({ 'README.md': '# Home\n\n[gone](gone.md)\n' });
    const first = new DocsServer(() => buildSite(folder));
    const second = new DocsServer(() => buildSite(folder));
    t.after(() => Promise.all([first.stop(), second.stop()]));
    const address = await first.start(0);
    assert.notEqual(await second.start(Number(new URL(address).port)), address);
    const answer = await fetch(address);
    assert.equal(answer.status, 500);
    assert.match(await answer.text(), /gone\.md leads to no file/);
  });
});
