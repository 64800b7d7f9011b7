/** A page of the site as docs/README.md lists it. */
export interface ListedPage {
  /** Path below `docs/`, such as `caller.md`. */
  readonly file: string;
  /** Its name in the sidebar: the text of the link. */
  readonly name: string;
}

/** A heading of docs/README.md with the pages below it, in the order in which a person needs them. */
export interface Section {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

/**
 * The order of the site is the order of docs/README.md, so that a repository page and the site show the same.
 * Only lines that begin with `- [` list a page; links within sentences do not count.
 */
export function readContents(readme: string): Section[] {
  const sections: { title: string; pages: ListedPage[] }[] = [];
  for (const line of readme.split('\n')) {
    const heading = /^## (.+)$/.exec(line);
    if (heading) sections.push({ title: heading[1]!, pages: [] });
    const page = /^- \[([^\]]+)\]\(([^)#:]+\.md)\)/.exec(line);
    if (page) sections.at(-1)?.pages.push({ name: page[1]!, file: page[2]! });
  }
  return sections.filter(({ pages }) => pages.length > 0);
}
