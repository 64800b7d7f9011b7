import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import modbus from 'modbus-serial';
import { errnoError } from '../../platform/errno.ts';
import { LocalTargets } from '../../platform/net/localTargets.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { ModbusService } from '../modbus/service.ts';
import { TcpSockets } from '../modbus/tcpMaster.ts';

/** What a request without serial lines finds. */
const noPorts = { alone: () => Promise.reject(errnoError('ENOENT', 'no ports')) };

/** The service for devices on the network, of which each may be reached. */
export function modbusOnNetwork(): ModbusService {
  return new ModbusService({
    serial: noPorts,
    network: new TcpSockets(),
    targets: new LocalTargets({ ownPorts: () => [], mayAskOurselves: true }),
  });
}

/** The memory of a device: coils and registers from 0 to 99; beyond them it refuses. */
export class ModbusMemory {
  readonly coils = new Array<boolean>(100).fill(false);
  readonly registers = Array.from({ length: 100 }, (_, index) => 1_000 + index);

  /** As modbus-serial asks for it. */
  readonly vector = {
    getCoil: (address: number) => this.#at(this.coils, address),
    getDiscreteInput: (address: number) => this.#at(this.coils, address),
    getInputRegister: (address: number) => this.#at(this.registers, address),
    getHoldingRegister: (address: number) => this.#at(this.registers, address),
    setCoil: (address: number, value: boolean) => {
      this.#at(this.coils, address);
      this.coils[address] = value;
    },
    setRegister: (address: number, value: number) => {
      this.#at(this.registers, address);
      this.registers[address] = value;
    },
  };

  #at<T>(values: readonly T[], address: number): T {
    if (address >= values.length) throw Object.assign(new Error('beyond'), { modbusErrorCode: 2 });
    return values[address]!;
  }
}

/** A device on the network as modbus-serial has it. */
export class ModbusDevice {
  readonly memory = new ModbusMemory();
  port = 0;
  #server: InstanceType<typeof modbus.ServerTCP> | undefined;

  async start(): Promise<void> {
    this.port = await freeTcpPort();
    const server = new modbus.ServerTCP(this.memory.vector, {
      host: '127.0.0.1',
      port: this.port,
      unitID: 1,
    });
    server.on('socketError', () => undefined);
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.on('initialized', () => resolve());
      server.on('serverError', reject);
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** A device on a serial line as modbus-serial has it. */
export class ModbusLineDevice {
  readonly memory = new ModbusMemory();
  #server: InstanceType<typeof modbus.ServerSerial> | undefined;

  /** @param path of its tty */
  async start(path: string, unitID: number): Promise<void> {
    // Its types know neither `path` nor that the unit stands beside it.
    const options = { path, port: path, baudRate: 9_600, unitID } as never;
    this.#server = new modbus.ServerSerial(this.memory.vector, options);
    await once(this.#server as unknown as NodeJS.EventEmitter, 'initialized');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** A device on the network that does what the test says with each piece that arrives. */
export class ScriptedDevice {
  port = 0;
  /** Connections that were ever made. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(hear: (request: Buffer, socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (bytes) => hear(bytes, socket));
    });
  }

  get open(): number {
    return this.#sockets.size;
  }

  async start(): Promise<void> {
    this.port = await freeTcpPort();
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.hangUp();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
