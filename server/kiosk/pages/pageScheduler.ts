import type { Settings } from '../../config/settings.ts';
import type { ParamsOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { withHiddenQuery } from '../../platform/redaction.ts';
import type { KioskAddresses } from '../addresses.ts';
import type { PageState } from '../contract.ts';
import type { KioskHost } from '../host.ts';
import { shownAddress } from '../recovery/pageWatch.ts';
import { PageRotation, type Turn, turnsOf } from './pageRotation.ts';

/** How long a page waits before it is gone to, so that the caller has its answer: also when the page itself asked. */
const ANSWER_MS = 50;
/** Shortest time between two navigations that callers ask for, in milliseconds: of a flood the last one counts. */
const APART_MS = 250;

interface PageSchedulerOptions {
  readonly settings: () => Settings;
  readonly addresses: KioskAddresses;
  readonly given: GivenQueries;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What shows the pages. */
interface Screen {
  readonly host: KioskHost;
  /** Whether a project of this id is installed. */
  isProject(id: string): boolean;
}

/** Which page the kiosk shows: its home page, the rotation of `kiosk.pages`, or what a caller asked for. */
export class PageScheduler {
  readonly #options: PageSchedulerOptions;
  readonly #rotation: PageRotation;
  #screen: Screen | undefined;
  #isOpen = false;
  /** Cancels the navigation that is about to begin. */
  #cancel: (() => void) | undefined;
  #wentAt = Number.NEGATIVE_INFINITY;
  /** Where the home page stood when it came: it may have sent the panel on, and a person may have left that place. */
  #landing: string | undefined;
  /** Origins that were shown since they were last asked for. */
  readonly #origins = new Set<string>();

  constructor(options: PageSchedulerOptions) {
    this.#options = options;
    this.#rotation = new PageRotation({
      clock: options.clock,
      turns: () => this.#turns(),
      onWanted: () => this.#follow(),
    });
  }

  /** Begins with what the panel shows by itself. @returns its address, for the start of the host */
  begin(screen: Screen): string {
    this.#screen = screen;
    this.#rotation.rest();
    this.#take();
    this.#isOpen = true;
    return this.#options.addresses.current;
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#rotation.stop();
  }

  /** @throws FaceplateError NOT_FOUND, PROJECT_NOT_FOUND, FORBIDDEN, UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  show({ url, page, project, seconds }: ParamsOf<'page.show'>, isOwner = false): PageState {
    const { host } = this.#mustScreen();
    // Without a window nothing is shown.
    host.pageState();
    const address = url ?? this.#addressOf(page, project);
    if (this.#options.addresses.isPanelsOwn(address))
      throw new FaceplateError('FORBIDDEN', "The panel's own pages are not shown as a page.", {
        field: 'url',
      });
    this.#rotation.show(address, seconds);
    return this.stateOf(host.pageState(), isOwner);
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  home(isOwner = false): PageState {
    const { host } = this.#mustScreen();
    const state = host.pageState();
    if (!this.#isAtHome(state)) this.#rotation.home();
    return this.stateOf(host.pageState(), isOwner);
  }

  /**
   * The panel is idle again: shows what it shows by itself. At home nothing changes, and a rotation continues.
   * Resolves when the page that was there is left.
   */
  async goHome(): Promise<void> {
    if (this.#rotation.isRotating || this.#isAtHome(this.#mustScreen().host.pageState())) return;
    await this.renew();
  }

  /** A project, an address or parameters changed: shows at once what the panel shows by itself. */
  async renew(): Promise<void> {
    if (!this.#isOpen) return;
    this.#rotation.rest();
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#go();
  }

  /** `kiosk.pages` changed: what a caller asked for stays. */
  pagesChanged(): void {
    if (this.#isOpen && (this.#rotation.isHome || this.#rotation.isRotating)) this.#rotation.rest();
  }

  /** A project is gone: it is not shown any longer. */
  projectGone(id: string): void {
    const { addresses } = this.#options;
    const { url } = this.#rotation;
    if (url !== null && new URL(url).origin === addresses.originOf(id)) this.#rotation.rest();
  }

  /** A person uses the panel. */
  touched(): void {
    this.#rotation.touched();
  }

  /** What the page does, with what the panel means to show; to the owner with all of its address. */
  stateOf(state: PageState, isOwner = false): PageState {
    const { addresses, given } = this.#options;
    const shown = (url: string): string => (isOwner ? url : given.shown(url));
    if (state.state !== 'loading') this.#landing ??= state.url;
    const wanted = this.#rotation.url ?? addresses.home;
    const facts = { home: wanted === addresses.home, until: this.#rotation.until };
    if (this.#cancel === undefined) return { ...state, url: shown(state.url), ...facts };
    const since = new Date().toISOString();
    return { url: shown(shownAddress(wanted)), title: '', state: 'loading', since, errors: 0, ...facts };
  }

  /** The origins of pages that were shown since the last call, without the home page's own. */
  takeOriginsShown(): string[] {
    const home = new URL(this.#options.addresses.home).origin;
    const found = [...this.#origins].filter((origin) => origin !== home);
    this.#origins.clear();
    return found;
  }

  #addressOf(page: string | undefined, project: string | undefined): string {
    const { addresses, settings } = this.#options;
    if (project !== undefined) {
      if (!this.#mustScreen().isProject(project)) throw new FaceplateError('PROJECT_NOT_FOUND');
      return addresses.ofProject(project);
    }
    const named = settings()['kiosk.pages'].find(({ name }) => name === page);
    if (named === undefined)
      throw new FaceplateError('NOT_FOUND', 'kiosk.pages has no page of this name.', { field: 'page' });
    return named.url;
  }

  #turns(): Turn[] {
    const { settings, addresses } = this.#options;
    return turnsOf(settings()['kiosk.pages'], addresses.home).filter(
      ({ url }) => url === null || !addresses.isPanelsOwn(url),
    );
  }

  #isAtHome(state: PageState): boolean {
    if (!this.#rotation.isHome) return false;
    return this.#cancel !== undefined || this.#landing === undefined || state.url === this.#landing;
  }

  /** Shows what is wanted by then. */
  #follow(): void {
    if (!this.#isOpen || this.#cancel !== undefined) return;
    const { clock } = this.#options;
    const wait = Math.max(ANSWER_MS, this.#wentAt + APART_MS - clock.now());
    this.#cancel = clock.after(wait, () => {
      this.#cancel = undefined;
      this.#go().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'kiosk: could not show the page'),
      );
    });
  }

  async #go(): Promise<void> {
    this.#take();
    this.#wentAt = this.#options.clock.now();
    await this.#screen?.host.navigate(this.#options.addresses.current);
  }

  #take(): void {
    const { addresses } = this.#options;
    const { url } = this.#rotation;
    addresses.show(url);
    this.#landing = undefined;
    if (url !== null) this.#origins.add(new URL(url).origin);
  }

  #mustScreen(): Screen {
    if (!this.#isOpen || this.#screen === undefined)
      throw new FaceplateError('HARDWARE_ERROR', 'The kiosk browser is not running yet. Try again soon.');
    return this.#screen;
  }
}

/** How many parts are remembered. */
const LIMIT = 2_000;
/** An address in a text, and the line and column that may follow it. */
const ADDRESS = /(https?:\/\/[^\s"'<>()]+?)((?::\d+){0,2})(?=[\s"'<>()]|$)/g;

type Given = Pick<
  Settings,
  'kiosk.url' | 'kiosk.pages' | 'kiosk.parameters' | 'projects.parameters' | 'idle.saver'
>;

/**
 * What settings put into the queries and fragments of addresses: often a key, which only the owner reads. Others see such
 * an address as they see the setting: `https://hub.lan/?…`. A page that navigates by itself is reported as it is.
 */
export class GivenQueries {
  readonly #settings: () => Given;
  /** Each `key=value` of a query, and each fragment, also of settings of before: their page may still be there. */
  readonly #parts = new Set<string>();
  #of: Given | undefined;

  constructor(settings: () => Given) {
    this.#settings = settings;
  }

  /** An address for everybody to read. */
  shown(address: string): string {
    this.#follow();
    return partsOf(address).some((part) => this.#parts.has(part)) ? withHiddenQuery(address) : address;
  }

  /** A text with the addresses in it for everybody to read. */
  shownIn(text: string): string {
    return text.includes('://')
      ? text.replace(ADDRESS, (_whole, address: string, place: string) => `${this.shown(address)}${place}`)
      : text;
  }

  #follow(): void {
    const settings = this.#settings();
    if (settings === this.#of) return;
    this.#of = settings;
    const addresses = [
      settings['kiosk.url'],
      settings['idle.saver'],
      ...settings['kiosk.pages'].map(({ url }) => url),
      ...[settings['kiosk.parameters'], ...Object.values(settings['projects.parameters'])].map(
        (query) => `http://project.localhost/?${query}`,
      ),
    ];
    for (const part of addresses.flatMap(partsOf)) {
      this.#parts.delete(part);
      this.#parts.add(part);
    }
    for (const part of this.#parts) {
      if (this.#parts.size <= LIMIT) break;
      this.#parts.delete(part);
    }
  }
}

/** The parts of an address that may be a key, as everybody writes them. */
function partsOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { search, hash } = new URL(shownAddress(address));
  return [...search.slice(1).split('&'), hash].filter((part) => part.length > 1);
}
