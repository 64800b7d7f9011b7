import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { bytesToHex, hexToBytes } from '../../contract/fields.ts';
import type { PartInfo } from '../../contract/system.ts';
import { systemWallClock, type WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import type { SerialPortState } from './contract.ts';
import { type LineSettings, type SerialDriver, type SomeSettings, settingsOf } from './driver.ts';
import type { ExclusiveLine } from './exclusiveLine.ts';
import { PortOwner } from './portOwner.ts';
import { SerialMonitor } from './serialMonitor.ts';

interface Port {
  /** The name that callers use. */
  readonly port: string;
  readonly driver: SerialDriver;
  /** How the line is set unless a call says otherwise. */
  readonly line?: SomeSettings;
  /** Whether the line brings back what is sent. */
  readonly dropEcho?: boolean;
}

interface SerialOptions {
  readonly ports: readonly Port[];
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: WallClock;
}

/** Who asks: each page and each token reads from a place of its own. */
interface SerialCall extends CallContext {
  readonly identity?: { readonly id: string; readonly name: string };
}

/** The serial ports of the board. */
export class SerialService {
  readonly #owners: ReadonlyMap<string, PortOwner>;
  readonly #lines: ReadonlyMap<string, SomeSettings | undefined>;
  readonly #traffic: SerialMonitor;

  constructor({ ports, events, log, clock = systemWallClock }: SerialOptions) {
    const traffic = new SerialMonitor(clock);
    this.#traffic = traffic;
    this.#lines = new Map(ports.map(({ port, line }) => [port, line]));
    this.#owners = new Map(
      ports.map(({ port, driver, dropEcho = false }) => [
        port,
        new PortOwner({ port, driver, dropEcho, events, log, clock, traffic: traffic.of(port) }),
      ]),
    );
  }

  /** Looks for the ports; the first call of each opens it. */
  async start(): Promise<void> {
    await Promise.all([...this.#owners.values()].map((owner) => owner.start()));
  }

  /** Ends waiting calls with SHUTTING_DOWN and closes all ports. */
  async stop(): Promise<void> {
    await Promise.all([...this.#owners.values()].map((owner) => owner.stop()));
  }

  /** One part per port, named as in the answer of `info`: `serial:/dev/ttyS5`. */
  parts(): Record<string, PartInfo> {
    return Object.fromEntries([...this.#owners].map(([port, owner]) => [`serial:${port}`, owner.info()]));
  }

  /** The present ports, for the first event of a listener. */
  snapshot(): SerialPortState[] {
    const present = [...this.#owners.values()].filter((owner) => owner.info().state !== 'absent');
    return present.map((owner) => owner.state());
  }

  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR */
  async write(params: ParamsOf<'serial.write'>, call: SerialCall): Promise<ResultOf<'serial.write'>> {
    const { port, hex } = params;
    const bytes = hexToBytes(hex);
    await this.#owner(port).write(bytes, this.#settings(params), by(call));
    return { status: 'ok', port, sent: bytes.length };
  }

  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR */
  async read(params: ParamsOf<'serial.read'>, call: SerialCall): Promise<ResultOf<'serial.read'>> {
    const { port, timeout, until, length } = params;
    const wanted = { until: until === undefined ? undefined : hexToBytes(until), length };
    const bytes = await this.#owner(port).read(wanted, timeout, this.#settings(params), by(call));
    return { port, hex: bytesToHex(bytes), data: Buffer.from(bytes).toString('latin1') };
  }

  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR */
  async sendBreak(params: ParamsOf<'serial.break'>, call: SerialCall): Promise<ResultOf<'serial.break'>> {
    const { port, ms } = params;
    await this.#owner(port).sendBreak(ms, this.#settings(params), by(call));
    return { status: 'ok', port };
  }

  /** @throws FaceplateError NOT_FOUND */
  async close({ port }: ParamsOf<'serial.close'>, call: SerialCall): Promise<ResultOf<'serial.close'>> {
    await this.#owner(port).close(by(call));
    return { status: 'ok', port };
  }

  /** The traffic of the lines. @throws FaceplateError NOT_FOUND, CONFLICT when too many follow already */
  monitor({ port }: ParamsOf<'serial.monitor'>): ResultOf<'serial.monitor'> {
    if (port !== undefined) this.#owner(port);
    return this.#traffic.feed(port);
  }

  /**
   * Has a port alone while `work` runs; it is then Modbus's for 5 s more.
   * @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR, and what `work` throws
   */
  async alone<T>(
    port: string,
    settings: SomeSettings & Pick<LineSettings, 'baudRate'>,
    signal: AbortSignal,
    work: (line: ExclusiveLine) => Promise<T>,
  ): Promise<T> {
    return this.#owner(port).alone(this.#settings({ port, ...settings }), signal, work);
  }

  /**
   * Lets the device at the other end of a simulated port send.
   * @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE when the port is real
   */
  async simulate({ port, hex }: { readonly port: string; readonly hex: string }): Promise<void> {
    this.#owner(port).simulate(hexToBytes(hex));
  }

  #settings(params: SomeSettings & Pick<LineSettings, 'baudRate'> & { readonly port: string }): LineSettings {
    return settingsOf(params, this.#lines.get(params.port));
  }

  #owner(port: string): PortOwner {
    const owner = this.#owners.get(port);
    if (owner) return owner;
    const known = [...this.#owners.keys()].join(', ') || 'none';
    throw new FaceplateError('NOT_FOUND', `This board has no serial port of that name; it has: ${known}.`);
  }
}

function by({ signal, identity }: SerialCall): { readonly reader: string; readonly signal: AbortSignal } {
  // All pages have one id; their origin tells them apart.
  const reader = identity === undefined ? '' : identity.id === 'page' ? `page ${identity.name}` : identity.id;
  return { reader, signal };
}
