import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';
import { ticksOf } from '../processCpu.ts';
import { requestsPerSecond } from './httpLoad.ts';

const PATH = '/api/remote/led/state';
const CONNECTIONS = 16;
const WARM_UP_MS = 2_000;
/** Both take turns, so that both have the same busy moments. */
const TURNS = 3;
const TURN_MS = 2_000;
/** A clock tick of /proc, in microseconds. */
const TICK_US = 10_000;

export const httpBench: Bench = {
  name: 'http',
  about: `GET ${PATH} of the service against a bare Fastify route, ${CONNECTIONS} connections, no log`,
  rows: [
    { key: 'faceplate', label: 'faceplate', unit: '/s' },
    { key: 'bare', label: 'bare Fastify, same schema and serializer', unit: '/s', isPeer: true },
    { key: 'faceplateCpu', label: 'CPU of one request, faceplate', unit: 'us' },
    { key: 'bareCpu', label: 'CPU of one request, bare Fastify', unit: 'us', isPeer: true },
    { key: 'https', label: 'faceplate by HTTPS, its own certificate', unit: '/s' },
  ],
  ratios: [
    { label: 'faceplate / bare', of: 'faceplate', by: 'bare', goal: { atLeast: 0.7 } },
    { label: 'CPU: faceplate / bare', of: 'faceplateCpu', by: 'bareCpu', goal: { atMost: 1.25 } },
    { label: 'HTTPS / HTTP', of: 'https', by: 'faceplate', goal: { atLeast: 0.6 } },
  ],
  async setUp() {
    const service = new FaceplateProcess({
      env: { FACEPLATE_LOG_LEVEL: 'silent', FACEPLATE_HTTPS_PORT: '0' },
    });
    const bare = await startBareServer();
    await service.start();
    const token = await service.token();
    const targets = {
      faceplate: { port: Number(new URL(await service.url).port), pid: service.pid! },
      bare: { port: bare.port, pid: bare.pid },
      https: {
        port: Number(await service.line(/^faceplate https (\d+)$/)),
        pid: service.pid!,
        isSecure: true,
      },
    };
    const measure = async (
      { pid, ...target }: { port: number; pid: number; isSecure?: boolean },
      ms: number,
    ) => {
      const before = ticksOf(pid);
      const perSecond = await requestsPerSecond({
        ...target,
        path: PATH,
        token,
        connections: CONNECTIONS,
        ms,
      });
      const cpuUs = (ticksOf(pid) - before) * TICK_US;
      return { perSecond, cpuUs: cpuUs / ((perSecond * ms) / 1_000) };
    };
    for (const target of Object.values(targets)) await measure(target, WARM_UP_MS);
    return {
      round: async () => {
        const turns = [];
        for (let turn = 0; turn < TURNS; turn++)
          turns.push({
            faceplate: await measure(targets.faceplate, TURN_MS),
            bare: await measure(targets.bare, TURN_MS),
          });
        const https = await measure(targets.https, TURN_MS);
        const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
        return {
          faceplate: mean(turns.map(({ faceplate }) => faceplate.perSecond)),
          bare: mean(turns.map(({ bare }) => bare.perSecond)),
          faceplateCpu: mean(turns.map(({ faceplate }) => faceplate.cpuUs)),
          bareCpu: mean(turns.map(({ bare }) => bare.cpuUs)),
          https: https.perSecond,
        };
      },
      tearDown: async () => {
        await bare.stop();
        await service.stop();
      },
    };
  },
};

async function startBareServer(): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bareServer.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line.split(' ').at(-1)),
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
