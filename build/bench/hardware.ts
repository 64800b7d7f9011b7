import { createServer } from 'node:net';
import modbusSerial from 'modbus-serial';
import { TcpSockets } from '../../server/drivers/modbus/tcpSocket.ts';
import { LocalTargets } from '../../server/platform/localTargets.ts';
import { ModbusService } from '../../server/services/modbus/service.ts';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import type { Bench } from './bench.ts';
import { openPanel, pulseErrors, safeStopNote, safeStopTime } from './outputs.ts';

/** Requests of one turn, and turns of each side in a round: they take turns, so that both have the same busy moments. */
const REQUESTS = 1_000;
const TURNS = 6;
const REGISTERS = 10;

export const hardwareBench: Bench = {
  name: 'hardware',
  about: `pins and their page; reads of ${REGISTERS} registers over Modbus TCP from a device that answers at once`,
  rows: [
    { key: 'edge', label: 'edge to event in the page, median of 200', unit: 'ms', goal: { atMost: 5 } },
    { key: 'pulse', label: 'pulse of 50 ms: longer than asked', unit: 'ms' },
    { key: 'timer', label: 'bare timer of 50 ms: longer than asked', unit: 'ms' },
    { key: 'tooShort', label: 'pulse of 50 ms: at most shorter than asked', unit: 'ms', goal: { atMost: 0 } },
    { key: 'safe', label: 'page lost: later than the rule says', unit: 'ms', goal: { atMost: 1_000 } },
    { key: 'killed', label: 'program after a kill', unit: 'ms', goal: { atMost: 300 } },
    { key: 'echo', label: 'CPU of 1 MiB/s to a TCP device and back', unit: '%', goal: { atMost: 3 } },
    { key: 'service', label: 'Modbus service', unit: '/s' },
    { key: 'bare', label: 'bare modbus-serial', unit: '/s' },
  ],
  ratios: [
    { label: 'pulse / timer', of: 'pulse', by: 'timer', goal: { atMost: 3 } },
    { label: 'service / bare', of: 'service', by: 'bare', goal: { atLeast: 0.9 } },
  ],
  async setUp() {
    const device = createServer({ noDelay: true }, (socket) => {
      socket.on('data', (request) => socket.write(answerTo(request)));
    });
    const port = await freeTcpPort();
    await new Promise<void>((resolve) => device.listen(port, '127.0.0.1', resolve));
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
    // Both are warm before they are measured.
    for (let turn = 0; turn < TURNS; turn++) {
      await perSecond(askService);
      await perSecond(askBare);
    }
    const panel = await openPanel();
    return {
      notes: safeStopNote === undefined ? [] : [safeStopNote],
      async round() {
        const edge = await panel.edge();
        const { pulse, bare: timer, shortest } = await pulseErrors();
        const safe = await panel.safeAfterLoss();
        const killed = await safeStopTime();
        const echo = await panel.echo();
        const outputs = { edge, pulse, timer, tooShort: Math.max(0, -shortest), safe, killed, echo };
        const seconds = { service: 0, bare: 0 };
        for (let turn = 0; turn < TURNS; turn++) {
          seconds.service += 1 / (await perSecond(askService));
          seconds.bare += 1 / (await perSecond(askBare));
        }
        return { ...outputs, service: TURNS / seconds.service, bare: TURNS / seconds.bare };
      },
      async tearDown() {
        await panel.close();
        await new Promise<void>((resolve) => bare.close(() => resolve()));
        await service.stop();
        await new Promise<void>((resolve) => device.close(() => resolve()));
      },
    };
  },
};

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
