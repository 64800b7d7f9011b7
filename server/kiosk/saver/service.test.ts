import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { type ClosedPorts, requestChecked } from '../../platform/net/checkedRequest.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { SaverOnGlass } from '../glass/contract.ts';
import { forbidsFrames, SaverService } from './service.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000400000003080200000000', 'hex');
const ORIGIN = 'http://glass.localhost:8080';

function make(saver: string, photos: string | readonly string[] = '', closed: ClosedPorts = []) {
  const shown: (SaverOnGlass | null)[] = [];
  const fetched: string[] = [];
  const state = { saver, photos, fails: false };
  const clock = new FakeClock();
  const service = new SaverService({
    choice: () => ({ saver: state.saver, photos: state.photos }),
    glass: { set: async (_slot, content) => void shown.push(content) },
    origin: () => ORIGIN,
    fetch: async (address) => {
      fetched.push(address);
      if (state.fails || address.includes('bad')) throw new Error('no');
      return { bytes: address.includes('html') ? Buffer.from('<!doctype html>'.repeat(9)) : PNG };
    },
    ask: (url, signal) => requestChecked(url, { closedPorts: closed, signal }),
    clock,
    log: silentLogger(),
  });
  return { service, shown, fetched, state, clock, kinds: () => shown.map((each) => each?.kind ?? null) };
}

describe('the saver', () => {
  it('should show what the settings say until it ends, once', async () => {
    for (const kind of ['clock', 'black']) {
      const { service, kinds } = make(kind);
      await service.start();
      await service.start();
      await service.end();
      await service.end();
      assert.deepEqual(kinds(), [kind, null]);
    }
  });

  it('should show the clock without photos, and follow a change of the settings while it is up', async () => {
    const { service, kinds, state } = make('photos', '/no/such/folder');
    await service.follow();
    await service.start();
    state.saver = 'black';
    await service.follow();
    await service.follow();
    assert.deepEqual(kinds(), ['clock', 'black']);
    await service.stop();
  });

  it('should fetch a photo when its turn comes, and show the last one of an address that fails', async () => {
    const { service, shown, fetched, state } = make('photos', [
      'http://a/1',
      'http://a/bad',
      'http://a/html',
    ]);
    await service.start();
    assert.deepEqual(fetched, []);
    const path = `${shown[0]?.photos}/0`;
    assert.equal((await service.photo(path))?.type, 'image/png');
    assert.equal((await service.photo(path))?.length, PNG.length);
    assert.deepEqual(fetched, ['http://a/1', 'http://a/bad', 'http://a/html', 'http://a/1']);
    state.fails = true;
    assert.equal((await service.photo(path))?.length, PNG.length);
    await service.stop();
  });

  it('security: should give photos only while the saver is up, and only to who knows where', async () => {
    const { service, shown } = make('photos', ['http://a/1']);
    assert.equal(await service.photo('photos//0'), undefined);
    await service.start();
    const first = `${shown[0]?.photos}/0`;
    for (const path of ['photos/0', 'photos//0', 'photos/../0', first.slice(0, -3), ''])
      assert.equal(await service.photo(path), undefined, path);
    assert.ok(await service.photo(first));
    await service.end();
    assert.equal(await service.photo(first), undefined);
    await service.start();
    assert.equal(await service.photo(first), undefined);
    await service.stop();
  });
});

describe('an address as saver', () => {
  let server: Server;
  let url = '';
  let status = 200;
  let asked = 0;
  before(async () => {
    server = createServer((request, response) => {
      asked++;
      if (request.url === '/framed') response.writeHead(status).end('a page');
      else response.writeHead(200, { 'x-frame-options': 'SAMEORIGIN' }).end('a page');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('should be shown where it answers and may be framed, else the clock until it does', async () => {
    const good = make(`${url}/framed`);
    await good.service.start();
    assert.deepEqual(good.shown, [{ kind: 'page', photos: null, url: `${url}/framed` }]);
    await good.service.stop();
    const forbidden = make(`${url}/`);
    await forbidden.service.start();
    assert.deepEqual(forbidden.kinds(), ['clock']);
    await forbidden.service.stop();
    status = 503;
    const late = make(`${url}/framed`);
    await late.service.start();
    status = 200;
    late.clock.advance(60_000);
    while (late.shown.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(late.kinds(), ['clock', 'page']);
    await late.service.stop();
  });

  it('security: should not be asked for where it is a port of this machine that is closed', async () => {
    const before = asked;
    const { service, kinds } = make(`${url}/framed`, '', 'all');
    await service.start();
    assert.deepEqual(kinds(), ['clock']);
    assert.equal(asked, before);
    await service.stop();
  });

  it('should be asked what it forbids as browsers read it', () => {
    const forbids = (headers: Record<string, string>) => forbidsFrames(new Headers(headers), ORIGIN);
    const csp = (text: string) => forbids({ 'content-security-policy': text });
    assert.equal(forbids({}), false);
    assert.equal(forbids({ 'x-frame-options': 'DENY' }), true);
    assert.equal(csp("default-src 'self'"), false);
    assert.equal(csp("default-src 'self'; frame-ancestors 'self'"), true);
    assert.equal(csp('frame-ancestors *'), false);
    assert.equal(csp(`frame-ancestors ${ORIGIN}`), false);
    assert.equal(csp("frame-ancestors *, frame-ancestors 'none'"), true);
    assert.equal(
      forbids({ 'x-frame-options': 'DENY', 'content-security-policy': 'frame-ancestors *' }),
      false,
    );
  });
});
