import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue, lookAgain, unlessAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device, simulated } from '../device.ts';
import { type HeardCode, IR_LIMITS, type IrPort, type IrSending } from './contract.ts';
import type { IrDriver, IrFrame } from './driver.ts';
import { DEFAULT_CARRIER, prontoOf, signalOf } from './formats.ts';
import type { NamedIr } from './profile.ts';
import { decode, encode, firstFrame, hasToggle, type Signal, sum } from './protocols.ts';

/** How much longer than its code a port may take, in milliseconds. */
const LATE_MS = 3_000;
/** How long a repeat frame of NEC belongs to the key before it, in milliseconds: two of its periods. */
const HELD_MS = 250;

interface IrOptions {
  readonly ports: readonly NamedIr[];
  readonly clock: Clock;
  readonly events: EventBus;
  readonly log: Logger;
}

/** A port with what it does at the moment. */
interface Port {
  readonly name: string;
  readonly label: string;
  readonly device: Device<IrDriver>;
  readonly queue: CallQueue;
  /** The call that is sent, and those that wait behind it. */
  calls: number;
  /** Of RC5 and RC6. */
  toggle: boolean;
  learn: ((frame: IrFrame) => void) | undefined;
  before: { readonly code: HeardCode; readonly at: number } | undefined;
}

/** The infrared ports: one code at a time for each, in the order of the calls. */
export class IrService {
  readonly #options: IrOptions;
  readonly #ports: ReadonlyMap<string, Port>;
  readonly #endLooks: (() => void)[] = [];
  readonly #stopped = new AbortController();

  constructor(options: IrOptions) {
    this.#options = options;
    this.#ports = new Map(
      options.ports.map(({ port, label, driver }) => [
        port,
        {
          name: port,
          label,
          device: new Device(`infrared port ${port}`, driver, options.log),
          queue: new CallQueue(),
          calls: 0,
          toggle: false,
          learn: undefined,
          before: undefined,
        },
      ]),
    );
  }

  async start(): Promise<void> {
    for (const port of this.#ports.values()) {
      port.device.driver?.onFrame((frame) => this.#heard(port, frame));
      await port.device.start();
      this.#endLooks.push(lookAgain(port.device, this.#options.clock));
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new FaceplateError('SHUTTING_DOWN'));
    for (const end of this.#endLooks.splice(0)) end();
    for (const port of this.#ports.values()) {
      await port.queue.idle();
      await port.device.stop();
    }
  }

  /** The line of each port in `info`. */
  parts(): Record<string, PartInfo> {
    return Object.fromEntries([...this.#ports].map(([name, { device }]) => [`ir:${name}`, device.info()]));
  }

  /** The ports that are there. */
  ports(): IrPort[] {
    return [...this.#ports.values()].flatMap(({ name, label, device: { driver, present } }) => {
      if (driver === null || !present) return [];
      const { sends, receives, carrier } = driver;
      return [{ port: name, label, sends, receives, carrier }];
    });
  }

  list(_params: ParamsOf<'ir.list'>, _context: CallContext): ResultOf<'ir.list'> {
    return { ports: this.ports() };
  }

  /**
   * @throws FaceplateError INVALID_REQUEST with the field, NOT_FOUND, UNSUPPORTED_HARDWARE, HARDWARE_ERROR,
   *   HARDWARE_TIMEOUT, CONFLICT
   */
  async send(params: ParamsOf<'ir.send'>, { signal }: CallContext): Promise<ResultOf<'ir.send'>> {
    const port = this.#portFor(params.port, 'sends');
    // Before anything waits: a mistake is reported at once.
    signalOf(params, false);
    if (params.carrier !== undefined && !port.device.driver!.carrier)
      throw new FaceplateError('UNSUPPORTED_HARDWARE', `${port.name} cannot set its carrier.`, {
        field: 'carrier',
      });
    const ms = await this.#inTurn(port, signal, () => signalOf(params, this.#toggled(port, params)));
    return { status: 'ok', port: port.name, ms };
  }

  /** Sends a code of another surface that has its own forms. @throws as `send` */
  async sendSignal(name: string, code: Signal, signal: AbortSignal): Promise<void> {
    await this.#inTurn(this.#portFor(name, 'sends'), signal, () => code);
  }

  /** Whether a port sends at the moment, or calls wait for it. */
  isBusy(name: string): boolean {
    return (this.#ports.get(name)?.calls ?? 0) > 0;
  }

  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, HARDWARE_TIMEOUT, CONFLICT */
  async learn({ port: name, seconds }: ParamsOf<'ir.learn'>, { signal }: CallContext) {
    const port = this.#portFor(name, 'receives');
    await port.device.use(async () => {});
    if (port.learn !== undefined)
      throw new FaceplateError('CONFLICT', `Somebody else learns at ${port.name} already.`);
    const { timings, carrier } = await this.#frameOf(port, seconds, signal);
    return {
      port: port.name,
      timings: [...timings],
      carrier,
      pronto: prontoOf({ timings, carrier: carrier ?? DEFAULT_CARRIER }),
      code: decode(timings),
    };
  }

  /**
   * Plays a remote control in front of the simulated receiver.
   * @throws FaceplateError INVALID_REQUEST, UNSUPPORTED_HARDWARE where the receiver is real
   */
  async simulate({ code, timings }: Pick<IrSending, 'code' | 'timings'>): Promise<void> {
    if ((code === undefined) === (timings === undefined))
      throw new FaceplateError('INVALID_REQUEST', 'Give exactly one of code and timings.', { field: 'code' });
    const port = this.#portFor(undefined, 'receives');
    const { timings: played, carrier } =
      code === undefined ? { timings: timings!, carrier: null } : encode(code, 0, false);
    // Sony sends three frames for a press: a receiver hears them one by one.
    const frame = { timings: code === undefined ? played : firstFrame(played), carrier };
    await port.device.use(async (driver) => {
      simulated(driver, 'The infrared receiver is').simulate(frame);
    });
  }

  /** @param does what the port must be able to do */
  #portFor(name: string | undefined, does: 'sends' | 'receives'): Port {
    const able = [...this.#ports.values()].filter(({ device: { driver } }) => driver?.[does]);
    if (name === undefined) {
      const [only, ...more] = able;
      if (only === undefined)
        throw new FaceplateError('UNSUPPORTED_HARDWARE', `No infrared port of this board ${does}.`);
      if (more.length === 0) return only;
      const names = able.map((port) => port.name).join(', ');
      throw new FaceplateError('INVALID_REQUEST', `port must be one of ${names}.`, { field: 'port' });
    }
    const port = this.#ports.get(name);
    if (port === undefined)
      throw new FaceplateError('NOT_FOUND', `The board has no infrared port ${name}.`, { field: 'port' });
    if (!able.includes(port) && port.device.present)
      throw new FaceplateError('UNSUPPORTED_HARDWARE', `The infrared port ${name} never ${does}.`);
    return port;
  }

  /** The toggle of this key: each call changes it. */
  #toggled(port: Port, { code }: IrSending): boolean {
    if (code === undefined || !hasToggle(code.protocol)) return false;
    port.toggle = !port.toggle;
    return port.toggle;
  }

  /**
   * Waits for the codes before it. Who waits no longer is free at once, and the next code waits for the port.
   * @returns the length of the code in whole milliseconds
   * @throws FaceplateError HARDWARE_TIMEOUT where the port does not end, CONFLICT; what the driver throws
   */
  async #inTurn(port: Port, signal: AbortSignal, code: () => Signal): Promise<number> {
    if (port.calls > IR_LIMITS.waiting)
      throw new FaceplateError('CONFLICT', `${IR_LIMITS.waiting} codes wait for ${port.name} already.`);
    const all = AbortSignal.any([signal, this.#stopped.signal]);
    const late = Promise.withResolvers<never>();
    const send = async () => {
      const sent = code();
      const ms = sum(sent.timings) / 1_000;
      const cancel = this.#options.clock.after(ms + LATE_MS, () =>
        late.reject(new FaceplateError('HARDWARE_TIMEOUT', `The infrared port ${port.name} does not end.`)),
      );
      try {
        await port.device.use((driver) => driver.send(sent, all));
      } finally {
        cancel();
      }
      return Math.round(ms);
    };
    port.calls++;
    try {
      return await Promise.race([port.queue.run(all, send), late.promise]);
    } finally {
      port.calls--;
    }
  }

  async #frameOf(port: Port, seconds: number, signal: AbortSignal): Promise<IrFrame> {
    const heard = Promise.withResolvers<IrFrame>();
    const cancel = this.#options.clock.after(seconds * 1_000, () => {
      const sentence = `No remote control was heard at ${port.name} within ${seconds} s.`;
      heard.reject(new FaceplateError('HARDWARE_TIMEOUT', sentence));
    });
    port.learn = heard.resolve;
    try {
      return await unlessAborted(heard.promise, AbortSignal.any([signal, this.#stopped.signal]));
    } finally {
      cancel();
      port.learn = undefined;
    }
  }

  #heard(port: Port, frame: IrFrame): void {
    const at = this.#options.clock.now();
    const { before } = port;
    const code = decode(frame.timings, before && at - before.at <= HELD_MS ? before.code : undefined);
    // What is held is the key itself, also after many repeat frames.
    port.before = code === null ? undefined : { at, code: keyOf(code) };
    this.#options.events.emit('ir', { port: port.name, timings: [...frame.timings], code });
    port.learn?.(frame);
  }
}

const keyOf = ({ protocol, address, command }: HeardCode): HeardCode => ({ protocol, address, command });
