import { SerialPort } from 'serialport';
import { SerialService } from '../../server/parts/serial/service.ts';
import { Tty } from '../../server/parts/serial/tty.ts';
import { EventBus } from '../../server/platform/eventBus.ts';
import { silentLogger } from '../../server/platform/log.ts';
import { PtyLine } from '../../server/testing/ptyLine.ts';
import type { Bench } from './bench.ts';
import { median } from './bench.ts';

const ROUND_TRIPS = 40;
const BAUD_RATE = 115_200;
/** A read ends after this many milliseconds without a byte; the bare loop follows the same rule. */
const GAP_MS = 20;
/** A Modbus request: read two holding registers. */
const FRAME = Buffer.from('010300000002C40B', 'hex');

export const serialBench: Bench = {
  name: 'serial',
  about: `round trip of ${FRAME.length} bytes over a pty with an echoing peer, each with the ${GAP_MS} ms gap that ends a read`,
  rows: [
    { key: 'service', label: 'serial service, write and read', unit: 'ms' },
    { key: 'bare', label: 'bare serialport, write and wait', unit: 'ms', isPeer: true },
  ],
  ratios: [{ label: 'service / bare', of: 'service', by: 'bare', goal: { atMost: 2 } }],
  async setUp() {
    const lines = [new PtyLine(), new PtyLine()] as const;
    for (const line of lines) await line.plug();
    const log = silentLogger();
    const service = new SerialService({
      ports: [{ port: 'bench', driver: new Tty(lines[0].path) }],
      events: new EventBus(log),
      log,
    });
    await service.start();
    const bare = new SerialPort({ path: lines[1].path, baudRate: BAUD_RATE, autoOpen: false });
    await new Promise<void>((resolve, reject) => bare.open((error) => (error ? reject(error) : resolve())));
    return {
      round: async () => ({
        service: await medianOf(() => askService(service)),
        bare: await medianOf(() => askBare(bare)),
      }),
      tearDown: async () => {
        await service.stop();
        await new Promise<void>((resolve) => bare.close(() => resolve()));
        for (const line of lines) await line.close();
      },
    };
  },
};

async function askService(service: SerialService): Promise<void> {
  const { signal } = new AbortController();
  const line = { port: 'bench', baudRate: BAUD_RATE };
  await service.write({ ...line, hex: FRAME.toString('hex') }, { signal });
  const { hex } = await service.read({ ...line, timeout: 1_000 }, { signal });
  if (hex.length !== 2 * FRAME.length) throw new Error(`The peer echoed ${hex}.`);
}

function askBare(port: SerialPort): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let gap: NodeJS.Timeout | undefined;
    const receive = (chunk: Buffer) => {
      bytes += chunk.length;
      clearTimeout(gap);
      gap = setTimeout(() => {
        port.off('data', receive);
        if (bytes === FRAME.length) resolve();
        else reject(new Error(`The peer echoed ${bytes} bytes.`));
      }, GAP_MS);
    };
    port.on('data', receive);
    port.write(FRAME);
  });
}

async function medianOf(ask: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const startedAt = performance.now();
    await ask();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
