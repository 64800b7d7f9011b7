import type { Settings } from '../config/settings.ts';
import type { ParamsOf, ResultOf } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import type { PageState } from '../contract/page.ts';
import type { HostKind } from '../contract/system.ts';
import type { Logger } from '../platform/log.ts';
import type { ProjectScreen } from '../services/projects/driver.ts';
import type { Display } from '../services/sleep/driver.ts';
import { KioskAddresses } from './addresses.ts';
import { homeSettings } from './homeAddress.ts';
import type { BridgeSink, KioskHost, LiveWatch, LiveWatcher, OpenedPage } from './host.ts';
import type { LiveWindow } from './live/driver.ts';
import type { SettingsWindow } from './settingsPage/driver.ts';

interface KioskOptions {
  /** As they are now. */
  readonly settings: () => Settings;
  /** Of the HTTP server. */
  readonly port: number;
  readonly log: Logger;
}

/** What the window needs from the rest of the service. */
interface Attached {
  readonly host: KioskHost;
  /** Takes the messages of the settings page. */
  readonly settingsSink: BridgeSink;
}

/**
 * The kiosk as the rest of the service sees it: what it shows, and its window once a host is attached. Before that it
 * only remembers what to show: without a window no display can go dark and no caches can be cleared.
 */
export class Kiosk implements Display, ProjectScreen, SettingsWindow, LiveWindow {
  readonly addresses: KioskAddresses;
  readonly #options: KioskOptions;
  #attached: Attached | undefined;
  #onProject = (): void => {};

  constructor(options: KioskOptions) {
    this.#options = options;
    this.addresses = new KioskAddresses(options.settings, options.port);
  }

  /** Gives the kiosk its window, which is not open yet. */
  attach(attached: Attached): void {
    this.#attached = attached;
  }

  /** Calls `act` when a project comes on the screen, and at once when one is there. One listener. */
  onProject(act: () => void): void {
    this.#onProject = act;
    if (this.addresses.isProject) act();
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

  async show(active: string | null): Promise<void> {
    this.addresses.choose(active);
    if (this.#options.settings()['kiosk.url'] === '') await this.#host?.navigate(this.addresses.home);
    if (this.addresses.isProject) this.#onProject();
  }

  async clearCaches(id: string): Promise<void> {
    await this.#mustHost().clearCaches(this.addresses.originOf(id));
  }

  /** Opens the settings page over the kiosk page. */
  async open(onGone: () => void): Promise<OpenedPage> {
    const host = this.#mustHost();
    const url = `${this.addresses.originOf('settings')}/`;
    const sink = this.#attached!.settingsSink;
    return host.openBuiltIn({ name: 'settings', url, visible: true, media: false, sink, onGone });
  }

  /** Puts the kiosk above a window that was left behind. */
  bringToFront(): void {
    this.#host
      ?.bringToFront()
      .catch((error: unknown) => this.#warn(error, 'the kiosk window could not come to the front'));
  }

  /** Applies these changed settings to what is shown. */
  follow(changed: readonly string[]): void {
    const act = changed.some((key) => homeSettings.includes(key))
      ? this.#host?.navigate(this.addresses.home)
      : changed.includes('bridge.origins') && this.#host?.reload();
    if (act) act.catch((error: unknown) => this.#warn(error, 'the kiosk page did not take the new settings'));
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

  /** What the page does. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async pageState(): Promise<ResultOf<'page.state'>> {
    return this.#use(async (host) => host.pageState());
  }

  /** As `pageState`, for the first event of a listener; undefined without a window. */
  pageSnapshot(): PageState | undefined {
    return this.hostKind === 'none' ? undefined : this.#host?.pageState();
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
      this.#warn(error, 'a command of the kiosk window failed');
      throw new FaceplateError('HARDWARE_ERROR', 'The kiosk browser failed to do it. Try again soon.', {
        cause: error,
      });
    }
  }

  #warn(error: unknown, what: string): void {
    this.#options.log.warn({ err: error }, what);
  }
}

function notRunning(): FaceplateError {
  return new FaceplateError('HARDWARE_ERROR', 'The kiosk browser is not running yet. Try again soon.');
}
