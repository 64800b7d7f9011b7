// Reads over Modbus TCP in a process of their own: in that of a bench a browser's client slows every promise. Prints reads in
// a second, `{"service", "bare"}`.
import { createServer } from 'node:net';
import modbusSerial from 'modbus-serial';
import { ModbusService } from '../../server/parts/modbus/service.ts';
import { TcpSockets } from '../../server/parts/modbus/tcpSocket.ts';
import { LocalTargets } from '../../server/platform/localTargets.ts';

/** Requests of one turn, and turns of each side: they take turns, so that both have the same busy moments. */
const REQUESTS = 1_000;
const TURNS = 6;
/** Turns before anything is measured: what V8 compiles at last has run some ten thousand times. */
const WARM_TURNS = 20;
const REGISTERS = 10;

const device = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (request) => socket.write(answerTo(request)));
});
await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
const { port } = device.address() as { port: number };
const service = new ModbusService({
  serial: { alone: () => Promise.reject(new Error('no serial ports')) },
  network: new TcpSockets(),
  targets: new LocalTargets({ ownPorts: () => [], mayAskOurselves: true }),
});
await service.start();
const bare = new modbusSerial.default();
await bare.connectTCP('127.0.0.1', { port });
bare.setID(1);
const askService = serviceAsker(service, port);
const askBare = async () => void (await bare.readHoldingRegisters(0, REGISTERS));
await inTurns(WARM_TURNS);
process.stdout.write(`${JSON.stringify(await inTurns(TURNS))}\n`);
await new Promise<void>((resolve) => bare.close(() => resolve()));
await service.stop();
await new Promise<void>((resolve) => device.close(() => resolve()));

/** @returns reads in a second of each side */
async function inTurns(turns: number): Promise<{ service: number; bare: number }> {
  const seconds = { service: 0, bare: 0 };
  for (let turn = 0; turn < turns; turn++) {
    seconds.service += 1 / (await perSecond(askService));
    seconds.bare += 1 / (await perSecond(askBare));
  }
  return { service: turns / seconds.service, bare: turns / seconds.bare };
}

/** The registers, all 0; only the number of the request is its own. */
function answerTo(request: Buffer): Buffer {
  const answer = Buffer.alloc(9 + 2 * REGISTERS);
  request.copy(answer, 0, 0, 2);
  answer.writeUInt16BE(3 + 2 * REGISTERS, 4);
  request.copy(answer, 6, 6, 8);
  answer[8] = 2 * REGISTERS;
  return answer;
}

function serviceAsker(service: ModbusService, tcpPort: number): () => Promise<void> {
  const target = { host: '127.0.0.1', tcpPort, unit: 1, timeoutMs: 1_000 };
  return async () => {
    // As dispatch does: each call has a signal of its own.
    const { signal } = new AbortController();
    await service.read({ ...target, kind: 'holding', address: 0, count: REGISTERS }, { signal });
  };
}

/** Requests in a second. */
async function perSecond(ask: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  for (let request = 0; request < REQUESTS; request++) await ask();
  return (1_000 * REQUESTS) / (performance.now() - startedAt);
}
