import { randomUUID } from 'node:crypto';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { LocalTargets } from '../../platform/net/localTargets.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';
import { bytesOfHex, upperHex } from '../../platform/texts.ts';
import type { OwnedCall } from '../callContext.ts';
import { TCP_MAX_SOCKETS, TCP_MAX_WAITING, type TcpEvent } from './contract.ts';

/** Where a connection leads. */
export interface TcpTarget {
  /** The address that was judged; it alone is connected to. */
  readonly address: string;
  /** The name or address that the caller gave: what a certificate has to name. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** What a connection tells. */
export interface TcpEvents {
  onOpen(): void;
  /** Nothing more is read before the promise resolves. */
  onData(bytes: Uint8Array): Promise<unknown> | undefined;
  /** Once, last. @param failure a FaceplateError or a system error; undefined when it ended well */
  onEnd(failure: Error | undefined): void;
}

/** One connection. */
export interface TcpLink {
  /** Bytes that wait for the peer. */
  readonly waiting: number;
  send(bytes: Uint8Array): void;
  /** Sends what waits, then ends our half. */
  close(): void;
  /** Ends it at once. */
  destroy(): void;
}

/** Makes connections. */
export interface TcpDriver {
  /** Begins to connect; `events` tell the rest, later. */
  open(target: TcpTarget, events: TcpEvents): TcpLink;
}

/** How long a device may take until it is connected, TLS included, in milliseconds. */
const CONNECT_MS = 10_000;
/** How long a device may take to end its half after ours, in milliseconds. */
const CLOSE_MS = 5_000;
/** Bytes of one event. */
const MOST_AT_ONCE = 32 * 1024;

interface TcpOptions {
  readonly driver: TcpDriver;
  readonly targets: LocalTargets;
  readonly events: EventBus;
  readonly holders: ResourceScopes;
  readonly clock: Clock;
}

interface Connection {
  readonly id: string;
  readonly holder: object;
  link: TcpLink | undefined;
  /** Ends the wait for the connection, or for its end. */
  cancel: () => void;
  forget: () => void;
  isClosing: boolean;
  isOpen: boolean;
}

/**
 * TCP connections of pages and callers to devices of the local network. Each belongs to its opener: no other caller
 * hears it, sends over it or closes it, and it ends with its holder.
 */
export class TcpService {
  readonly #options: TcpOptions;
  readonly #connections = new Map<string, Connection>();
  /** Places that were promised to calls whose name is being resolved. */
  #promised = 0;
  #stopped = false;

  constructor(options: TcpOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopped = false;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const connection of [...this.#connections.values()]) this.#drop(connection);
  }

  /** Connections that are open or being opened or closed, for leak checks. */
  get size(): number {
    return this.#connections.size;
  }

  /** @throws FaceplateError FORBIDDEN (not on the local network), CONFLICT (the 17th), HARDWARE_ERROR (an unknown name) */
  async open(
    { host, port, tls }: ParamsOf<'tcp.open'>,
    { identity: holder, signal }: OwnedCall,
  ): Promise<ResultOf<'tcp.open'>> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    if (this.#connections.size + this.#promised >= TCP_MAX_SOCKETS)
      throw new FaceplateError(
        'CONFLICT',
        `At most ${TCP_MAX_SOCKETS} TCP connections can be open at one time.`,
      );
    this.#promised++;
    let address: string;
    try {
      address = await this.#options.targets.judged(host, port, signal);
    } finally {
      this.#promised--;
    }
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    const { driver, holders, clock } = this.#options;
    const connection: Connection = {
      id: randomUUID(),
      holder,
      link: undefined,
      cancel: clock.after(CONNECT_MS, () =>
        this.#end(connection, new FaceplateError('HARDWARE_TIMEOUT', 'The device did not answer in time.')),
      ),
      forget: () => {},
      isClosing: false,
      isOpen: false,
    };
    this.#connections.set(connection.id, connection);
    connection.link = driver.open(
      { address, host, port, tls },
      {
        onOpen: () => this.#opened(connection),
        onData: (bytes) => this.#received(connection, bytes),
        onEnd: (failure) => this.#end(connection, failure),
      },
    );
    connection.forget = holders.hold(holder, () => this.#drop(connection));
    return { id: connection.id };
  }

  /** @throws FaceplateError NOT_FOUND, CONFLICT (1 MiB waits for the device) */
  async send(
    { id, hex, text }: ParamsOf<'tcp.send'>,
    { identity }: OwnedCall,
  ): Promise<ResultOf<'tcp.send'>> {
    const { link } = this.#usable(id, identity);
    const bytes = hex === undefined ? new TextEncoder().encode(text) : bytesOfHex(hex);
    if ((link?.waiting ?? 0) + bytes.length > TCP_MAX_WAITING)
      throw new FaceplateError('CONFLICT', 'The device does not read: 1 MiB waits for it. Send later.');
    if (bytes.length > 0) link?.send(bytes);
    return { id };
  }

  /** @throws FaceplateError NOT_FOUND */
  async close({ id }: ParamsOf<'tcp.close'>, { identity }: OwnedCall): Promise<ResultOf<'tcp.close'>> {
    const connection = this.#usable(id, identity);
    connection.isClosing = true;
    connection.cancel();
    connection.cancel = this.#options.clock.after(CLOSE_MS, () => this.#end(connection, undefined));
    connection.link?.close();
    return { id };
  }

  /** One that its holder may use. @throws FaceplateError NOT_FOUND */
  #usable(id: string, holder: object): Connection {
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.holder !== holder || connection.isClosing)
      throw new FaceplateError('NOT_FOUND', 'No TCP connection has this id.');
    this.#options.holders.touch(holder);
    return connection;
  }

  #opened(connection: Connection): void {
    if (!this.#connections.has(connection.id)) return;
    connection.isOpen = true;
    if (!connection.isClosing) connection.cancel();
    this.#tell(connection, { id: connection.id, state: 'open' });
  }

  /** In pieces, the next one once the holder has taken the one before; a holder who does not listen misses them. */
  #received(connection: Connection, bytes: Uint8Array): Promise<unknown> | undefined {
    for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) {
      if (!this.#connections.has(connection.id)) return undefined;
      const hex = upperHex(bytes.subarray(at, at + MOST_AT_ONCE));
      const taken = this.#tell(connection, { id: connection.id, state: 'open', hex });
      if (taken === undefined) continue;
      const rest = bytes.subarray(at + MOST_AT_ONCE);
      return taken.then(() => this.#received(connection, rest));
    }
    return undefined;
  }

  #tell({ holder }: Connection, event: TcpEvent): Promise<unknown> | undefined {
    return this.#options.events.emitTo(holder, 'tcp', event);
  }

  /** It has ended, or is given up. */
  #end(connection: Connection, failure: Error | undefined): void {
    if (!this.#connections.has(connection.id)) return;
    const { id, isOpen, isClosing } = connection;
    this.#drop(connection);
    const error = failure === undefined ? undefined : sentenceOf(failure);
    if (isOpen || isClosing) this.#tell(connection, { id, state: 'closed', ...(error && { error }) });
    else this.#tell(connection, { id, state: 'failed', error: error ?? 'The device closed the connection.' });
  }

  #drop(connection: Connection): void {
    if (!this.#connections.delete(connection.id)) return;
    connection.cancel();
    connection.forget();
    connection.link?.destroy();
  }
}

/** Never what the peer sent. */
function sentenceOf(failure: Error): string {
  if (failure instanceof FaceplateError) return failure.message;
  const errno = errnoOf(failure);
  const code = String((failure as { code?: unknown }).code);
  const why =
    errno === undefined ? (/^[A-Z0-9_]{1,60}$/.test(code) ? code : 'it broke off') : errnoWords(errno);
  return `The connection failed: ${why}.`;
}
