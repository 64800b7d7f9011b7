import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { HttpServer } from './server.ts';

const make = (port = 0) => new HttpServer({ host: '127.0.0.1', port, log: silentLogger() });

it('should answer STARTING to all callers until the surface is opened', async () => {
  const server = make();
  await server.start();
  try {
    for (const path of ['/healthz', '/api/remote/info', '/']) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'], path);
      assert.equal(((await response.json()) as { code: string }).code, 'STARTING');
    }
  } finally {
    await server.stop();
  }
});

it('should report a port in use before anything else is started', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await assert.rejects(make(port).start(), { code: 'EADDRINUSE', port });
  } finally {
    other.close();
  }
});

it('should stop before it was started or opened, and twice', async () => {
  const server = make();
  await server.stop();
  await server.stop();
});
