import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { trustsNobody } from '../testing/testKiosk.ts';
import { onWorldChange, PageUnreachable, whyUnreachable } from './pageUnreachable.ts';

describe('an outage', () => {
  test('should be distinguished from a server that is there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    assert.equal(await whyUnreachable(`http://p1.localhost:${port}/`), undefined);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await whyUnreachable(`http://p1.localhost:${port}/`), 'refused');
    assert.match((await whyUnreachable('http://faceplate.invalid/'))!, /^(no-name|unreachable)$/);
  });

  test('should say what is waited for as it is now, and show the same page once', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const shown: string[] = [];
    let isBehindPortal = false;
    let knock = () => {};
    const recovery = {
      count: () => {},
      cancel: () => {},
      schedule: (_: string, run: () => void) => (knock = run),
    };
    const outage = new PageUnreachable({
      clock: new FakeClock(),
      recovery: recovery as never,
      certificates: trustsNobody,
      panel: async () => ({ ...panelForTests, isBehindPortal }),
      refusedMs: 5_000,
      retryMs: 15_000,
      home: () => `http://127.0.0.1:${port}/`,
      goHome: async () => assert.fail('nobody answers'),
      showNotice: async (url) => void shown.push(decodeURIComponent(url)),
    });
    const tried = async () => {
      const before = knock;
      before();
      await until(() => knock !== before);
    };
    outage.begin();
    await until(() => shown.length === 1);
    for (let time = 0; time < 3; time++) await tried();
    assert.equal(shown.length, 1);
    isBehindPortal = true;
    await tried();
    await until(() => shown.length === 2);
    assert.doesNotMatch(shown[0]!, /a login in a browser/);
    assert.match(shown[0]!, /Next try in at most 15 seconds\./);
    assert.match(shown[1]!, /not on this port.*a login in a browser/s);
    outage.end();
  });

  test('should know when an address comes or goes, when the panel was suspended, and when the clock was set', async () => {
    const clock = new FakeClock();
    const world = { addresses: ['127.0.0.1'], suspended: 0, date: 0 };
    const heard: string[][] = [];
    const end = onWorldChange(clock, (changes) => heard.push([...changes]), {
      addresses: () => world.addresses,
      uptime: () => clock.now() + world.suspended,
      wall: () => clock.now() + world.suspended + world.date,
    });
    const after = async (change: Partial<typeof world>) => {
      Object.assign(world, change);
      heard.length = 0;
      await clock.advance(1_000);
      return heard;
    };
    assert.deepEqual(await after({}), []);
    assert.deepEqual(await after({ addresses: ['127.0.0.1', '192.168.1.7'] }), [['up']]);
    assert.deepEqual(await after({ addresses: ['127.0.0.1'] }), [['moved']]);
    assert.deepEqual(await after({ addresses: ['127.0.0.1', '192.168.1.7'] }), [['up', 'moved']]);
    assert.deepEqual(await after({ addresses: ['127.0.0.1', '10.0.0.9'] }), [['up', 'moved']]);
    assert.deepEqual(await after({ suspended: 4_000, date: 4_000 }), []);
    assert.deepEqual(await after({ suspended: 3_600_000 }), [['woke']]);
    const months = 120 * 24 * 3_600_000;
    assert.deepEqual(await after({ date: months }), [['set']]);
    assert.deepEqual(await after({ date: -months }), [['set']]);
    end();
    assert.equal(clock.pending, 0);
  });
});
