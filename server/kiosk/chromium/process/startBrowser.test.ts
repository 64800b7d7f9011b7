import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { type BrowserRequest, noBrowserExtras } from '../../../platform/kioskJobs.ts';
import { silentLogger } from '../../../platform/log.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { type BrowserLimits, browserLimits } from '../chromiumHostOptions.ts';
import { startBrowserByStarter } from './startBrowser.ts';

const wish: BrowserRequest = {
  headless: false,
  apps: false,
  debugPort: null,
  fakeMedia: false,
  loginOrigins: [],
  cookieOrigins: [],
  extras: noBrowserExtras,
};

/** A starter that takes every job and starts nothing. */
async function fakeStarter(t: TestContext): Promise<{ path: string; jobs: string[] }> {
  const folder = temporaryFolder('started');
  const path = join(folder, 'starter');
  const asked = new Set<Socket>();
  const jobs: string[] = [];
  const server = createServer((socket) => {
    asked.add(socket);
    socket.on('error', () => {});
    socket.once('data', (words) => {
      const { job } = JSON.parse(String(words)) as { job: string };
      jobs.push(job);
      socket.write('{"pid":1}\n');
      if (job !== 'browser') socket.end();
    });
  }).listen(path);
  t.after(async () => {
    for (const socket of asked) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { path, jobs };
}

function startBy(starter: string, limits: BrowserLimits) {
  return startBrowserByStarter({
    starter,
    wish,
    env: {},
    signal: new AbortController().signal,
    log: silentLogger(),
    clock: backgroundClock,
    limits,
  });
}

describe('a browser that the starter starts', () => {
  // A panel whose starter is quick and whose browser is slow would end every browser after the same time, for ever.
  test('should keep the time that its window needs when the starter answers at once', async (t) => {
    const starter = await fakeStarter(t);
    const limits = browserLimits();
    const first = limits.start.ms;
    limits.start.missed();
    limits.start.missed();
    const run = await startBy(starter.path, limits);
    assert.equal(limits.start.ms, 4 * first);
    run.terminate();
  });

  test('should be ended by one job, not by one for the kill and another for the end', async (t) => {
    const starter = await fakeStarter(t);
    const run = await startBy(starter.path, browserLimits());
    run.kill();
    run.kill();
    await run.exited;
    assert.deepEqual(starter.jobs, ['browser', 'end']);
  });
});
