import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { build } from 'esbuild';
import { type ListedPage, readContents, type Section } from './contents.ts';
import { escapeHtml, layOut, sitePath } from './layout.ts';
import { parsePage } from './markdown.ts';

const HOME: ListedPage = { file: 'README.md', name: 'Documentation' };

/** Files that a browser shows by itself; other files that pages link to become a page with their text. */
const SHOWN_AS_THEY_ARE = /\.(?:json|png|svg)$/;

interface Site {
  /** Content of each file by its path below the site's root. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Broken links and the like, as sentences; a site with problems is not to be used. */
  readonly problems: readonly string[];
}

/** One entry of the search, with short keys because all of them are sent to the browser. */
interface SearchEntry {
  readonly id: number;
  readonly page: string;
  readonly heading: string;
  readonly href: string;
  readonly text: string;
}

/** Makes the site of `<root>/docs`: every Markdown file below it, in the order of docs/README.md. */
export async function buildSite(root: string): Promise<Site> {
  const maker = new SiteMaker(join(root, 'docs'));
  maker.addPages();
  await maker.addAssets();
  return maker;
}

class SiteMaker implements Site {
  readonly files = new Map<string, string | Buffer>();
  readonly problems: string[] = [];
  readonly #docs: string;
  readonly #sections: Section[];
  readonly #pages: ReadonlyMap<string, ReturnType<typeof parsePage>>;
  readonly #entries: SearchEntry[] = [];

  constructor(docs: string) {
    this.#docs = docs;
    this.#sections = readContents(readFileSync(join(docs, HOME.file), 'utf8'));
    const found = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    this.#pages = new Map(found.map((file) => [file, parsePage(readFileSync(join(docs, file), 'utf8'))]));
  }

  addPages(): void {
    const order = [HOME, ...this.#sections.flatMap(({ pages }) => pages)];
    for (const file of this.#pages.keys()) {
      if (!order.some((listed) => listed.file === file))
        this.problems.push(`docs/${file} is in no list of docs/README.md, so nobody finds it.`);
    }
    for (const [index, listed] of order.entries()) {
      const page = this.#pages.get(listed.file);
      // A listed page that does not exist is a broken link of docs/README.md, and reported as such.
      if (page === undefined) continue;
      for (const html of page.strayHtml)
        this.problems.push(
          `docs/${listed.file}: "${html}" would be taken for HTML. Put it between backticks.`,
        );
      const path = sitePath(listed.file);
      this.#put(path, {
        title: page.title,
        body: page.html((href) => this.#resolve(href, listed.file)),
        contents: page.texts.filter(({ level }) => level === 2),
        previous: order[index - 1],
        next: order[index + 1],
      });
      for (const { heading, anchor, text } of page.texts) {
        const href = anchor === '' ? path : `${path}#${anchor}`;
        this.#entries.push({ id: this.#entries.length, page: page.title, heading, href, text });
      }
    }
  }

  async addAssets(): Promise<void> {
    const folder = join(import.meta.dirname, 'browser');
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'search.ts'), join(folder, 'page.ts')],
      outdir: folder,
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      target: 'es2022',
    });
    for (const { path, text } of outputFiles) this.files.set(`assets/${basename(path)}`, text);
    this.files.set('assets/style.css', readFileSync(join(folder, 'style.css'), 'utf8'));
    this.files.set('assets/icon.svg', readFileSync(join(this.#docs, '../renderer-demo/icon.svg'), 'utf8'));
    // A script instead of JSON: pages that are opened as files may load scripts, and may not fetch.
    this.files.set('assets/entries.js', `globalThis.searchEntries = ${JSON.stringify(this.#entries)};\n`);
  }

  #put(
    path: string,
    page: Pick<Parameters<typeof layOut>[0], 'title' | 'body' | 'contents' | 'previous' | 'next'>,
  ): void {
    this.files.set(path, layOut({ ...page, path, sections: this.#sections }));
  }

  /** The link as the site has it. A target that is no page is added to the site. */
  #resolve(href: string, from: string): string {
    if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path));
    const page = this.#pages.get(target);
    if (page !== undefined) {
      if (anchor !== undefined && !page.anchors.has(anchor))
        this.problems.push(`docs/${from}: ${href} leads to no heading of docs/${target}.`);
      return this.#relative(from, sitePath(target), anchor);
    }
    const file = join(this.#docs, target);
    if (!existsSync(file) || !statSync(file).isFile()) {
      this.problems.push(`docs/${from}: the link to ${href} leads to no file.`);
      return href;
    }
    return this.#relative(from, this.#addFile(target, file), anchor);
  }

  #addFile(target: string, file: string): string {
    const place = target.replace(/^\.\.\//, 'source/');
    if (SHOWN_AS_THEY_ARE.test(target)) {
      this.files.set(place, readFileSync(file));
      return place;
    }
    const path = `${place}.html`;
    if (!this.files.has(path)) {
      const name = posix.normalize(`docs/${target}`);
      const text = escapeHtml(readFileSync(file, 'utf8'));
      this.#put(path, { title: name, body: `<h1>${escapeHtml(name)}</h1>\n<pre><code>${text}</code></pre>` });
    }
    return path;
  }

  #relative(from: string, path: string, anchor: string | undefined): string {
    const relative = posix.relative(posix.dirname(sitePath(from)), path);
    return anchor === undefined ? relative : `${relative}#${anchor}`;
  }
}
