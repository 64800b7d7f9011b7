import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { EventPayload } from '../../contract/events.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { HouseAuthority } from '../../testing/houseAuthority.ts';
import { until } from '../../testing/waiting.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { TestProjects } from '../testing/testProjects.ts';
import { ProjectFetchService } from './service.ts';

/** A clock that a test moves; only the pauses between two tries pass by themselves. */
class Clock extends FakeClock {
  override after(milliseconds: number, run: () => void): () => void {
    if (milliseconds > 4_000) return super.after(milliseconds, run);
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  }
}

/** Breaks a line once the panel has written more than `bytes`: what is still on its way is lost with a line. */
async function breakAfter(response: ServerResponse, projects: TestProjects, bytes: number): Promise<void> {
  await until(async () => {
    const name = (await projects.onDisk()).find((each) => each.endsWith('/archive'));
    return name !== undefined && (await stat(join(projects.dataDir, 'projects', name))).size > bytes;
  });
  response.destroy();
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const noise = createHash('sha512').update('noise').digest();
const archive = zipFile([
  { name: 'index.html', content: 'hello' },
  { name: 'picture', content: Buffer.concat(Array.from({ length: 40_000 }, () => noise)), method: 0 },
]);
const noCaller = new AbortController().signal;

describe('a project that is fetched', () => {
  const cleanUp: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const end of cleanUp.splice(0).reverse()) await end();
  });

  async function listen(server: Server & { closeAllConnections?(): void }): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => {
      server.closeAllConnections?.();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }
  const serve = async (listener: RequestListener) =>
    `http://127.0.0.1:${await listen(createServer(listener))}/p.zip`;

  async function panel(
    options: Partial<ConstructorParameters<typeof ProjectFetchService>[0]> & {
      projectOptions?: Parameters<typeof TestProjects.make>[0];
    } = {},
  ) {
    const projects = await TestProjects.make(options.projectOptions);
    cleanUp.push(() => projects[Symbol.asyncDispose]());
    const clock = new Clock();
    const events: EventPayload<'project'>[] = [];
    const service = new ProjectFetchService({
      projects: projects.service,
      closedPorts: () => [],
      authorities: () => [],
      events: { emit: (_name, payload) => events.push(payload as EventPayload<'project'>) },
      clock,
      log: silentLogger(),
      ...options,
    });
    const fetch = (url: string, given: object = {}, context: object = {}) =>
      service.fetch(
        { url, name: 'Lobby', sha256: sha256(archive), activate: true, ...given },
        { signal: noCaller, ...context },
      );
    /** Nothing of it is left: no project, no file, no timer. */
    const isUntouched = async () => {
      assert.deepEqual(projects.service.list().projects, []);
      assert.deepEqual(await projects.onDisk(), ['.staging']);
      assert.equal(clock.pending, 0);
      assert.equal(events.at(-1)?.state, 'failed');
    };
    return { projects, clock, events, service, fetch, isUntouched };
  }

  it('should be installed and shown, and say how far it is', async () => {
    const url = await serve((_request, response) => {
      response.write(archive.subarray(0, 1_000));
      response.end(archive.subarray(1_000));
    });
    const { fetch, projects, events } = await panel();
    assert.deepEqual(await fetch(url), { id: 'lobby', name: 'Lobby', active: true });
    const [entry] = projects.service.list().projects;
    assert.equal(entry?.version, sha256(archive).slice(0, 12));
    assert.equal(entry?.active, true);
    assert.deepEqual(
      events.map(({ state }) => state),
      ['fetching', 'unpacking', 'installed'],
    );
    assert.deepEqual(events.at(-1), {
      name: 'Lobby',
      state: 'installed',
      received: archive.length,
      total: null,
    });
  });

  it('should not be shown where that is not wanted, and take a digest in either case', async () => {
    const url = await serve((_request, response) =>
      response.setHeader('content-length', archive.length).end(archive),
    );
    const { fetch, projects, events } = await panel();
    const answer = await fetch(url, { activate: false, sha256: sha256(archive).toUpperCase() });
    assert.equal(answer.active, false);
    assert.equal(projects.service.active, null);
    assert.equal(events.at(-1)?.total, archive.length);
  });

  it('security: should change nothing when the digest differs, and never unpack it', async () => {
    const url = await serve((_request, response) => response.end(archive));
    const { fetch, isUntouched, events } = await panel();
    const wanted = { code: 'INVALID_REQUEST', field: 'sha256', status: 400 };
    await assert.rejects(fetch(url, { sha256: '0'.repeat(64) }), wanted);
    assert.deepEqual(
      events.map(({ state }) => state),
      ['fetching', 'failed'],
    );
    await isUntouched();
  });

  it('security: should be refused for what an upload is refused for', async () => {
    const bad = zipFile([{ name: '../index.html', content: 'x' }]);
    const url = await serve((_request, response) => response.end(bad));
    const { fetch, isUntouched } = await panel();
    await assert.rejects(fetch(url, { sha256: sha256(bad) }), { code: 'INVALID_REQUEST' });
    await isUntouched();
  });

  it('should go on where the line broke, and ask for the rest alone', async () => {
    const { fetch, events, projects } = await panel();
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers.range);
      assert.equal(request.headers['if-range'], asked.length > 1 ? '"v1"' : undefined);
      const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
      if (from > 0)
        response.writeHead(206, {
          'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}`,
          'content-length': archive.length - from,
        });
      else response.writeHead(200, { etag: '"v1"', 'content-length': archive.length });
      if (asked.length === 4) return response.end(archive.subarray(from));
      response.write(archive.subarray(from, from + 500_000));
      void breakAfter(response, projects, from);
    });
    assert.equal((await fetch(url)).active, true);
    assert.equal(asked.length, 4);
    assert.equal(asked[0], undefined);
    assert.ok(asked.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? '')));
    assert.equal(events.at(-1)?.received, archive.length);
  });

  it('should begin again where the server cannot resume, or has another file by now', async () => {
    for (const header of [{}, { etag: 'W/"weak"' }, { etag: '"old"' }]) {
      const { fetch, projects } = await panel();
      let count = 0;
      const url = await serve((request, response) => {
        count++;
        // A server without ranges, or with a new file, answers 200 with all of it (RFC 9110 section 13.1.5).
        assert.equal(request.headers.range !== undefined, count > 1 && header.etag === '"old"');
        response.writeHead(200, { ...header, 'content-length': archive.length });
        if (count > 1) return response.end(archive);
        response.write(archive.subarray(0, 100_000));
        void breakAfter(response, projects, 0);
      });
      assert.equal((await fetch(url)).active, true);
      assert.equal(count, 2);
    }
  });

  it('should fail after a few tries on a line that never holds', async () => {
    let count = 0;
    const url = await serve((_request, response) => {
      count++;
      response.writeHead(200, { 'content-length': archive.length });
      response.write(archive.subarray(0, 100_000), () => response.destroy());
    });
    const { fetch, isUntouched } = await panel();
    await assert.rejects(fetch(url), { code: 'UPDATE_FAILED', status: 502 });
    assert.equal(count, 5);
    await isUntouched();
  });

  it('should fail with a reason where nothing comes', async () => {
    let count = 0;
    const url = await serve((request, response) => {
      count++;
      if (request.url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
      if (request.url === '/packed') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
      response.writeHead(request.url === '/ill' ? 503 : 404).end();
    });
    const closed = await listen(createTcpServer((socket) => socket.destroy()));
    for (const [address, message] of [
      [url, /answers 404/],
      [new URL('/ill', url).href, /answers 503/],
      [new URL('/loop', url).href, /more than 5 times/],
      [new URL('/packed', url).href, /packs/],
      ['http://127.0.0.1:1/p.zip', /ECONNREFUSED/],
      ['http://nowhere.invalid/p.zip', /did not arrive/],
      [`http://127.0.0.1:${closed}/`, /did not arrive/],
      [`https://127.0.0.1:${new URL(url).port}/`, /did not arrive/],
    ] as const) {
      const { fetch, isUntouched } = await panel();
      await assert.rejects(fetch(address), { code: 'UPDATE_FAILED', message });
      await isUntouched();
    }
    assert.ok(count < 12);
  });

  it('security: should end a server that sends nothing for 30 s, at once or in the middle', async () => {
    let silent = 0;
    const url = await serve((request, response) => {
      if (request.url !== '/middle') return void silent++;
      response.writeHead(200, { 'content-length': archive.length });
      response.write(archive.subarray(0, 1_000), () => silent++);
    });
    for (const path of ['/first', '/middle']) {
      silent = 0;
      const { fetch, clock, projects, isUntouched, events } = await panel();
      const fetched = assert.rejects(fetch(new URL(path, url).href), {
        code: 'UPDATE_FAILED',
        message: /nothing came for 30 s/,
      });
      await until(() => silent === 1);
      if (path === '/middle')
        await until(async () => (await projects.onDisk()).some((name) => name.endsWith('/archive')));
      // Time goes on in steps, so that a byte that is just arriving does not matter.
      while (events.at(-1)?.state !== 'failed') await clock.advance(10_000);
      await fetched;
      await isUntouched();
    }
  });

  it('security: should refuse more than 512 MiB as soon as it is known', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 512 * 1024 ** 2 + 1 });
      response.write('x');
    });
    const { fetch, isUntouched } = await panel();
    await assert.rejects(fetch(url), { code: 'TOO_LARGE', status: 413 });
    await isUntouched();
  });

  it('should want room on the disk before a byte is written', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 10 * 1024 ** 2 });
      response.write('x');
    });
    const { fetch, isUntouched } = await panel({ projectOptions: { freeBytes: async () => 70 * 1024 ** 2 } });
    await assert.rejects(fetch(url), { code: 'STORAGE_FULL', status: 507 });
    await isUntouched();
  });

  it('should be the only one at a time', async () => {
    const answers: ServerResponse[] = [];
    const url = await serve((_request, response) => void answers.push(response));
    const { fetch, events } = await panel();
    const first = fetch(url);
    await until(() => answers.length === 1);
    await assert.rejects(fetch(url), { code: 'CONFLICT', status: 409 });
    assert.equal(events.length, 1);
    answers[0]!.end(archive);
    await first;
    const again = fetch(url);
    await until(() => answers.length === 2);
    answers[1]!.end(archive);
    await again;
  });

  it('should wait up to 30 s by chance where others were told the same', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      response.end(archive);
    });
    const { fetch, clock } = await panel({ random: () => 0.5 });
    const fetched = fetch(url, {}, { isOneOfMany: true });
    await clock.advance(14_999);
    assert.equal(asked, 0);
    // The wait counts as fetching.
    await assert.rejects(fetch(url), { code: 'CONFLICT' });
    await clock.advance(1);
    await fetched;
    assert.equal(asked, 1);
  });

  it('should end with its caller or the service, at once and without a trace', async () => {
    const open: IncomingMessage[] = [];
    const url = await serve((request, response) => {
      open.push(request);
      response.write(archive.subarray(0, 1_000));
    });
    const one = await panel();
    const caller = new AbortController();
    const left = one.fetch(url, {}, { signal: caller.signal });
    await until(() => open.length === 1);
    caller.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    await one.isUntouched();
    const stopped = assert.rejects(one.fetch(url), { code: 'SHUTTING_DOWN' });
    await until(() => open.length === 2);
    await one.service.stop();
    await stopped;
    await one.isUntouched();
    await until(() => open.every(({ socket }) => socket.destroyed));
    // In the wait for its turn too.
    const two = await panel();
    const waiting = assert.rejects(two.fetch(url, {}, { isOneOfMany: true }), { code: 'SHUTTING_DOWN' });
    await two.service.stop();
    await waiting;
    assert.equal(two.clock.pending, 0);
    assert.equal(open.length, 2);
  });

  it('should announce bytes at a bounded rate', async () => {
    const url = await serve((_request, response) => response.end(archive));
    const { fetch, events, clock } = await panel();
    const moving = setInterval(() => clock.stall(100), 1);
    try {
      await fetch(url);
    } finally {
      clearInterval(moving);
    }
    const still = await panel();
    await still.fetch(url);
    assert.equal(still.events.length, 3);
    assert.ok(events.length >= 3);
  });

  it("security: should never ask the panel's own servers, nor be led to this machine", async () => {
    let asked = 0;
    const own = await serve((_request, response) => {
      asked++;
      response.end(archive);
    });
    const { port } = new URL(own);
    const over = await serve((_request, response) => response.writeHead(302, { location: own }).end());
    const refused = { code: 'UPDATE_FAILED', message: /own server|this panel itself/ };
    const lookup = ((_name: string, _options: unknown, done: (e: null, found: unknown) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])) as never;
    const { fetch } = await panel({ closedPorts: () => [Number(port)], lookup });
    await assert.rejects(fetch(own), refused);
    await assert.rejects(fetch(`http://localhost:${port}/`), refused);
    await assert.rejects(fetch(over), refused);
    await assert.rejects(fetch(`http://files.example:${port}/`), refused);
    assert.equal(asked, 0);
  });

  it('should come over https by a certificate of the house, and by no unknown one', async () => {
    const house = new HouseAuthority();
    const secure = createSecureServer(house.issue('IP:127.0.0.1'), (_request, response) =>
      response.end(archive),
    );
    const url = `https://127.0.0.1:${await listen(secure)}/p.zip`;
    const stranger = await panel();
    await assert.rejects(stranger.fetch(url), { code: 'UPDATE_FAILED', message: /certificate/ });
    const { fetch } = await panel({ authorities: () => [readFileSync(house.file, 'utf8')] });
    assert.equal((await fetch(url)).active, true);
  });
});
