import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';
import { cpuTimeOf } from '../processCpu.ts';
import { latencies, quantile } from './httpLoad.ts';

const PATH = '/api/remote/led/state';
/**
 * Callers of a house, and far more than a panel has. p99 is judged of the second alone: of the first four calls of a round
 * make it.
 */
const CALM = { path: PATH, connections: 8, perSecond: 100, ms: 4_000 } as const;
const BUSY = { path: PATH, connections: 64, perSecond: 640, ms: 8_000 } as const;
/** Until the code of both is compiled. */
const WARM_UP = { ...BUSY, perSecond: 1_500, ms: 4_000 } as const;

export const httpBench: Bench = {
  name: 'http',
  about: `GET ${PATH} at fixed times, beside a bare Fastify route with the same schema, no log`,
  rows: [
    ...rowsOf('calm', '100 calls a second on 8 connections'),
    ...rowsOf('busy', '640 a second on 64'),
    { key: 'cpu', label: 'CPU of one request of these', unit: 'us' },
    { key: 'cpuBare', label: 'the same, bare Fastify', unit: 'us', isPeer: true },
    { key: 'secure', label: '100 on 8 by HTTPS, p50', unit: 'ms' },
  ],
  ratios: [
    {
      label: '100 a second, p50: faceplate / bare',
      of: 'calmP50',
      by: 'calmBareP50',
      goal: { atMost: 1.25 },
    },
    {
      label: '640 a second, p50: faceplate / bare',
      of: 'busyP50',
      by: 'busyBareP50',
      goal: { atMost: 1.25 },
    },
    {
      label: '640 a second, p99: faceplate / bare',
      of: 'busyP99',
      by: 'busyBareP99',
      goal: { atMost: 1.25 },
    },
    { label: 'CPU of one request: faceplate / bare', of: 'cpu', by: 'cpuBare', goal: { atMost: 1.25 } },
    { label: 'HTTPS / HTTP, p50', of: 'secure', by: 'calmP50', goal: { atMost: 1.5 } },
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const bare = stack.use(await startBareServer());
    const service = new FaceplateProcess({
      env: { FACEPLATE_LOG_LEVEL: 'silent', FACEPLATE_HTTPS_PORT: '0' },
    });
    stack.defer(async () => void (await service.stop()));
    await service.start();
    const token = await service.token();
    const both = {
      ours: { token, port: Number(new URL(await service.url).port) },
      bare: { token, port: bare.port },
    };
    const secure = {
      token,
      port: Number(await service.line(/^faceplate https (\d+)$/)),
      isSecure: true,
    };
    await latencies({ ...both, secure }, WARM_UP);
    const ending = stack.move();
    return {
      round: async () => {
        // By HTTP and HTTPS at the same time: of two times after each other, one is often the busier.
        const calm = await latencies({ ...both, secure }, CALM);
        const before = { cpu: cpuTimeOf(service.pid!), cpuBare: cpuTimeOf(bare.pid) };
        const busy = await latencies(both, BUSY);
        const requests = busy.ours.length;
        const cpu = ((cpuTimeOf(service.pid!) - before.cpu) * 1_000) / requests;
        const cpuBare = ((cpuTimeOf(bare.pid) - before.cpuBare) * 1_000) / requests;
        return {
          calmP50: quantile(calm.ours, 0.5),
          calmP99: quantile(calm.ours, 0.99),
          calmBareP50: quantile(calm.bare, 0.5),
          calmBareP99: quantile(calm.bare, 0.99),
          busyP50: quantile(busy.ours, 0.5),
          busyP99: quantile(busy.ours, 0.99),
          busyBareP50: quantile(busy.bare, 0.5),
          busyBareP99: quantile(busy.bare, 0.99),
          cpu,
          cpuBare,
          secure: quantile(calm.secure, 0.5),
        };
      },
      tearDown: () => ending.disposeAsync(),
    };
  },
};

function rowsOf(key: 'calm' | 'busy', label: string): Bench['rows'] {
  return [
    { key: `${key}P50`, label: `${label}, p50`, unit: 'ms' },
    { key: `${key}BareP50`, label: 'the same, bare Fastify', unit: 'ms', isPeer: true },
    { key: `${key}P99`, label: `${label}, p99`, unit: 'ms' },
    { key: `${key}BareP99`, label: 'the same, bare Fastify', unit: 'ms', isPeer: true },
  ];
}

async function startBareServer(): Promise<AsyncDisposable & { port: number; pid: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bareServer.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line.split(' ').at(-1)),
    pid: child.pid!,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
