import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { ownAddresses } from '../../platform/net/addresses.ts';
import { isLocalTarget, ownNetworks } from '../../platform/net/localTargets.ts';
import { ofSendir, SendirError } from './formats.ts';
import type { IrService } from './service.ts';

/** Longest line of a client, in bytes. */
const LINE_LIMIT = 65_536;
/** Most clients at a time; a real one takes eight. */
const MOST_CLIENTS = 8;
/** A client that lost its power or its network holds a place for about this long and ten probes, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;
/** The module of the senders, as iTach numbers it. */
const MODULE = 1;

interface ItachOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly ir: Pick<IrService, 'ports' | 'sendSignal' | 'isBusy'>;
  readonly version: string;
  /** Called with the port once it listens. */
  readonly onListening: (port: number) => void;
  readonly log: Logger;
}

/**
 * The senders as those of a Global Caché iTach, which AV programs know: text over TCP, lines that end with a carriage
 * return (iTach API Specification 1.5). That protocol has no login: only the local network is let in.
 */
export class Itach {
  readonly #options: ItachOptions;
  readonly #clients = new Set<Socket>();
  #server: Server | undefined;
  /** Who sends at a connector, and what ends it. */
  readonly #sending = new Map<string, { readonly client: Socket; readonly ends: Set<AbortController> }>();

  constructor(options: ItachOptions) {
    this.#options = options;
  }

  /** The port it listens on; undefined while it does not. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  }

  /** Never fails: a port that cannot be had is logged. */
  async start(): Promise<void> {
    const { port, log, onListening } = this.#options;
    const server = createServer((client) => this.#welcome(client));
    try {
      server.listen(port, '0.0.0.0');
      await once(server, 'listening');
    } catch (error) {
      log.error({ err: error, port }, 'ir: could not open the iTach port');
      return;
    }
    this.#server = server;
    onListening(this.port!);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  #welcome(client: Socket): void {
    const from = (client.remoteAddress ?? '').replace(/^::ffff:/, '');
    if (!isLocalTarget(from, ownNetworks) || this.#clients.size >= MOST_CLIENTS) {
      this.#options.log.warn({ from }, 'ir: iTach client refused');
      client.destroy();
      return;
    }
    this.#clients.add(client);
    client.setKeepAlive(true, KEEP_ALIVE_MS);
    client.on('drain', () => client.resume());
    let text = '';
    client.setEncoding('latin1');
    client.on('error', () => {});
    client.on('close', () => {
      this.#clients.delete(client);
      this.#end(client);
    });
    client.on('data', (data: string) => {
      text += data;
      const lines = text.split(/[\r\n]+/);
      text = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') this.#line(client, line.trim());
      if (text.length <= LINE_LIMIT) return;
      client.end(errorLine('0:0', '015'));
    });
  }

  /** Who does not read its answers is not read until it does. */
  #say(client: Socket, answer: string): void {
    if (!client.write(answer)) client.pause();
  }

  #line(client: Socket, line: string): void {
    if (line.length > LINE_LIMIT) {
      client.end(errorLine('0:0', '015'));
      return;
    }
    const [command = '', ...rest] = line.split(',');
    const answer = this.#answer(client, command.toLowerCase(), rest);
    if (answer !== undefined) this.#say(client, answer);
  }

  /** The answer, where there is one at once. */
  #answer(client: Socket, command: string, rest: readonly string[]): string | undefined {
    switch (command) {
      case 'getdevices':
        return `device,0,0 ETHERNET\rdevice,${MODULE},${this.#senders().length} IR\rendlistdevices\r`;
      case 'getversion':
        return this.#version(rest[0]);
      case 'get_net':
        return this.#net(client, rest[0]);
      case 'get_ir': {
        const place = rest[0] ?? '';
        return this.#port(place).error ?? `IR,${place},IR\r`;
      }
      case 'sendir':
        void this.#send(client, rest);
        return undefined;
      case 'stopir': {
        const place = rest[0] ?? '';
        const { error } = this.#port(place);
        if (error !== undefined) return error;
        for (const end of this.#sending.get(place)?.ends ?? []) end.abort(new FaceplateError('CONFLICT'));
        return `stopir,${place}\r`;
      }
      default:
        return errorLine('0:0', '001');
    }
  }

  #version(module: string | undefined): string {
    const { version } = this.#options;
    if (module === undefined) return `${version}\r`;
    return module === '0' || module === String(MODULE)
      ? `version,${module},${version}\r`
      : errorLine(`${module}:0`, '002');
  }

  #net(client: Socket, place: string | undefined): string {
    if (place !== undefined && place !== '0:1') return errorLine(place, '002');
    const address = (client.localAddress ?? '0.0.0.0').replace(/^::ffff:/, '');
    const own = ownAddresses().find((each) => each.address === address);
    return `NET,0:1,LOCKED,DHCP,${address},${own?.netmask ?? '255.255.255.255'},0.0.0.0\r`;
  }

  async #send(client: Socket, [place = '', ...values]: readonly string[]): Promise<void> {
    const { port, error } = this.#port(place);
    if (port === undefined) {
      this.#say(client, error);
      return;
    }
    const id = values[0] ?? '';
    const held = this.#sending.get(place);
    if (
      (held !== undefined && held.client !== client) ||
      (held === undefined && this.#options.ir.isBusy(port))
    ) {
      this.#say(client, `busyIR,${place},${id}\r`);
      return;
    }
    const entry = held ?? { client, ends: new Set<AbortController>() };
    const end = new AbortController();
    entry.ends.add(end);
    this.#sending.set(place, entry);
    try {
      const { signal } = ofSendir(values.join(','));
      await this.#options.ir.sendSignal(port, signal, end.signal);
      this.#say(client, `completeir,${place},${id}\r`);
    } catch (failure) {
      if (end.signal.aborted) return;
      if (failure instanceof SendirError) this.#say(client, errorLine(place, failure.number));
      else if (failure instanceof FaceplateError) this.#say(client, errorLine(place, '019'));
      else this.#options.log.error({ err: failure }, 'ir: an iTach client got no answer');
    } finally {
      entry.ends.delete(end);
      if (entry.ends.size === 0) this.#sending.delete(place);
    }
  }

  /** What a client that has gone still sends ends. */
  #end(client: Socket): void {
    for (const { client: holder, ends } of this.#sending.values())
      if (holder === client) for (const end of ends) end.abort(new FaceplateError('CONFLICT'));
  }

  /** The senders: the connectors of the module, in the order of the board profile. */
  #senders(): readonly string[] {
    return this.#options.ir.ports().flatMap(({ port, sends }) => (sends ? [port] : []));
  }

  #port(
    place: string,
  ):
    | { readonly port: string; readonly error?: undefined }
    | { readonly port?: undefined; readonly error: string } {
    const match = /^(\d+):(\d+)$/.exec(place);
    if (match === null || Number(match[1]) !== MODULE) return { error: errorLine(place || '0:0', '002') };
    const port = this.#senders()[Number(match[2]) - 1];
    return port === undefined ? { error: errorLine(place, '003') } : { port };
  }
}

/** Errors of the iTach: a number of three digits behind the connector. Only what a connector may hold is repeated. */
function errorLine(place: string, number: string): string {
  return `ERR_${/^[\d:]{1,9}$/.test(place) ? place : '0:0'},${number}\r`;
}
