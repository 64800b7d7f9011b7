import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { TestProjects } from '../testing/testProjects.ts';

const PROGRAM = join(import.meta.dirname, '../testing/fetchUntilKilled.ts');

test('should leave no file behind after kill -9 in the middle, from the next start on', async () => {
  const dataDir = temporaryFolder('fetch');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write(Buffer.alloc(1_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const child = spawn(process.execPath, [PROGRAM, dataDir, url], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await using projects = await TestProjects.make({}, dataDir);
    const archives = async () => (await projects.onDisk()).filter((name) => name.endsWith('/archive'));
    await until(async () => (await archives()).length === 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal((await archives()).length, 1);
    await projects.restart();
    assert.deepEqual(await projects.onDisk(), []);
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
});
