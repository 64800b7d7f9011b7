import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { windowAt } from './channel.ts';
import { UpdatePanel } from './testing/updatePanel.ts';

const HOUR = 3_600_000;
const bytes = Buffer.alloc(100_000, 'bundle');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const entry = (version: string, more: object = {}) => ({
  ...{ version, boards: ['debian-test'], url: `${version}.deb`, sha256 },
  ...more,
});

/** Serves on a free port of this machine, until it is disposed of. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const call = { signal: new AbortController().signal };
const choices = { older: false, restart: true };

describe('the channel of updates', () => {
  test('should offer the newest version for this board, and skip what it does not understand', async () => {
    await using panel = new UpdatePanel();
    panel.settings.channel = 'http://updates.lan/list/channel.json';
    panel.channelText = JSON.stringify([
      entry('1.9.0', { size: 12, notes: 'Better', signature: 'ignored' }),
      entry('1.10.0-beta.1', { url: 'https://elsewhere.lan/b.deb' }),
      entry('1.10.0', { sha256: 'short' }),
      entry('9.0.0', { boards: ['debian-other'] }),
      entry('latest'),
      'nonsense',
      entry('0.9.0'),
    ]);
    await panel.start();
    await until(() => panel.service.state().available !== null);
    assert.deepEqual(panel.service.state().available, { version: '1.10.0-beta.1', notes: null, size: null });
    panel.channelText = JSON.stringify([entry('1.9.0', { size: 12, notes: 'Better' })]);
    await panel.clock.advance(6 * HOUR);
    await until(() => panel.service.state().available?.version === '1.9.0');
    assert.deepEqual(panel.service.state().available, { version: '1.9.0', notes: 'Better', size: 12 });
    assert.deepEqual(panel.events.at(-1)?.available?.version, '1.9.0');
  });

  test('should change nothing when the list cannot be read, and offer nothing without a channel', async () => {
    await using panel = new UpdatePanel();
    panel.settings.channel = 'http://updates.lan/channel.json';
    panel.channelText = JSON.stringify([entry('1.1.0')]);
    await panel.start();
    await until(() => panel.service.state().available !== null);
    for (const text of ['{"no":"list"}', 'garbage']) {
      panel.channelText = text;
      await panel.clock.advance(6 * HOUR);
      await settled();
      assert.equal(panel.service.state().available?.version, '1.1.0');
    }
    panel.settings.channel = '';
    panel.service.follow();
    assert.equal(panel.service.state().available, null);
    await assert.rejects(panel.service.fetch(choices, call), { code: 'CONFLICT' });
    assert.equal(panel.service.state().state, 'idle');
  });

  test('should be read again ten minutes after it failed: the clock or the link of the panel may come late', async () => {
    await using panel = new UpdatePanel();
    panel.settings.channel = 'http://updates.lan/channel.json';
    panel.channelText = 'garbage';
    await panel.start();
    await until(() => panel.loginsAsked.length === 1);
    await settled();
    panel.channelText = JSON.stringify([entry('1.1.0')]);
    await panel.clock.advance(10 * 60_000);
    await until(() => panel.service.state().available?.version === '1.1.0');
  });

  test('should be read every six hours, an hour more or less by chance', async () => {
    for (const [random, hours] of [
      [0, 5],
      [1, 7],
    ] as const) {
      await using panel = new UpdatePanel();
      panel.random = random;
      panel.settings.channel = 'http://updates.lan/channel.json';
      await panel.start();
      await settled();
      panel.channelText = JSON.stringify([entry('1.1.0')]);
      await panel.clock.advance(hours * HOUR - 1_000);
      await settled();
      assert.equal(panel.service.state().available, null);
      await panel.clock.advance(2_000);
      await until(() => panel.service.state().available !== null);
    }
  });
});

describe('a version that is fetched', () => {
  test('security: should come with the login of the channel from its server, and from no other', async () => {
    const came: [string, string | undefined][] = [];
    const answer =
      (name: string): RequestListener =>
      ({ headers }, response) => {
        came.push([name, headers.authorization]);
        response.end(bytes);
      };
    await using own = await serve(answer('own'));
    await using other = await serve(answer('other'));
    await using panel = new UpdatePanel();
    panel.settings.channel = `${own.url}channel.json`;
    panel.settings.login = { username: 'panel', password: 'pw' };
    panel.channelText = JSON.stringify([entry('1.1.0')]);
    await panel.start();
    await until(() => panel.service.state().available !== null);
    assert.deepEqual(panel.loginsAsked, [panel.settings.login]);
    // Another login may open it again.
    panel.settings.login = { username: 'panel', password: 'new' };
    panel.service.follow();
    await until(() => panel.loginsAsked.length === 2);
    await panel.service
      .fetch({ ...choices, url: `${other.url}a`, sha256: '0'.repeat(64) }, call)
      .catch(() => {});
    await panel.service.fetch(choices, call);
    const basic = `Basic ${Buffer.from('panel:new').toString('base64')}`;
    assert.deepEqual(came, [
      ['other', undefined],
      ['own', basic],
    ]);
  });

  test('should come from an address over a redirect, and be installed where its digest fits', async () => {
    await using server = await serve(({ url }, response) => {
      if (url === '/a') response.writeHead(302, { location: '/b' }).end();
      else response.setHeader('content-length', bytes.length).end(bytes);
    });
    await using panel = new UpdatePanel();
    await panel.start();
    const wrong = panel.service.fetch({ ...choices, url: `${server.url}a`, sha256: '0'.repeat(64) }, call);
    await assert.rejects(wrong, { code: 'INVALID_REQUEST', field: 'sha256' });
    assert.deepEqual(panel.driver.asked, []);
    const upper = sha256.toUpperCase();
    const fetched = await panel.service.fetch({ ...choices, url: `${server.url}a`, sha256: upper }, call);
    assert.deepEqual(fetched, { version: '1.1.0' });
    assert.deepEqual(panel.driver.asked, ['install']);
  });

  test('should fail with UPDATE_FAILED where it does not arrive, and leave the panel idle', async () => {
    await using server = await serve(({ url }, response) => {
      if (url === '/gone') response.writeHead(404).end();
      if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      if (url === '/stall') response.setHeader('content-length', bytes.length).write('b');
      if (url === '/large') response.setHeader('content-length', 2 ** 31 + 1).write('b');
      if (url === '/cut') {
        response.setHeader('content-length', bytes.length).write('b');
        setImmediate(() => response.destroy());
      }
    });
    await using panel = new UpdatePanel();
    await panel.start();
    for (const [path, code, words] of [
      ['gone', 'UPDATE_FAILED', /answers 404/],
      ['loop', 'UPDATE_FAILED', /redirected more than 5 times/],
      ['stall', 'UPDATE_FAILED', /nothing came for 30 s/],
      ['cut', 'UPDATE_FAILED', /did not arrive/],
      ['large', 'TOO_LARGE', /2048 MiB/],
    ] as const) {
      let isOver = false;
      const failed = assert.rejects(
        panel.service.fetch({ ...choices, url: server.url + path, sha256 }, call).finally(() => {
          isOver = true;
        }),
        { code, message: words },
      );
      await until(async () => {
        await panel.clock.advance(5_000);
        return isOver;
      });
      await failed;
      assert.equal(panel.service.state().state, 'idle', path);
    }
    const free = server.url.replace(/:\d+\//, ':1/');
    await assert.rejects(panel.service.fetch({ ...choices, url: free, sha256 }, call), {
      code: 'UPDATE_FAILED',
    });
  });

  test('should be what is available where no address is named, and say how far it is', async () => {
    await using server = await serve((_, response) =>
      response.setHeader('content-length', bytes.length).end(bytes),
    );
    await using panel = new UpdatePanel();
    panel.settings.channel = `${server.url}channel.json`;
    panel.channelText = JSON.stringify([entry('1.1.0')]);
    await panel.start();
    await until(() => panel.service.state().available !== null);
    assert.deepEqual(await panel.service.fetch(choices, call), { version: '1.1.0' });
  });

  test('should wait up to 30 s by chance where others were told the same', async () => {
    await using server = await serve((_, response) => response.end(bytes));
    await using panel = new UpdatePanel();
    await panel.start();
    const fetched = panel.service.fetch(
      { ...choices, url: server.url, sha256 },
      { ...call, isOneOfMany: true },
    );
    await panel.clock.advance(14_900);
    assert.equal(panel.service.state().state, 'fetching');
    await panel.clock.advance(200);
    assert.deepEqual(await fetched, { version: '1.1.0' });
  });
});

describe('the window of updates', () => {
  async function panelWithVersion(window: string) {
    const server = await serve((_, response) => response.end(bytes));
    const panel = new UpdatePanel();
    panel.settings.window = window;
    panel.settings.channel = `${server.url}channel.json`;
    panel.channelText = JSON.stringify([entry('1.1.0')]);
    await panel.start();
    await until(() => panel.service.state().available !== null);
    return {
      panel,
      async [Symbol.asyncDispose]() {
        await panel[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }
  const local = (hours: number, day = 4) => new Date(2026, 4, day, hours).toISOString();
  const isTaken = (panel: UpdatePanel) =>
    until(() => panel.driver.asked.includes('install') || panel.service.state().state === 'restarting');

  test('should take what is available at a random moment of its first half', async () => {
    await using made = await panelWithVersion('22:00-02:00');
    const { panel } = made;
    // The middle of the first half.
    await panel.clock.advanceTo(new Date(2026, 4, 4, 22, 59).toISOString());
    await settled();
    assert.deepEqual(panel.driver.asked, []);
    await panel.clock.advanceTo(new Date(2026, 4, 4, 23, 1).toISOString());
    await isTaken(panel);
    assert.deepEqual(panel.noted, [{ 'update.fetch': { version: '1.1.0' } }]);
  });

  test('should never take it during a call, but then at once, also past midnight', async () => {
    await using made = await panelWithVersion('22:00-02:00');
    const { panel } = made;
    panel.isInCall = true;
    await panel.clock.advanceTo(local(1, 5));
    await settled();
    assert.deepEqual(panel.driver.asked, []);
    panel.isInCall = false;
    await panel.clock.advance(31_000);
    await isTaken(panel);
  });

  test('should not restart either while somebody talks', async () => {
    await using made = await panelWithVersion('22:00-02:00');
    const { panel } = made;
    await panel.clock.advanceTo(new Date(2026, 4, 4, 23, 1).toISOString());
    await until(() => panel.service.state().state === 'restarting');
    panel.isInCall = true;
    await panel.clock.advance(120_000);
    assert.deepEqual(panel.driver.asked, ['install']);
    panel.isInCall = false;
    await until(async () => {
      await panel.clock.advance(1_000);
      return panel.driver.asked.includes('restart');
    });
  });

  test('should not take a version again that was taken back', async () => {
    await using made = await panelWithVersion('22:00-02:00');
    const { panel } = made;
    await panel.service.fetch(choices, call);
    await panel.service.return();
    assert.deepEqual(panel.driver.asked, ['install', 'discard']);
    await panel.clock.advanceTo(local(6, 5));
    await settled();
    assert.deepEqual(panel.driver.asked, ['install', 'discard']);
    assert.equal(panel.service.state().available?.version, '1.1.0');
  });

  test('should not be used where there is none', async () => {
    await using made = await panelWithVersion('');
    const { panel } = made;
    await panel.clock.advance(25 * HOUR);
    assert.deepEqual(panel.driver.asked, []);
  });
});

const at = (day: number, hours: number, minutes = 0) => new Date(2026, 4, day, hours, minutes).getTime();

describe('the window of a setting', () => {
  test('should be the one that a moment lies in, else the next one', () => {
    const night = { from: at(5, 2), to: at(5, 4) };
    assert.deepEqual(windowAt('02:00-04:00', at(4, 12)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 2)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 3, 59)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 4)), { from: at(6, 2), to: at(6, 4) });
  });

  test('should pass midnight', () => {
    const night = { from: at(4, 22, 30), to: at(5, 2) };
    assert.deepEqual(windowAt('22:30-02:00', at(4, 12)), night);
    assert.deepEqual(windowAt('22:30-02:00', at(5, 1, 59)), night);
    assert.deepEqual(windowAt('22:30-02:00', at(5, 2)), { from: at(5, 22, 30), to: at(6, 2) });
  });
});
