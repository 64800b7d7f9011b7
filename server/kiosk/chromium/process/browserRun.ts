import type { Readable, Writable } from 'node:stream';

/** A running browser, started by us or by the starter. */
export interface BrowserRun {
  /** Both directions of its debugging pipe; they close when it ends. */
  readonly commands: Writable;
  readonly messages: Readable;
  /** Resolves when the browser and all its helpers have ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** The last output on standard error, as far as this process receives it. */
  lastWords(): string;
  /** Whether it reported that it finds no screen. */
  lacksScreen(): boolean;
  /** Memory of the browser and all its helpers, in bytes. */
  memory(): Promise<number>;
  /** Asks it to end, for a program that does not read its pipe. */
  terminate(): void;
  /** Kills it at once; `exited` follows. */
  kill(): void;
}

/** A browser that was started before its host. */
export interface BegunBrowser {
  start(): Promise<void>;
  /** Where its profile is. */
  readonly profileDir: string;
  /** @returns the running browser, once, and only if it was started as this program; else it is ended */
  take(program: object): Promise<BrowserRun | undefined>;
  /** Ends a browser that was not taken. */
  stop(): Promise<void>;
}

/** The program is missing or may not be run: another try cannot help. */
export class CannotRunError extends Error {}

/** Nothing draws the browser's window: no X server and no Wayland compositor answers. One may still come up. */
export class NoScreenError extends Error {
  /** @param env the browser's environment, which names its screen */
  constructor(env: NodeJS.ProcessEnv, options?: ErrorOptions) {
    const named = ['WAYLAND_DISPLAY', 'DISPLAY'].filter((name) => env[name]);
    super(
      named.length === 0
        ? 'There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set.'
        : `There is no screen at ${named.map((name) => `${name}=${env[name]}`).join(' or ')}.`,
      options,
    );
  }
}
