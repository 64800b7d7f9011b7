import type { Settings } from '../config/settings.ts';
import type { ParamsOf, ResultOf } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import type { GraphicsFacts, HostKind } from '../contract/system.ts';
import type { Rotation } from '../parts/display/contract.ts';
import type { DisplayWindow } from '../parts/display/driver.ts';
import type { IdlePage } from '../parts/idle/idleView.ts';
import type { ProjectScreen } from '../parts/projects/shownProject.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Logger, LogLine } from '../platform/log.ts';
import { homeSettings, KioskAddresses } from './addresses.ts';
import type { PageState } from './contract.ts';
import type { BridgeSink, KioskHost, Layer, LiveWatch, LiveWatcher, OpenedPage, PageSize } from './host.ts';
import type { KeyboardWindow } from './keyboard/driver.ts';
import type { LiveWindow } from './live/service.ts';
import { GivenQueries, PageScheduler } from './pages/pageScheduler.ts';
import type { SettingsWindow } from './settingsPage/service.ts';

/** How long the home page may take to come, and how often that is looked at, in milliseconds. */
const HOME_MS = 10_000;
const HOME_LOOK_MS = 100;

interface KioskOptions {
  /** As they are now. */
  readonly settings: () => Settings;
  /** Of the HTTP server, for the pages of the panel. */
  readonly port: number;
  /** All ports that the panel answers calls on. */
  readonly ports?: () => readonly number[];
  readonly log: Logger;
  readonly clock?: Clock;
}

/** What the window needs from the rest of the service. */
interface Attached {
  readonly host: KioskHost;
  /** Takes the messages of the settings page. */
  readonly settingsSink: BridgeSink;
  /** Whether a project of this id is installed. */
  isProject(id: string): boolean;
}

/**
 * The kiosk as the rest of the service sees it: what it shows, and its window once a host is attached. Before that it
 * only remembers what to show: without a window no display can go dark and no caches can be cleared.
 */
export class Kiosk
  implements DisplayWindow, IdlePage, ProjectScreen, SettingsWindow, LiveWindow, KeyboardWindow
{
  readonly addresses: KioskAddresses;
  /** Which page is shown. */
  readonly pages: PageScheduler;
  /** The settings that only the owner may see. */
  readonly given: GivenQueries;
  readonly #options: KioskOptions;
  #attached: Attached | undefined;
  #onProject = (): void => {};
  #onTurn = (): void => {};
  #onSettings = (_isOpen: boolean): void => {};
  /** The settings page that is open. */
  #settings: symbol | undefined;
  /** What the host gets once there is one. */
  #zoom = 1;
  #rotation: { rotation: Rotation; isTurned: boolean } = { rotation: 0, isTurned: false };

  constructor(options: KioskOptions) {
    this.#options = options;
    this.addresses = new KioskAddresses(options.settings, options.port, options.ports);
    this.given = new GivenQueries(options.settings);
    const { settings, log, clock = systemClock } = options;
    const { addresses, given } = this;
    this.pages = new PageScheduler({ settings, addresses, given, clock, log });
  }

  /** Opens the window on what the panel shows by itself. @throws what the host throws */
  async openWindow(attached: Attached, bridge: BridgeSink): Promise<void> {
    this.#attached = attached;
    const { host, isProject } = attached;
    const { rotation, isTurned } = this.#rotation;
    const late = (error: unknown) =>
      this.#options.log.debug({ err: error }, 'kiosk: could not apply the view to the window');
    if (this.#zoom !== 1) host.zoom(this.#zoom).catch(late);
    if (rotation !== 0) host.turn(rotation, isTurned).catch(late);
    await host.start(bridge, this.pages.begin({ host, isProject }));
  }

  /** Calls `act` when a project comes on the screen, and at once when one is there. One listener. */
  onProject(act: () => void): void {
    this.#onProject = act;
    if (this.addresses.isProject) act();
  }

  /** Calls `act` when the screen has been turned: everything on it has another place. One listener. */
  onTurn(act: () => void): void {
    this.#onTurn = act;
  }

  get hostKind(): HostKind {
    return this.#host?.kind ?? 'none';
  }

  recoveries(): ReturnType<KioskHost['recoveries']> {
    return { ...this.#host?.recoveries() };
  }

  /** Memory of the browser with all its helpers, in bytes; 0 while there is none. */
  async browserMemory(): Promise<number> {
    return (await this.#host?.memory?.()) ?? 0;
  }

  /** Why no page is shown, in one sentence; undefined when no lasting problem prevents it. */
  whyNotShown(): string | undefined {
    return this.#host?.whyNotShown?.();
  }

  /** Whether a person can see the window and touch it. */
  hasScreen(): boolean {
    return this.hostKind !== 'none' && (this.#host?.hasScreen?.() ?? true);
  }

  /** How the browser really draws; null while that is not known. */
  graphics(): GraphicsFacts | null {
    return this.#host?.graphics?.() ?? null;
  }

  /** False once only a restart of the service can bring the page back. */
  isWell(): boolean {
    return this.#host?.isWell?.() ?? true;
  }

  async sleep(onTouch: () => void): Promise<void> {
    await this.#host?.sleep(onTouch);
  }

  async wake(): Promise<void> {
    await this.#host?.wake();
  }

  async zoom(factor: number): Promise<void> {
    await this.#host?.zoom(factor);
    this.#zoom = factor;
  }

  async turn(rotation: Rotation, isTurned: boolean): Promise<boolean> {
    const isDone = (await this.#host?.turn(rotation, isTurned)) ?? true;
    if (isDone) {
      this.#rotation = { rotation, isTurned };
      this.#onTurn();
    }
    return isDone;
  }

  async goHome(): Promise<void> {
    if (this.hostKind === 'none') return;
    await this.pages.goHome();
    // What the page before stores on its way out is there by then.
    const { clock = systemClock } = this.#options;
    for (let waited = 0; waited < HOME_MS && this.pageSnapshot()?.state === 'loading'; waited += HOME_LOOK_MS)
      await new Promise<void>((resolve) => clock.after(HOME_LOOK_MS, resolve));
  }

  shownOrigins(): readonly string[] {
    return this.pages.takeOriginsShown();
  }

  async clear(origin: string): Promise<void> {
    await this.#host?.clearStorage(origin);
  }

  async show(active: string | null): Promise<void> {
    this.addresses.choose(active);
    if (this.#options.settings()['kiosk.url'] === '') await this.pages.renew();
    if (this.addresses.isProject) this.#onProject();
  }

  async clearCaches(id: string): Promise<void> {
    if (this.#attached?.isProject(id) === false) this.pages.projectGone(id);
    await this.#mustHost().clearCaches(this.addresses.originOf(id));
  }

  /** Calls `act` when the settings page comes over the kiosk page, and when it has gone. One listener. */
  onSettings(act: (isOpen: boolean) => void): void {
    this.#onSettings = act;
  }

  /** Whether the settings page is over the kiosk page. */
  get isSettingsOpen(): boolean {
    return this.#settings !== undefined;
  }

  /** Opens the settings page over the kiosk page. */
  async open(onGone: () => void): Promise<OpenedPage> {
    const host = this.#mustHost();
    const url = `${this.addresses.originOf('settings')}/`;
    const sink = this.#attached!.settingsSink;
    const opened = Symbol();
    this.#settings = opened;
    this.#onSettings(true);
    const ended = () => {
      // Another one may be open by now.
      if (this.#settings !== opened) return;
      this.#settings = undefined;
      this.#onSettings(false);
    };
    try {
      const { close } = await host.openBuiltIn({
        name: 'settings',
        url,
        visible: true,
        media: false,
        sink,
        onGone: () => {
          ended();
          onGone();
        },
      });
      return { close: () => close().finally(ended) };
    } catch (error) {
      ended();
      throw error;
    }
  }

  async openKeys(sink: BridgeSink, onReady: () => void): Promise<Layer> {
    const url = `${this.addresses.originOf('keys')}/`;
    return this.#mustHost().openLayer({ name: 'keys', url, sink, onReady });
  }

  async pressKey(key: string): Promise<void> {
    await this.#host?.pressKey(key);
  }

  async makeRoom(height: number): Promise<void> {
    await this.#host?.makeRoom(height);
  }

  screenSize(): PageSize {
    return this.#mustHost().screenSize();
  }

  /** Puts the kiosk above a window that was left behind. */
  bringToFront(): void {
    this.#host
      ?.bringToFront()
      .catch((error: unknown) => this.#warn(error, 'kiosk: could not bring the window to the front'));
  }

  /** Applies these changed settings to what is shown. */
  follow(changed: readonly string[]): void {
    const hasChanged = (keys: readonly string[]) => keys.some((key) => changed.includes(key));
    const act = hasChanged(homeSettings)
      ? this.pages.renew()
      : hasChanged(['kiosk.logins', 'kiosk.thirdPartyCookies'])
        ? this.#host?.navigate(this.addresses.current)
        : hasChanged(['bridge.origins', 'kiosk.inject']) && this.#host?.reload();
    if (changed.includes('kiosk.pages')) this.pages.pagesChanged();
    if (act)
      act.catch((error: unknown) => this.#warn(error, 'kiosk: could not apply the new settings to the page'));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async reload(): Promise<ResultOf<'kiosk.reload'>> {
    await this.#use((host) => host.reload());
    return { status: 'reloading' };
  }

  /** PNG of what the panel shows. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async screenshot(): Promise<ResultOf<'kiosk.screenshot'>> {
    return this.#use((host) => host.screenshot());
  }

  /** JPEG of the same. @throws as `screenshot` */
  async picture(): Promise<Uint8Array> {
    return this.#use((host) => host.screenshot('jpeg'));
  }

  /** What the page does. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async pageState(isOwner: boolean): Promise<ResultOf<'page.state'>> {
    return this.#use(async (host) => this.pages.stateOf(host.pageState(), isOwner));
  }

  /** @throws FaceplateError NOT_FOUND, PROJECT_NOT_FOUND, FORBIDDEN, UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async showPage(params: ParamsOf<'page.show'>, isOwner: boolean): Promise<ResultOf<'page.show'>> {
    return this.#use(async () => this.pages.show(params, isOwner));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async home(isOwner: boolean): Promise<ResultOf<'page.home'>> {
    return this.#use(async () => this.pages.home(isOwner));
  }

  /** As `pageState`, for the first event of a listener; undefined without a window. */
  pageSnapshot(isOwner = false): PageState | undefined {
    const state = this.hostKind === 'none' ? undefined : this.#host?.pageState();
    return state && this.pages.stateOf(state, isOwner);
  }

  /** What the page writes to its console. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR, CONFLICT */
  async pageConsole(): Promise<ResultOf<'console.read'>> {
    return this.#use(async (host) => host.pageConsole());
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  watch(watcher: LiveWatcher): LiveWatch {
    if (this.#host === undefined) throw notRunning();
    return this.#host.watch(watcher);
  }

  /** @throws FaceplateError as KioskHost.evaluate */
  async evaluate({ expression }: ParamsOf<'page.evaluate'>): Promise<ResultOf<'page.evaluate'>> {
    return { value: JSON.parse(await this.#use((host) => host.evaluate(expression))) };
  }

  get #host(): KioskHost | undefined {
    return this.#attached?.host;
  }

  #mustHost(): KioskHost {
    const host = this.#host;
    if (host === undefined) throw new Error('The kiosk is not open yet.');
    return host;
  }

  async #use<T>(work: (host: KioskHost) => Promise<T>): Promise<T> {
    const host = this.#host;
    if (host === undefined) throw notRunning();
    try {
      return await work(host);
    } catch (error) {
      if (error instanceof FaceplateError) throw error;
      this.#warn(error, 'kiosk: a command of the window failed');
      throw new FaceplateError('HARDWARE_ERROR', 'The kiosk browser failed to do it. Try again soon.', {
        cause: error,
      });
    }
  }

  #warn(error: unknown, what: LogLine): void {
    this.#options.log.warn({ err: error }, what);
  }
}

function notRunning(): FaceplateError {
  return new FaceplateError('HARDWARE_ERROR', 'The kiosk browser is not running yet. Try again soon.');
}
