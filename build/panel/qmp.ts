import { connect, type Socket } from 'node:net';
import { PanelError } from './arguments.ts';

/** What QEMU says by itself. */
export interface QmpEvent {
  readonly event: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Reply {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long QEMU may take for an answer, in milliseconds: on a busy machine a picture takes a while. */
const ANSWER_MS = 60_000;

/** A connection to QEMU's own protocol (QEMU Machine Protocol): one JSON object a line, answers in order. */
export class Qmp {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.#take(line);
    });
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    void this.closed.then(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(new PanelError('The panel is gone.'));
    });
  }

  /**
   * @param path QEMU's socket
   * @param limit how long QEMU may take to answer for the first time, in milliseconds
   * @throws PanelError where no QEMU listens there
   */
  static async open(path: string, limit = ANSWER_MS): Promise<Qmp> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', () => reject(new PanelError(`No virtual panel runs at ${path}.`)));
    });
    const qmp = new Qmp(socket);
    try {
      await qmp.ask('qmp_capabilities', {}, limit);
    } catch (error) {
      qmp.close();
      throw error;
    }
    return qmp;
  }

  /** Sends a command and returns its answer. @throws PanelError with QEMU's words where it refuses */
  async ask(
    execute: string,
    parameters: Readonly<Record<string, unknown>> = {},
    limit = ANSWER_MS,
  ): Promise<unknown> {
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#socket.write(`${JSON.stringify({ execute, arguments: parameters })}\n`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new PanelError(`QEMU does not answer ${execute}.`)), limit);
    });
    try {
      return await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns stops listening */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(line: string): void {
    const message = JSON.parse(line) as Partial<QmpEvent> & Reply & { readonly QMP?: object };
    if (message.QMP !== undefined) return;
    if (message.event !== undefined) {
      for (const listener of this.#listeners) listener(message as QmpEvent);
      return;
    }
    const waiting = this.#waiting.shift();
    if (message.error === undefined) waiting?.resolve(message.return);
    else waiting?.reject(new PanelError(`QEMU refuses: ${message.error.desc}`));
  }
}
