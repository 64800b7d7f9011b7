import { withTimeout } from '../../../platform/async.ts';
import type { BrowserRequest } from '../../../platform/kioskJobs.ts';
import type { Logger } from '../../../platform/log.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import type { BrowserRun } from './browserRun.ts';
import { CdpPipe } from './cdpPipe.ts';
import type { CdpEvent, CdpSend } from './cdpProtocol.ts';
import { type OwnBrowserOptions, startBrowserByStarter, startOwnBrowser } from './startBrowser.ts';

export interface BrowserProcessOptions extends OwnBrowserOptions {
  readonly log: Logger;
  readonly limits: BrowserLimits;
  /** Who starts the browser when we may not become its user: the starter's socket, and what we send there. */
  readonly starter: { readonly path: string; readonly wish: BrowserRequest } | undefined;
  /** The program, where it runs already. */
  readonly early?: BrowserRun | undefined;
  readonly onEvent: (event: CdpEvent) => void;
}

/** How long a browser may take to end, in milliseconds: first after a request, then after a signal. */
const CLOSE_MS = 1_500;
const TERMINATE_MS = 1_000;

/** One run of the browser, with its debugging pipe. */
export class BrowserProcess {
  readonly #options: BrowserProcessOptions;
  readonly #stopping = new AbortController();
  #run: BrowserRun | undefined;
  #pipe: CdpPipe | undefined;
  /** Resolves when the browser and all its helpers have ended, for whatever reason. */
  exited: Promise<void> = Promise.resolve();

  constructor(options: BrowserProcessOptions) {
    this.#options = options;
  }

  /** Starts the program. @throws CannotRunError, NoScreenError, Error with one sentence when it cannot be run. */
  async start(): Promise<void> {
    const { starter, early, ...options } = this.#options;
    const { signal } = this.#stopping;
    const run =
      early ??
      (starter === undefined
        ? await startOwnBrowser(options, () => !signal.aborted)
        : await startBrowserByStarter({ ...options, starter: starter.path, wish: starter.wish, signal }));
    this.#run = run;
    const pipe = new CdpPipe(run.commands, run.messages, this.#options.onEvent, (error) => {
      options.log.error({ err: error }, 'browser: could not read its messages, killing it');
      this.kill();
    });
    this.#pipe = pipe;
    pipe.open();
    run.messages.resume();
    this.exited = run.exited;
  }

  /** Sends a command over the pipe. */
  readonly send: CdpSend = (method, params, sessionId) => {
    if (this.#pipe === undefined) return Promise.reject(new Error('The browser is not started.'));
    return this.#pipe.send(method, params, sessionId);
  };

  /** Memory of the browser and all its helpers, in bytes. */
  async memory(): Promise<number> {
    return (await this.#run?.memory()) ?? 0;
  }

  /** The last output of the browser on standard error. */
  get lastWords(): string {
    return this.#run?.lastWords() ?? '';
  }

  /** Whether the browser reported that it finds no screen. */
  get lacksScreen(): boolean {
    return this.#run?.lacksScreen() ?? false;
  }

  /** Ends the browser and all its helpers: first by request, then by force; within about 3.5 s. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#run === undefined) return;
    this.send('Browser.close', {}).catch(() => {});
    if (await this.#exitsWithin(CLOSE_MS)) return;
    this.#run.terminate();
    if (await this.#exitsWithin(TERMINATE_MS)) return;
    this.kill();
    await this.exited;
  }

  /** Kills it at once; `exited` follows. */
  kill(): void {
    this.#run?.kill();
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const exited = this.exited.then(() => true);
    return (await withTimeout(this.#options.clock, ms, exited)) === true;
  }
}
