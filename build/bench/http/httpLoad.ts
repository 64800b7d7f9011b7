import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/** A server on 127.0.0.1. */
interface Target {
  readonly port: number;
  readonly token: string;
  /** Over TLS; the certificate is not checked. */
  readonly isSecure?: boolean;
}

/** The request that is repeated, and how often each target gets it. */
interface OpenLoop {
  readonly path: string;
  /** To each target; they stay open. */
  readonly connections: number;
  readonly perSecond: number;
  readonly ms: number;
}

const HEADER_END = '\r\n\r\n';

/**
 * Calls servers at fixed times, whether the answer before is there or not, as callers who know nothing of each other do.
 * A call counts from its planned time: one that had to wait for its connection has waited. The targets are called
 * alternately, so that a busy moment of the machine slows all of them.
 * @returns for each target the time to each answer in milliseconds, the shortest first
 * @throws on any answer but 200
 */
export async function latencies<K extends string>(
  targets: Readonly<Record<K, Target>>,
  { path, connections, perSecond, ms }: OpenLoop,
): Promise<Record<K, number[]>> {
  const names = Object.keys(targets) as K[];
  const open = async (name: K): Promise<readonly [K, Connection[]]> => {
    const { port, token } = targets[name];
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const all = Array.from({ length: connections }, () => Connection.open(targets[name], request));
    return [name, await Promise.all(all)];
  };
  const opened = await Promise.all(names.map(open));
  const lines = Array.from({ length: connections }, (_, at) =>
    opened.map(([, theirs]) => theirs[at]!),
  ).flat();
  try {
    const count = Math.round((perSecond * ms) / 1_000) * names.length;
    await atFixedTimes(count, 1_000 / (perSecond * names.length), (turn, plannedAt) =>
      lines[turn % lines.length]!.ask(plannedAt),
    );
    await Promise.all(lines.map((line) => line.idle()));
  } finally {
    for (const line of lines) line.close();
  }
  const sorted = opened.map(([name, theirs]) => [
    name,
    theirs.flatMap(({ times }) => times).sort((a, b) => a - b),
  ]);
  return Object.fromEntries(sorted) as Record<K, number[]>;
}

/**
 * Does not sleep in between: a timer of Node is up to a millisecond late, which is longer than an answer takes.
 * @param act gets the planned time, on the clock of `performance`
 */
function atFixedTimes(
  count: number,
  stepMs: number,
  act: (turn: number, plannedAt: number) => void,
): Promise<void> {
  const startsAt = performance.now();
  let turn = 0;
  return new Promise((resolve) => {
    const look = () => {
      while (turn < count && startsAt + turn * stepMs <= performance.now())
        act(turn, startsAt + turn++ * stepMs);
      if (turn < count) setImmediate(look);
      else resolve();
    };
    look();
  });
}

/** One connection with one request under way; a bare socket, because a full HTTP client costs more than the server. */
class Connection {
  /** From the planned time to the answer, in milliseconds. */
  readonly times: number[] = [];
  readonly #socket: Socket;
  readonly #request: string;
  /** Planned times of the request under way and of those that wait for it. */
  readonly #planned: number[] = [];
  #text = '';
  #failure: Error | undefined;
  #onIdle = (): void => {};

  private constructor(socket: Socket, request: string) {
    this.#socket = socket;
    this.#request = request;
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
    socket.on('data', (chunk) => this.#take(chunk.toString('latin1')));
  }

  static async open({ port, isSecure = false }: Target, request: string): Promise<Connection> {
    const socket = isSecure
      ? connectSecure({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return new Connection(socket, request);
  }

  ask(plannedAt: number): void {
    if (this.#planned.push(plannedAt) === 1) this.#socket.write(this.#request);
  }

  /** Resolves once all is answered. @throws on any answer but 200 */
  async idle(): Promise<void> {
    if (this.#planned.length > 0 && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const bodyAt = this.#text.indexOf(HEADER_END) + HEADER_END.length;
    if (bodyAt < HEADER_END.length) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1]);
    if (this.#text.length < bodyAt + length) return;
    if (!this.#text.startsWith('HTTP/1.1 200 ')) {
      this.#fail(new Error(`Not answered with 200: ${this.#text}`));
      return;
    }
    this.#text = '';
    this.times.push(performance.now() - this.#planned.shift()!);
    if (this.#planned.length > 0) this.#socket.write(this.#request);
    else this.#onIdle();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#onIdle();
  }
}

/** @param sorted the shortest first */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)]!;
}
