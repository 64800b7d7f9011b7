import { connect, type Socket } from 'node:net';
import { Backoff } from '../async.ts';
import { backgroundClock, type Clock } from '../clock.ts';
import { errnoError } from '../errno.ts';
import type { Logger } from '../log.ts';
import { readOutputs, readWindow, readWindows, type SwayOutput, type SwayWindow } from './tree.ts';

/** Message types: sway-ipc(7). Events have the highest bit set. */
const RUN_COMMAND = 0;
const SUBSCRIBE = 2;
const GET_OUTPUTS = 3;
const GET_TREE = 4;
const WINDOW_EVENT = 0x8000_0003;
const BINDING_EVENT = 0x8000_0005;
const OUTPUT_EVENT = 0x8000_0007;
const FIRST_EVENT = 0x8000_0000;

/** How long an answer may take, and how long a caller waits for the connection, in milliseconds. */
const ANSWER_MS = 3_000;
const READY_MS = 5_000;
/** Questions that wait for an answer. */
const MAX_WAITING = 100;
const AGAIN = { firstMs: 200, maxMs: 5_000, peaceMs: 10_000 };

/** What happens to windows and outputs. */
interface SwayListener {
  /** @param change `new`, `close`, `focus`, `title`, `fullscreen_mode`, … */
  onWindow?(change: string, window: SwayWindow): void;
  /** A key or button was pressed that a command of ours was bound to. */
  onBinding?(command: string): void;
  /** An output came, went, or changed. sway 1.7 does not tell. */
  onOutput?(): void;
  /** The connection is there, at first or again: everything may be different. */
  onUp?(): void;
}

interface Question {
  readonly type: number;
  readonly text: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface SwayIpcOptions {
  /** Path of the socket, as SWAYSOCK names it. */
  readonly path: string;
  readonly log: Logger;
  readonly clock?: Clock;
}

/**
 * The connection to sway, the compositor of an installed panel: sway-ipc(7). It is opened again for as long as the service
 * runs. Everything it sends is bounded in bytes and in time, because what windows say of themselves comes along.
 */
export class SwayIpc {
  readonly #options: SwayIpcOptions;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #listeners = new Set<SwayListener>();
  readonly #waiting: Question[] = [];
  #socket: Socket | undefined;
  #isUp = false;
  #hasStarted = false;
  #cancelAgain = () => {};
  #cancelLate = () => {};

  constructor(options: SwayIpcOptions) {
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#backoff = new Backoff(this.#clock, AGAIN);
  }

  /** Whether questions are answered now. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** @returns the function that ends it */
  listen(listener: SwayListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects, now and whenever the connection is lost. */
  async start(): Promise<void> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#connect();
  }

  /** Resolves when questions are answered. @throws system error ETIMEDOUT */
  async ready(): Promise<void> {
    if (this.#isUp) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const unlisten = this.listen({ onUp: resolve });
    const cancel = this.#clock.after(READY_MS, () =>
      reject(errnoError('ETIMEDOUT', 'The compositor of the screen cannot be reached.')),
    );
    try {
      await promise;
    } finally {
      cancel();
      unlisten();
    }
  }

  /** Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    this.#hasStarted = false;
    this.#cancelAgain();
    this.#socket?.destroy();
    this.#lose(new Error('The service stops.'));
  }

  /**
   * Runs commands of sway(5), as one: the screen shows all of them or none. Only numbers and words of ours may stand in it.
   * @throws system error ENOTCONN, ETIMEDOUT, EIO (refused)
   */
  async command(words: string): Promise<void> {
    const results = (await this.#ask(RUN_COMMAND, words)) as { success?: unknown; error?: unknown }[];
    const refused = Array.isArray(results) ? results.find(({ success }) => success !== true) : {};
    if (refused !== undefined) throw errnoError('EIO', `The compositor refuses: ${String(refused.error)}`);
    // sway 1.7 does not tell by itself.
    if (words.startsWith('output ')) this.#tell(OUTPUT_EVENT, null);
  }

  /** All windows: first the tiled ones, then the floating ones from below. @throws as `command` */
  async windows(): Promise<SwayWindow[]> {
    return readWindows(await this.#ask(GET_TREE, ''));
  }

  /** @throws as `command` */
  async outputs(): Promise<SwayOutput[]> {
    return readOutputs(await this.#ask(GET_OUTPUTS, ''));
  }

  #ask(type: number, text: string): Promise<unknown> {
    const socket = this.#socket;
    if (socket === undefined || this.#waiting.length >= MAX_WAITING)
      return Promise.reject(errnoError('ENOTCONN', 'The compositor of the screen cannot be reached.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ type, text, resolve, reject });
      if (this.#waiting.length === 1) this.#expectAnswer();
      socket.write(frame(type, text));
    });
  }

  #connect(): void {
    const socket = connect(this.#options.path);
    this.#socket = socket;
    const reader = new FrameReader();
    socket.on('connect', () => void this.#subscribe(socket));
    socket.on('data', (bytes) => {
      try {
        for (const each of reader.take(bytes)) this.#take(each);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    // It holds no process alive: the service does that itself.
    socket.unref();
    let why: Error | undefined;
    socket.on('error', (error) => {
      why = error;
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      if (this.#isUp) this.#options.log.warn({ err: why }, 'sway: connection lost');
      else this.#options.log.debug({ err: why }, 'sway: could not connect');
      this.#lose(errnoError('ENOTCONN', 'The connection to the compositor is lost.', why));
      if (this.#hasStarted)
        this.#cancelAgain = this.#clock.after(this.#backoff.next(), () => this.#connect());
    });
  }

  /** The older of the two versions knows no events of outputs, and then refuses the whole list. */
  async #subscribe(socket: Socket): Promise<void> {
    try {
      await this.#ask(SUBSCRIBE, '["window","binding"]');
      await this.#ask(SUBSCRIBE, '["output"]');
    } catch {
      return;
    }
    if (this.#socket !== socket) return;
    this.#isUp = true;
    for (const listener of this.#listeners) listener.onUp?.();
  }

  #take({ type, text }: Frame): void {
    const message: unknown = JSON.parse(text);
    if (type >= FIRST_EVENT) {
      this.#tell(type, message);
      return;
    }
    const [question] = this.#waiting;
    if (question?.type !== type) throw new Error('The compositor answers something else.');
    this.#waiting.shift();
    this.#cancelLate();
    if (this.#waiting.length > 0) this.#expectAnswer();
    question.resolve(message);
  }

  #tell(type: number, message: unknown): void {
    if (type === OUTPUT_EVENT) for (const listener of this.#listeners) listener.onOutput?.();
    if (type === BINDING_EVENT) {
      const { command } = (message as { binding?: { command?: unknown } }).binding ?? {};
      if (typeof command === 'string') for (const listener of this.#listeners) listener.onBinding?.(command);
    }
    if (type !== WINDOW_EVENT) return;
    const { change, container } = message as { change?: unknown; container?: unknown };
    const window = readWindow(container);
    if (window === undefined || typeof change !== 'string') return;
    for (const listener of this.#listeners) listener.onWindow?.(change, window);
  }

  /** Answers come in the order of the questions, so after a late one the connection is of no use. */
  #expectAnswer(): void {
    this.#cancelLate = this.#clock.after(ANSWER_MS, () =>
      this.#socket?.destroy(errnoError('ETIMEDOUT', 'The compositor does not answer.')),
    );
  }

  #lose(error: Error): void {
    this.#socket = undefined;
    this.#isUp = false;
    this.#cancelLate();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** The largest message that is taken, in bytes. The tree of a few windows has some thousand. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAGIC = Buffer.from('i3-ipc', 'latin1');
const HEADER_BYTES = MAGIC.length + 8;

/** A message of the protocol: magic, length and type in the byte order of the machine, then text. */
interface Frame {
  readonly type: number;
  readonly text: string;
}

/** A message as bytes: sway-ipc(7), "Messages and responses". */
export function frame(type: number, text: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  const payload = Buffer.from(text, 'utf8');
  header.writeUInt32LE(payload.length, MAGIC.length);
  header.writeUInt32LE(type, MAGIC.length + 4);
  return Buffer.concat([header, payload]);
}

/** Cuts a stream into messages. */
export class FrameReader {
  #parts: Buffer[] = [];
  #length = 0;

  /** @returns the messages that these bytes complete. @throws Error when the stream is not of this protocol */
  take(bytes: Buffer): Frame[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const frames: Frame[] = [];
    for (;;) {
      if (this.#length < HEADER_BYTES) return frames;
      const header = this.#joined();
      const size = header.readUInt32LE(MAGIC.length);
      if (!header.subarray(0, MAGIC.length).equals(MAGIC) || size > MAX_BYTES)
        throw new Error('The compositor sent something that is no message.');
      const end = HEADER_BYTES + size;
      if (this.#length < end) return frames;
      const all = this.#joined(end);
      frames.push({
        type: all.readUInt32LE(MAGIC.length + 4),
        text: all.toString('utf8', HEADER_BYTES, end),
      });
      this.#parts = [all.subarray(end)];
      this.#length = all.length - end;
    }
  }

  /** The bytes so far as one buffer; joined only as far as needed, so that a long message is not copied for each piece. */
  #joined(bytes: number = HEADER_BYTES): Buffer {
    const [first] = this.#parts;
    if (first !== undefined && first.length >= bytes) return first;
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}

/** The folder of the screen's session on an installed panel: build/linux/tmpfiles.conf. */
const FOLDER = '/run/faceplate-display';

/**
 * The control socket of the compositor where the screen is that of the Debian package, whose configuration is ours. The sway
 * of somebody's desk is left alone. No environment names the socket: the browser has the groups of its user, but not ours.
 */
export function controlSocket(env: NodeJS.ProcessEnv): string | undefined {
  return env.WAYLAND_DISPLAY === `${FOLDER}/wayland-1` ? `${FOLDER}/control/ipc.sock` : undefined;
}
