import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { freeSipPort } from '../../testing/sip/ports.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';

const LOOPBACK = '127.0.0.1';
const DESCRIPTORS = 400;
const MAIN = join(import.meta.dirname, '../../main.ts');
/** As long as it takes until everything that looks at the machine by itself has looked once. */
const LOOKED_MS = 12_000;

test('security: should stay alive without a free descriptor, and answer again once there are some', async (t) => {
  const service = new FaceplateProcess({
    // What speaks mDNS looks at the interfaces by itself, in our code and in that of libraries.
    env: {
      FACEPLATE_HTTP_HOST: '0.0.0.0',
      FACEPLATE_SIP_ENABLED: 'true',
      FACEPLATE_SIP_PORT: String(await freeSipPort()),
    },
    spawn: async (args, env) =>
      spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`, process.execPath, MAIN, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env,
      }),
  });
  t.after(() => service.stop());
  await service.start();
  const port = Number(new URL(await service.url).port);
  const token = await service.token();
  const ask = async (path: string) => {
    const response = await fetch(`http://${LOOPBACK}:${port}${path}`, {
      // A kept one would be closed meanwhile, and its descriptor be free.
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    await response?.text();
    return response?.status;
  };
  assert.equal(await ask('/healthz'), 200);
  const sockets: Socket[] = [];
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, LOOPBACK);
        sockets.push(socket.on('error', () => {}));
        await once(socket, 'connect').catch(() => {});
      }),
    );
  await fill(DESCRIPTORS + 20);
  // What the service has open for a moment meanwhile is free again after it: that too is taken.
  await until(async () => {
    const free = DESCRIPTORS - readdirSync(`/proc/${service.pid}/fd`).length;
    if (free > 0) await fill(free);
    return free === 0;
  }, 'no free descriptor');
  await timeToGoWrong(LOOKED_MS);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await ask('/api/remote/health')) === 200, 'an answer', { everyMs: 100 });
  assert.doesNotMatch(service.output, /service: exiting/);
  assert.deepEqual(await service.stop().then(({ code, left }) => ({ code, left })), { code: 0, left: [] });
});
