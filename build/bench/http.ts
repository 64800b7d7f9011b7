import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';
import { requestsPerSecond } from './httpLoad.ts';

const PATH = '/api/remote/led/state';
const CONNECTIONS = 16;
const WARM_UP_MS = 2_000;
const MEASURE_MS = 3_000;

export const httpBench: Bench = {
  name: 'http',
  about: `GET ${PATH} of the service against a bare Fastify route, ${CONNECTIONS} connections, no log`,
  rows: [
    { key: 'faceplate', label: 'faceplate', unit: '/s' },
    { key: 'bare', label: 'bare Fastify, same schema and serializer', unit: '/s' },
    { key: 'https', label: 'faceplate by HTTPS, its own certificate', unit: '/s' },
  ],
  ratios: [
    { label: 'faceplate / bare', of: 'faceplate', by: 'bare', goal: { atLeast: 0.7 } },
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
      faceplate: { port: Number(new URL(await service.url).port) },
      bare: { port: bare.port },
      https: { port: Number(await service.line(/^faceplate https (\d+)$/)), isSecure: true },
    };
    const measure = (target: { port: number; isSecure?: boolean }, ms: number) =>
      requestsPerSecond({ ...target, path: PATH, token, connections: CONNECTIONS, ms });
    for (const target of Object.values(targets)) await measure(target, WARM_UP_MS);
    return {
      round: async () => ({
        faceplate: await measure(targets.faceplate, MEASURE_MS),
        bare: await measure(targets.bare, MEASURE_MS),
        https: await measure(targets.https, MEASURE_MS),
      }),
      tearDown: async () => {
        await bare.stop();
        await service.stop();
      },
    };
  },
};

async function startBareServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bareServer.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line.split(' ').at(-1)),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
