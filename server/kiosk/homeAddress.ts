/** Settings that form the address. */
export const homeSettings: readonly string[] = ['kiosk.url', 'kiosk.parameters', 'projects.parameters'];

interface HomeOptions {
  /** `kiosk.url`; empty: the project is shown. */
  readonly url: string;
  /** Address of the project that is shown when `url` is empty. */
  readonly project: { readonly id: string; readonly origin: string };
  /** `kiosk.parameters`: added to whatever is shown. */
  readonly parameters: string;
  /** `projects.parameters`: by project id. */
  readonly projectParameters: Readonly<Record<string, string>>;
}

/**
 * The address that the panel shows at start and returns to. Query strings are added after the address's own: the
 * project's before the global one, so that a page that reads the first of two finds the more specific one.
 */
export function homeAddress({ url, project, parameters, projectParameters }: HomeOptions): string {
  if (url !== '') return withQuery(url, [parameters]);
  const own = Object.hasOwn(projectParameters, project.id) ? projectParameters[project.id] : undefined;
  return withQuery(`${project.origin}/`, [own ?? '', parameters]);
}

/** Does not encode the text again: it stays as it is. */
function withQuery(address: string, queries: readonly string[]): string {
  const url = new URL(address);
  const parts = [url.search.slice(1), ...queries].filter((part) => part !== '');
  if (parts.length > 0) url.search = parts.join('&');
  return url.href;
}
