import { isIPv4 } from 'node:net';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { inTime } from '../../platform/inTime.ts';
import type { CallContext } from '../callContext.ts';
import type { ModbusNetwork, SerialPorts } from './driver.ts';
import { type Request, readRequest, throwException, valuesOf, writeRequest } from './pdu.ts';
import { RtuMaster } from './rtuMaster.ts';
import { TcpMaster } from './tcpMaster.ts';

/** Devices on the network with a connection or requests at one time. */
const MOST_DEVICES = 16;
/** As registered for Modbus. */
const TCP_PORT = 502;
const BAUD_RATE = 9_600;

interface ModbusOptions {
  readonly serial: SerialPorts;
  readonly network: ModbusNetwork;
  /** Whether a device may be there: on the local network, and no port of the panel itself. */
  mayReach(address: string, port: number): boolean;
  readonly clock?: Clock;
}

type Params = Omit<ParamsOf<'modbus.read'>, 'kind' | 'address' | 'count'>;

/** Asks Modbus devices: on the serial lines of the board and on the local network. One request on a line at a time. */
export class ModbusService {
  readonly #network: ModbusNetwork;
  readonly #mayReach: ModbusOptions['mayReach'];
  readonly #clock: Clock;
  readonly #rtu: RtuMaster;
  readonly #devices = new Map<string, TcpMaster>();
  #stopping = new AbortController();

  constructor({ serial, network, mayReach, clock = systemClock }: ModbusOptions) {
    this.#network = network;
    this.#mayReach = mayReach;
    this.#clock = clock;
    this.#rtu = new RtuMaster(serial, clock);
  }

  /** The first request opens its line. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  /** Ends waiting requests with SHUTTING_DOWN and closes the connections. */
  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    for (const device of this.#devices.values()) {
      await device.idle();
      device.close();
    }
    this.#devices.clear();
  }

  /** @throws FaceplateError FORBIDDEN, NOT_FOUND, CONFLICT, PORT_BUSY, HARDWARE_ERROR, HARDWARE_TIMEOUT */
  async read(params: ParamsOf<'modbus.read'>, context: CallContext): Promise<ResultOf<'modbus.read'>> {
    const { kind, address, count } = params;
    const answer = await this.#ask(params, readRequest(kind, address, count), context);
    return { values: valuesOf(kind, count, answer) };
  }

  /** @throws FaceplateError FORBIDDEN, NOT_FOUND, CONFLICT, PORT_BUSY, HARDWARE_ERROR, HARDWARE_TIMEOUT */
  async write(params: ParamsOf<'modbus.write'>, context: CallContext): Promise<ResultOf<'modbus.write'>> {
    const { kind, address, values } = params;
    await this.#ask(params, writeRequest(kind, address, values), context);
    return { values };
  }

  async #ask(params: Params, request: Request, context: CallContext): Promise<Uint8Array> {
    const signal = AbortSignal.any([context.signal, this.#stopping.signal]);
    signal.throwIfAborted();
    const answer =
      params.port === undefined
        ? await this.#askOnNetwork(params, request, signal)
        : await this.#rtu.ask(
            { ...params, port: params.port, baudRate: params.baudRate ?? BAUD_RATE, parity: params.parity },
            request,
            params.timeoutMs,
            signal,
          );
    throwException(answer, `Unit ${params.unit} at ${params.port ?? params.host}`);
    return answer;
  }

  async #askOnNetwork(params: Params, request: Request, signal: AbortSignal): Promise<Uint8Array> {
    const { host = '', tcpPort = TCP_PORT, unit, timeoutMs } = params;
    const address = await this.#judgedAddress(host, tcpPort, timeoutMs);
    signal.throwIfAborted();
    return this.#device(address, tcpPort).ask(unit, request, timeoutMs, signal);
  }

  /** The address of a host, which is then the one that is connected to. */
  async #judgedAddress(host: string, port: number, timeoutMs: number): Promise<string> {
    const address = isIPv4(host) ? host : await this.#resolved(host, timeoutMs);
    if (this.#mayReach(address, port)) return address;
    const sentence = `${host} at port ${port} is no device on the local network of this panel.`;
    throw new FaceplateError('FORBIDDEN', sentence);
  }

  async #resolved(host: string, timeoutMs: number): Promise<string> {
    try {
      return await inTime(this.#clock, timeoutMs, this.#network.resolve(host));
    } catch (error) {
      const errno = errnoOf(error);
      const sentence = `The name ${host} cannot be resolved: ${errno === undefined ? 'no answer in time' : errnoWords(errno)}.`;
      throw new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
    }
  }

  #device(address: string, port: number): TcpMaster {
    const name = `${address}:${port}`;
    const known = this.#devices.get(name);
    if (known) return known;
    if (this.#devices.size >= MOST_DEVICES) this.#forgetOne();
    const device = new TcpMaster(this.#network, this.#clock, { address, port });
    this.#devices.set(name, device);
    return device;
  }

  /** Makes room: for one that is idle first, else one whose connection is only kept. */
  #forgetOne(): void {
    const entries = [...this.#devices];
    const [name, device] =
      entries.find(([, { isIdle }]) => isIdle) ?? entries.find(([, { isFree }]) => isFree) ?? [];
    if (name === undefined || device === undefined) {
      const sentence = `${MOST_DEVICES} Modbus devices on the network are being asked already.`;
      throw new FaceplateError('CONFLICT', sentence);
    }
    device.close();
    this.#devices.delete(name);
  }
}
