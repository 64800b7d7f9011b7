import MarkdownIt, { type Token } from 'markdown-it';

/** What a link of a page becomes on the site. */
type ResolveLink = (href: string) => string;

/** The text below one heading, for the search. */
export interface SearchText {
  /** The heading, and its anchor; of the text before the first heading the title of the page, and an empty anchor. */
  readonly heading: string;
  readonly anchor: string;
  /** 1 for the title of the page, 2 for its sections, and so on. */
  readonly level: number;
  readonly text: string;
}

interface ParsedPage {
  readonly title: string;
  /** Anchors of the headings, as repository pages make them. */
  readonly anchors: ReadonlySet<string>;
  readonly texts: readonly SearchText[];
  /** HTML in the page that is no comment, such as a `<name>` outside of code: a browser would swallow it. */
  readonly strayHtml: readonly string[];
  /** The page as HTML, to be called once. `resolve` is asked for each link and picture. */
  html(resolve: ResolveLink): string;
}

const markdown = createMarkdown();

/** Reads a page in Markdown (CommonMark with tables). */
export function parsePage(source: string): ParsedPage {
  const tokens = markdown.parse(source, {});
  const seen = new Map<string, number>();
  const texts: { heading: string; anchor: string; level: number; text: string }[] = [];
  const strayHtml: string[] = [];
  let title = '';
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[index + 1]!);
      const anchor = uniqueAnchor(heading, seen);
      token.attrSet('id', anchor);
      if (title === '') title = heading;
      const level = Number(token.tag.slice(1));
      texts.push({ heading, anchor: level === 1 ? '' : anchor, level, text: '' });
      continue;
    }
    for (const part of [token, ...(token.children ?? [])]) {
      if (isHtml(part) && !isComment(part.content)) strayHtml.push(part.content.trim());
    }
    const isHeading = tokens[index - 1]?.type === 'heading_open';
    if (!isHeading && (token.type === 'inline' || token.type === 'fence')) {
      const last = texts.at(-1);
      if (last) last.text += `${plainText(token)}\n`;
    }
  }
  return {
    title,
    anchors: new Set(seen.keys()),
    texts,
    strayHtml,
    html: (resolve) => {
      for (const token of tokens.flatMap(({ children }) => children ?? [])) resolveTarget(token, resolve);
      return markdown.renderer.render(tokens, markdown.options, {});
    },
  };
}

function createMarkdown() {
  // With `html`, comments are recognised as such; everything else is reported as stray.
  const made = new MarkdownIt({ html: true });
  const { rules } = made.renderer;
  rules.html_block = () => '';
  rules.html_inline = () => '';
  // Wide tables scroll by themselves, so that a page never does on a phone.
  rules.table_open = () => '<div class="table" tabindex="0">\n<table>\n';
  rules.table_close = () => '</table>\n</div>\n';
  return made;
}

function resolveTarget(token: Token, resolve: ResolveLink): void {
  const attribute = { link_open: 'href', image: 'src' }[token.type];
  const target = attribute === undefined ? null : token.attrGet(attribute);
  if (attribute !== undefined && target !== null) token.attrSet(attribute, resolve(String(target)));
}

function isHtml({ type }: Token): boolean {
  return type === 'html_block' || type === 'html_inline';
}

function isComment(html: string): boolean {
  return /^\s*<!--(?:(?!-->)[\s\S])*-->\s*$/.test(html);
}

function plainText(token: Token): string {
  const { children } = token;
  if (children === null) return token.content;
  return children
    .filter((child) => !isHtml(child))
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}

/** The anchor that repository pages give a heading: lower case, hyphens for blanks, no punctuation, numbered when used. */
function uniqueAnchor(heading: string, seen: Map<string, number>): string {
  const plain = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = seen.get(plain);
  seen.set(plain, (count ?? 0) + 1);
  if (count === undefined) return plain;
  const numbered = `${plain}-${count}`;
  seen.set(numbered, 1);
  return numbered;
}
