import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { type BrowserWish, noBrowserExtras } from '../../../platform/kioskJobs.ts';
import { silentLogger } from '../../../platform/log.ts';
import { browserLimits } from '../browserLimits.ts';
import { startBrowserByStarter } from './startedBrowser.ts';

const wish: BrowserWish = {
  headless: false,
  apps: false,
  debugPort: null,
  fakeMedia: false,
  loginOrigins: [],
  extras: noBrowserExtras,
};

describe('a browser that the starter starts', () => {
  // A panel whose starter is quick and whose browser is slow would end every browser after the same time, for ever.
  test('should keep the time that its window needs when the starter answers at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-started-'));
    const starter = join(folder, 'starter');
    const asked = new Set<Socket>();
    const server = createServer((socket) => {
      asked.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => socket.write('{"pid":1}\n'));
    }).listen(starter);
    try {
      await once(server, 'listening');
      const limits = browserLimits();
      const first = limits.start.ms;
      limits.start.missed();
      limits.start.missed();
      const run = await startBrowserByStarter({
        starter,
        wish,
        env: {},
        signal: new AbortController().signal,
        log: silentLogger(),
        clock: backgroundClock,
        limits,
      });
      assert.equal(limits.start.ms, 4 * first);
      run.terminate();
    } finally {
      for (const socket of asked) socket.destroy();
      server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
