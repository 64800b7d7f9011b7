import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import { isLoopback, ownAddresses, plainAddress } from '../platform/net/addresses.ts';
import { builtInPageHost, builtInPageNames } from './builtInPageContract.ts';
import type { HostPolicy } from './host.ts';
import type { Photo } from './saver/photo.ts';
import type { SaverService } from './saver/service.ts';

/** The bundled demo, shown when no project and no address is chosen. */
const demo = { id: 'demo', folder: join(import.meta.dirname, '../..', 'renderer-demo') };

/** Folders behind the origins of this panel: projects, the demo and built-in pages. */
interface PageFolders {
  folderOf(id: string): string | undefined;
  hasTypeScript(id: string): boolean;
  isOwn(id: string): boolean;
  pictureOf(id: string, path: string): Promise<Photo | undefined>;
  readonly manage: string;
}

/**
 * @param projects the installed projects; asked on every call
 * @param saver whose photos the page of the glass loads
 */
export function pageFolders(
  projects: Pick<ProjectsService, 'folderOf'>,
  saver: Pick<SaverService, 'photo'>,
): PageFolders {
  return {
    folderOf: (id) => builtInPageFolder(id) ?? (id === demo.id ? demo.folder : projects.folderOf(id)),
    hasTypeScript: (id) => id === demo.id || isBuiltInPage(id),
    isOwn: isBuiltInPage,
    pictureOf: async (id, path) => (id === 'glass' ? saver.photo(path) : undefined),
    manage: manageFolder,
  };
}

/** How long a page that was asked for may still arrive after another one was asked for, in milliseconds. */
const LATE_MS = 10_000;

/**
 * Says where the pages of this panel are, and which of them the kiosk shows and trusts: its home page, or another one
 * that is shown instead. Reads the current settings.
 */
export class KioskAddresses {
  readonly #settings: () => Settings;
  readonly #port: number;
  readonly #ports: () => readonly number[];
  #active: string = demo.id;
  /** The project that has joins. */
  #joined: string | null = null;
  /** The page that is shown instead of the home page. */
  #shown: URL | null = null;
  /** Where pages that were asked for before may still arrive. */
  #late: { readonly origins: readonly string[]; readonly since: number } | undefined;

  /**
   * @param port of the HTTP server, for pages
   * @param ports all that the panel answers calls on
   */
  constructor(settings: () => Settings, port: number, ports: () => readonly number[] = () => [port]) {
    this.#settings = settings;
    this.#port = port;
    this.#ports = ports;
  }

  /** @param id of the project that is shown; null for the demo */
  choose(id: string | null): void {
    this.#late = { origins: this.#origins(), since: performance.now() };
    this.#active = id ?? demo.id;
  }

  /** @param id of the project that has joins; null for none */
  giveJoins(id: string | null): void {
    this.#joined = id;
  }

  /** @param url of a page that is shown instead of the home page; null for the home page */
  show(url: string | null): void {
    this.#late = { origins: this.#origins(), since: performance.now() };
    this.#shown = url === null ? null : new URL(url);
  }

  /** What the kiosk shows, and returns to after a crash. */
  get current(): string {
    return this.#shown?.href ?? this.home;
  }

  /** Address of a project, with its parameters. */
  ofProject(id: string): string {
    return this.#homeAddress('', id);
  }

  /** Whether this is an address of the panel itself that is no project: a built-in page, the app, the API. */
  isPanelsOwn(url: string): boolean {
    const { hostname: host, port, protocol } = new URL(url);
    const name = host.replace(/^\[|\]$|\.$/g, '');
    if (name.endsWith('.localhost')) return isBuiltInPage(name.slice(0, -'.localhost'.length));
    const ports = [...this.#ports(), this.#settings()['https.port']].map(String);
    return (
      ports.includes(port || (protocol === 'https:' ? '443' : '80')) && isThisPanel(name, this.#settings())
    );
  }

  /** Whether an installed project is shown, and not the demo or another address. */
  get isProject(): boolean {
    return this.#active !== demo.id && this.#settings()['kiosk.url'] === '';
  }

  /** Origin of a project or of a built-in page. */
  originOf(id: string): string {
    return new URL(`http://${builtInPageHost(id)}.localhost:${this.#port}`).origin;
  }

  /** The project that is shown, or the demo. */
  get activeId(): string {
    return this.#active;
  }

  /** Origin of the project that is shown, or of the demo. */
  get activeOrigin(): string {
    return this.originOf(this.#active);
  }

  /** What the kiosk shows at start and comes back to. */
  get home(): string {
    return this.#homeAddress(this.#settings()['kiosk.url'], this.#active);
  }

  readonly policy: HostPolicy = {
    bridgeOrigins: () => [this.activeOrigin, ...this.#settings()['bridge.origins']],
    joinOrigins: () => (this.#joined === this.#active ? [this.activeOrigin] : []),
    mediaOrigins: () => [...new Set([...this.policy.bridgeOrigins(), ...this.#trustedHome()])],
    chosenOrigins: () => [
      ...this.policy.bridgeOrigins(),
      // The glass shows the page of the screen saver.
      this.originOf('glass'),
      ...[this.home, ...this.#settings()['kiosk.pages'].map(({ url }) => url)].map(
        (url) => new URL(url).origin,
      ),
    ],
    mayNavigate: (target) => this.#origins().includes(target.origin),
    mayArrive: (target) => {
      const late = this.#late;
      if (late !== undefined && performance.now() - late.since > LATE_MS) this.#late = undefined;
      return this.#late?.origins.includes(target.origin) ?? false;
    },
  };

  /** Where the top page may go: the home page to what the panel trusts, any other page nowhere but its own origin. */
  #origins(): string[] {
    if (this.#shown !== null) return [this.#shown.origin];
    return [...this.policy.bridgeOrigins(), new URL(this.home).origin];
  }

  /** The origin of `kiosk.url` where the page cannot be changed on its way. */
  #trustedHome(): string[] {
    const settings = this.#settings();
    if (settings['kiosk.url'] === '') return [];
    const { origin, protocol } = new URL(settings['kiosk.url']);
    return protocol === 'https:' || settings['kiosk.secureOrigins'].includes(origin) ? [origin] : [];
  }

  #homeAddress(url: string, id: string): string {
    const settings = this.#settings();
    return homeAddress({
      url,
      project: { id, origin: this.originOf(id) },
      parameters: settings['kiosk.parameters'],
      projectParameters: settings['projects.parameters'],
    });
  }
}

/** Whether a host name or address means this machine. */
function isThisPanel(name: string, settings: Settings): boolean {
  const own = hostname().toLowerCase();
  const [short = own] = own.split('.');
  if (['localhost', '0.0.0.0', '::', own, short, `${own}.local`, `${short}.local`].includes(name))
    return true;
  if (settings['http.allowedHosts'].some((host) => matchesHost(name, host.toLowerCase()))) return true;
  return (
    isLoopback(name) || ownAddresses().some(({ address }) => plainAddress(address) === plainAddress(name))
  );
}

function matchesHost(name: string, wanted: string): boolean {
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}

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

/** Name of the built-in page at a host name below `.localhost`. */
const builtInPageAt = (host: string) =>
  builtInPageNames.find((name) => name === host || builtInPageHost(name) === host);

/** Whether a host name below `.localhost` is that of a built-in page. */
const isBuiltInPage = (host: string): boolean => builtInPageAt(host) !== undefined;

/** Where the app is that the panel shows behind the PIN, and browsers at /manage/. */
const manageFolder = bundledFolder('manage');
/** By page. The others are in the sources, and their modules are sent without their types. */
const BUNDLED: Readonly<Record<string, string>> = {
  settings: manageFolder,
  glass: bundledFolder('glass'),
  keys: bundledFolder('keys'),
};

/** In the checkout it is made beside the sources, in a bundle it is beside the program. */
function bundledFolder(name: string): string {
  return [`../../${name}`, `../../dist/${name}`]
    .map((path) => join(import.meta.dirname, path))
    .find((path, at, all) => existsSync(path) || at === all.length - 1)!;
}

/** Where the files of a built-in page are. */
function builtInPageFolder(host: string): string | undefined {
  const name = builtInPageAt(host);
  if (name === undefined) return undefined;
  return BUNDLED[name] ?? join(import.meta.dirname, '../pages', name);
}
