import { isIP } from 'node:net';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { LocalTargets } from '../../platform/net/localTargets.ts';
import type { CallContext } from '../callContext.ts';
import { type Request, readRequest, throwException, valuesOf, writeRequest } from './pdu.ts';
import { RtuMaster, type SerialPorts } from './rtuMaster.ts';
import { type ModbusNetwork, TcpMaster } from './tcpMaster.ts';

/** Devices on the network with a connection or requests at one time. */
const MOST_DEVICES = 16;
/** As registered for Modbus. */
const TCP_PORT = 502;
const BAUD_RATE = 9_600;

interface ModbusOptions {
  readonly serial: SerialPorts;
  readonly network: ModbusNetwork;
  readonly targets: Pick<LocalTargets, 'judged'>;
  readonly clock?: Clock;
}

type Params = Omit<ParamsOf<'modbus.read'>, 'kind' | 'address' | 'count'>;

/** Asks Modbus devices: on the serial lines of the board and on the local network. One request on a line at a time. */
export class ModbusService {
  readonly #network: ModbusNetwork;
  readonly #targets: ModbusOptions['targets'];
  readonly #clock: Clock;
  readonly #rtu: RtuMaster;
  readonly #devices = new Map<string, TcpMaster>();
  #stopping = new AbortController();

  constructor({ serial, network, targets, clock = systemClock }: ModbusOptions) {
    this.#network = network;
    this.#targets = targets;
    this.#clock = clock;
    this.#rtu = new RtuMaster(serial, clock);
  }

  /** The first request opens its line. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  /** Ends waiting requests with SHUTTING_DOWN and closes the connections. */
  async stop(): Promise<void> {
    const error = new FaceplateError('SHUTTING_DOWN');
    this.#stopping.abort(error);
    const devices = [...this.#devices.values()];
    this.#devices.clear();
    await Promise.all(devices.map((device) => device.stop(error)));
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

  async #ask(params: Params, request: Request, { signal }: CallContext): Promise<Uint8Array> {
    this.#stopping.signal.throwIfAborted();
    const asked =
      params.port === undefined
        ? this.#askOnNetwork(params, request, signal)
        : this.#askOnLine(params, params.port, request, signal);
    const answer = await asked;
    throwException(answer, `Unit ${params.unit} at ${params.port ?? params.host}`);
    return answer;
  }

  #askOnLine(
    { baudRate = BAUD_RATE, parity, unit, timeoutMs }: Params,
    port: string,
    request: Request,
    caller: AbortSignal,
  ): Promise<Uint8Array> {
    const signal = AbortSignal.any([caller, this.#stopping.signal]);
    return this.#rtu.ask({ port, baudRate, parity, unit }, request, timeoutMs, signal);
  }

  async #askOnNetwork(params: Params, request: Request, signal: AbortSignal): Promise<Uint8Array> {
    const { host = '', tcpPort = TCP_PORT, unit, timeoutMs } = params;
    // Only a name is waited for; two signals in one cost a twentieth of a whole request.
    const limit = isIP(host) === 0 ? AbortSignal.any([signal, this.#stopping.signal]) : signal;
    const address = await this.#targets.judged(host, tcpPort, limit);
    return this.#device(address, tcpPort).ask(unit, request, timeoutMs, signal);
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

  /** Makes room: removes one without a connection first, else one whose connection is idle. */
  #forgetOne(): void {
    const free = [...this.#devices].filter(([, { isFree }]) => isFree);
    const [name, device] = free.find(([, { isConnected }]) => !isConnected) ?? free[0] ?? [];
    const sentence = `${MOST_DEVICES} Modbus devices on the network are being asked already.`;
    if (name === undefined || device === undefined) throw new FaceplateError('CONFLICT', sentence);
    this.#devices.delete(name);
    void device.stop(new FaceplateError('CONFLICT', sentence));
  }
}
