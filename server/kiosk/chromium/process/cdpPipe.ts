import type { Readable, Writable } from 'node:stream';
import type { CdpCommands, CdpEvent, ConsoleCall, RemoteValue } from './cdpProtocol.ts';

/** A command that the browser refused, or that it can no longer answer. */
export class CdpError extends Error {
  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = 'CdpError';
  }
}

interface Waiting {
  method: string;
  sessionId: string | undefined;
  resolve(result: unknown): void;
  reject(error: CdpError): void;
}

interface CdpAnswer {
  id: number;
  result?: unknown;
  error?: { message: string };
}

/**
 * Longest message of the browser, in bytes (32 MiB): a screenshot of a 4K screen full of noise fits. A browser that
 * sends more without an end is broken or taken over; it must not fill our memory.
 */
export const LONGEST_MESSAGE = 32 * 1024 ** 2;

/**
 * DevTools protocol over `--remote-debugging-pipe`: the browser reads commands from its file descriptor 3 and writes
 * answers and events to descriptor 4, as JSON texts that each end with a NUL byte. No TCP port is involved.
 */
export class CdpPipe {
  readonly #commands: Writable;
  readonly #messages: Readable;
  readonly #onEvent: (event: CdpEvent) => void;
  readonly #onBroken: (error: Error) => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Bytes of an incomplete message. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #lastId = 0;
  #closed = false;

  /** @param onBroken the browser sent what no browser sends; nothing more is read from it */
  constructor(
    commands: Writable,
    messages: Readable,
    onEvent: (event: CdpEvent) => void,
    onBroken: (error: Error) => void,
  ) {
    this.#commands = commands;
    this.#messages = messages;
    this.#onEvent = onEvent;
    this.#onBroken = onBroken;
  }

  /** Begins to read. */
  open(): void {
    this.#messages.on('data', (chunk: Buffer) => {
      // Whatever the browser sends may end the browser, never the service.
      try {
        this.#read(chunk);
      } catch (error) {
        this.#break(error as Error);
      }
    });
    this.#messages.on('close', () => this.close());
    // A browser that dies breaks the pipe in mid-write. Its exit is what counts, and the process reports it.
    this.#commands.on('error', () => this.close());
    this.#messages.on('error', () => this.close());
  }

  /** Rejects everything that waits, and everything later. */
  close(): void {
    this.#closed = true;
    this.#refuse(() => true, 'the browser is gone');
  }

  /** Sends a command, to the browser or to one attached target. Rejects with CdpError. */
  send<M extends keyof CdpCommands>(
    method: M,
    params: CdpCommands[M]['params'],
    sessionId?: string,
  ): Promise<CdpCommands[M]['result']> {
    if (this.#closed) return Promise.reject(new CdpError(method, 'the browser is gone'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, sessionId, resolve, reject });
      this.#commands.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0 && !this.#closed; end = chunk.indexOf(0, start)) {
      this.#begin(chunk.subarray(start, end));
      start = end + 1;
      const [first, ...rest] = this.#begun as [Buffer, ...Buffer[]];
      const message = rest.length === 0 ? first : Buffer.concat(this.#begun);
      this.#begun = [];
      this.#begunBytes = 0;
      this.#take(consoleEvent(message) ?? (JSON.parse(message.toString('utf8')) as CdpAnswer | CdpEvent));
    }
    if (start < chunk.length && !this.#closed) this.#begin(chunk.subarray(start));
  }

  /** @throws Error when the message is longer than any message we can expect */
  #begin(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > LONGEST_MESSAGE)
      throw new Error(`A message of the browser is longer than ${LONGEST_MESSAGE / 1024 ** 2} MiB.`);
    this.#begun.push(part);
  }

  #break(error: Error): void {
    this.#begun = [];
    this.#messages.destroy();
    this.close();
    this.#onBroken(error);
  }

  #take(message: CdpAnswer | CdpEvent): void {
    // Late messages of a dead browser must not be taken for messages of the next one.
    if (this.#closed) return;
    if (!('id' in message)) {
      this.#onEvent(message);
      // The browser does not answer commands for a target that is gone.
      if (message.method === 'Target.detachedFromTarget') {
        const { sessionId } = message.params;
        this.#refuse((waiting) => waiting.sessionId === sessionId, 'the page is gone');
      }
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting.resolve(message.result);
    else waiting.reject(new CdpError(waiting.method, message.error.message));
  }

  #refuse(isIt: (waiting: Waiting) => boolean, why: string): void {
    for (const [id, waiting] of this.#waiting) {
      if (!isIt(waiting)) continue;
      this.#waiting.delete(id);
      waiting.reject(new CdpError(waiting.method, why));
    }
  }
}

/** How the message of a console line begins and ends (crdtp of Chromium 156 writes the fields in this order). */
const CONSOLE_HEAD = /^\{"method":"Runtime\.consoleAPICalled","params":\{"type":"(\w+)",/;
const CONSOLE_TAIL = /,"sessionId":"(\w+)"\}$/;
/** So many bytes of either end are enough for these. */
const END_BYTES = 80;

/**
 * The event of a console line, whose values are read only where somebody asks for them: most lines of a page that writes
 * without end are dropped unread, and 10,000 of them would hold up the service for a quarter of a second.
 * @returns undefined for any other message
 */
function consoleEvent(message: Buffer): CdpEvent | undefined {
  const type = CONSOLE_HEAD.exec(message.toString('latin1', 0, END_BYTES))?.[1];
  if (type === undefined) return undefined;
  const tail = message.toString('latin1', Math.max(0, message.length - END_BYTES));
  const sessionId = CONSOLE_TAIL.exec(tail)?.[1];
  if (sessionId === undefined) return undefined;
  return { method: 'Runtime.consoleAPICalled', params: new LateCall(type, message), sessionId };
}

class LateCall implements ConsoleCall {
  readonly type: string;
  readonly #message: Buffer;
  #read: ConsoleCall | undefined;

  constructor(type: string, message: Buffer) {
    this.type = type;
    this.#message = message;
  }

  get args(): RemoteValue[] {
    return this.#call.args;
  }

  get stackTrace(): ConsoleCall['stackTrace'] {
    return this.#call.stackTrace;
  }

  get #call(): ConsoleCall {
    this.#read ??= (JSON.parse(this.#message.toString('utf8')) as { params: ConsoleCall }).params;
    return this.#read;
  }
}
