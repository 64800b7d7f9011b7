import type { Readable, Writable } from 'node:stream';
import type { CdpCommands, CdpEvent } from './cdpProtocol.ts';

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
 * DevTools protocol over `--remote-debugging-pipe`: the browser reads commands from its file descriptor 3 and writes
 * answers and events to 4, as JSON texts that each end with a NUL byte. No TCP port is involved.
 */
export class CdpPipe {
  readonly #commands: Writable;
  readonly #messages: Readable;
  readonly #onEvent: (event: CdpEvent) => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Bytes of a message whose end has not arrived. */
  #begun: Buffer[] = [];
  #lastId = 0;
  #closed = false;

  constructor(commands: Writable, messages: Readable, onEvent: (event: CdpEvent) => void) {
    this.#commands = commands;
    this.#messages = messages;
    this.#onEvent = onEvent;
  }

  /** Begins to read. */
  open(): void {
    this.#messages.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#messages.on('close', () => this.close());
    // A browser that dies breaks the pipe in mid-write; its exit is what counts and is told by the process.
    this.#commands.on('error', () => this.close());
    this.#messages.on('error', () => this.close());
  }

  /** Refuses what is still waiting and everything later. */
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
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#begun.push(chunk.subarray(start, end));
      start = end + 1;
      const json = Buffer.concat(this.#begun).toString('utf8');
      this.#begun = [];
      this.#take(JSON.parse(json) as CdpAnswer | CdpEvent);
    }
    if (start < chunk.length) this.#begun.push(chunk.subarray(start));
  }

  #take(message: CdpAnswer | CdpEvent): void {
    // What a dead browser had still said must not be taken for its successor's word.
    if (this.#closed) return;
    if (!('id' in message)) {
      this.#onEvent(message);
      // The browser forgets what it was asked about a target that went.
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
