import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { bytesToHex, hexToBytes } from '../../contract/fields.ts';
import type { SerialPortState } from '../../contract/serial.ts';
import type { PartInfo } from '../../contract/system.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import type { SerialDriver } from './driver.ts';
import { PortOwner } from './portOwner.ts';

interface SerialOptions {
  /** The ports of the board by the names that callers use. */
  readonly ports: readonly { readonly port: string; readonly driver: SerialDriver }[];
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** The serial ports of the board. */
export class SerialService {
  readonly #owners: ReadonlyMap<string, PortOwner>;

  constructor({ ports, events, log, clock = systemClock }: SerialOptions) {
    this.#owners = new Map(
      ports.map(({ port, driver }) => [port, new PortOwner({ port, driver, events, log, clock })]),
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
  async write(
    { port, baudRate, hex }: ParamsOf<'serial.write'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'serial.write'>> {
    const bytes = hexToBytes(hex);
    await this.#owner(port).write(bytes, baudRate, signal);
    return { status: 'ok', port, sent: bytes.length };
  }

  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR */
  async read(
    { port, baudRate, timeout }: ParamsOf<'serial.read'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'serial.read'>> {
    const bytes = await this.#owner(port).read(baudRate, timeout, signal);
    return { port, hex: bytesToHex(bytes), data: Buffer.from(bytes).toString('latin1') };
  }

  /** @throws FaceplateError NOT_FOUND */
  async close(
    { port }: ParamsOf<'serial.close'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'serial.close'>> {
    await this.#owner(port).close(signal);
    return { status: 'ok', port };
  }

  /**
   * Lets the device at the other end of a simulated port send.
   * @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE when the port is real
   */
  async simulate({ port, hex }: { readonly port: string; readonly hex: string }): Promise<void> {
    this.#owner(port).simulate(hexToBytes(hex));
  }

  #owner(port: string): PortOwner {
    const owner = this.#owners.get(port);
    if (owner) return owner;
    const known = [...this.#owners.keys()].join(', ') || 'none';
    throw new FaceplateError('NOT_FOUND', `This board has no serial port of that name; it has: ${known}.`);
  }
}
