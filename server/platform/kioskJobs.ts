import { accessSync, constants } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { catalogue, type ErrorCode, FaceplateError } from '../contract/errors.ts';

/**
 * Work that is done as the kiosk's user when the service may not become that user: with the Debian package, systemd
 * listens on this socket and starts build/linux/systemd/faceplate-kiosk@.service for each connection. One line of JSON
 * in, one line out.
 */
const KIOSK_SOCKET = '/run/faceplate-kiosk.sock';

/** What the service may ask for. It cannot pass a free command: the starter makes every command line itself. */
export type KioskJob =
  /** Becomes the browser; after the answer the connection is its debugging pipe. */
  | ({ readonly job: 'browser' } & BrowserRequest)
  /** Ends what a job started, and all its descendants. Answers when they are gone. */
  | { readonly job: 'end'; readonly pid: number }
  /** Reports the memory of what a job started, for a kernel that does not count it by control groups. */
  | { readonly job: 'memory'; readonly pid: number }
  /**
   * Starts a program by its name in the list. The connection closes when the program has ended; closing it ends the
   * program.
   */
  | { readonly job: 'launch'; readonly packageName: string }
  /** Writes an AppImage or a bundle into the home. Its bytes follow the answer, and a second answer follows them. */
  | { readonly job: 'write'; readonly path: string; readonly size: number }
  /** Writes the desktop entry of an AppImage that was written before. */
  | { readonly job: 'entry'; readonly name: string }
  | { readonly job: 'remove'; readonly path: string }
  /** Removes the browser's profile: everything that pages ever stored. No browser runs. */
  | { readonly job: 'forget' }
  /** Installs the bundle that was written to the home before. */
  | { readonly job: 'flatpak-install' }
  | { readonly job: 'flatpak-uninstall'; readonly id: string }
  /**
   * Decodes a sound, whose bytes follow the line. Answers when the first samples come; they follow the answer. Closing
   * the connection ends the decoder.
   */
  | { readonly job: 'decode'; readonly kind: string; readonly size: number };

/** What the browser allows to single origins from its start on. */
export interface BrowserOrigins {
  /** They may ask for a login. */
  readonly loginOrigins: readonly string[];
  /** In frames of their pages other sites keep their cookies. */
  readonly cookieOrigins: readonly string[];
}

export interface BrowserRequest extends BrowserOrigins {
  readonly headless: boolean;
  /** Bare windows for a compositor that places them. */
  readonly apps: boolean;
  /** null for none. */
  readonly debugPort: number | null;
  readonly fakeMedia: boolean;
  readonly extras: BrowserExtras;
}

/** What the settings add to the browser at its start. */
export interface BrowserExtras {
  /** Added at the end of what the browser calls itself; empty: nothing. */
  readonly userAgent: string;
  readonly scrollbars: boolean;
  /** Its pages are there for a screen reader. */
  readonly screenReader: boolean;
  /** Further switches, as `whyRefusedArgument` takes them. */
  readonly browserArguments: readonly string[];
  /** Origins by http that count as secure. */
  readonly secureOrigins: readonly string[];
}

export const noBrowserExtras: BrowserExtras = {
  userAgent: '',
  scrollbars: false,
  screenReader: false,
  browserArguments: [],
  secureOrigins: [],
};

/** Why nothing was done (a code of the error catalogue and a sentence), or the result. */
export interface JobAnswer {
  readonly code?: string;
  readonly error?: string;
  /** There is no screen yet. */
  readonly noScreen?: boolean;
  /** The process of the browser. */
  readonly pid?: number;
  /** The control group of the browser with all its helpers. */
  readonly group?: string;
  readonly bytes?: number;
}

/** Longest line in both directions, in characters. */
export const MAX_JOB_LINE = 65_536;

/** The starter's socket if this machine has one that this process may use; undefined for root, who needs none. */
export function kioskStarter(path: string = KIOSK_SOCKET, uid = process.getuid?.()): string | undefined {
  if (uid === 0) return undefined;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return path;
  } catch {
    return undefined;
  }
}

interface AskOptions {
  /** Gives up while there is no answer yet. */
  readonly signal?: AbortSignal | undefined;
  /** Follows the line, also after the answer. */
  readonly body?: Readable | undefined;
}

/**
 * Asks the starter for a job. The connection stays open and paused; whatever follows the answer is still in it.
 * @throws Error when the starter gives no answer
 */
export async function askStarter(
  path: string,
  job: KioskJob,
  { signal, body }: AskOptions = {},
): Promise<{ answer: JobAnswer; socket: Socket }> {
  const socket = connect({ path, allowHalfOpen: true });
  const onAbort = () => socket.destroy();
  signal?.addEventListener('abort', onAbort);
  try {
    signal?.throwIfAborted();
    socket.write(`${JSON.stringify(job)}\n`);
    if (body) {
      socket.once('close', () => body.destroy());
      body.on('error', onAbort).pipe(socket, { end: false });
    }
    return { answer: await nextAnswer(socket), socket };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Asks for a job that has no result beyond its answer. */
export async function doJob(path: string, job: KioskJob): Promise<JobAnswer> {
  const { answer, socket } = await askStarter(path, job);
  socket.destroy();
  return answer;
}

/** The next line of the starter. @throws Error when none comes */
export async function nextAnswer(socket: Socket): Promise<JobAnswer> {
  return JSON.parse(await nextLine(socket)) as JobAnswer;
}

function nextLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (settle: () => void) => {
      socket.off('data', onData).off('error', onError).off('close', onClose).off('end', onClose);
      socket.pause();
      settle();
    };
    const onError = (error: Error) => end(() => reject(error));
    const onClose = () => end(() => reject(new Error('The starter of the kiosk gave no answer.')));
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const at = received.indexOf(10);
      if (at < 0 && received.length <= MAX_JOB_LINE) return;
      if (at < 0) return end(() => reject(new Error('The starter of the kiosk gave no answer.')));
      end(() => {
        if (at + 1 < received.length) socket.unshift(received.subarray(at + 1));
        resolve(received.toString('utf8', 0, at));
      });
    };
    socket.on('data', onData).on('error', onError).on('close', onClose).on('end', onClose);
    socket.resume();
  });
}

/** As `askStarter`, but for calls. @throws FaceplateError HARDWARE_ERROR when the starter gives no answer */
export async function askKiosk(...asked: Parameters<typeof askStarter>): ReturnType<typeof askStarter> {
  try {
    return await askStarter(...asked);
  } catch (cause) {
    throw new FaceplateError('HARDWARE_ERROR', 'The starter of the kiosk did not answer.', { cause });
  }
}

/** @throws FaceplateError as the starter says */
export function checkAnswer({ code, error }: JobAnswer): void {
  if (code === undefined) return;
  const known = Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'HARDWARE_ERROR';
  throw new FaceplateError(known, error);
}
