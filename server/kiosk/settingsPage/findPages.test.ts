import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { otherDevice } from '../../platform/mdns/testing/otherDevice.ts';
import { FindPages } from './findPages.ts';

const signal = new AbortController().signal;

describe('what is at an address', () => {
  let server: Server;
  let host: string;
  const pages = new FindPages({ closedPorts: () => [], clock: systemClock, log: silentLogger() });
  const at = (path: string) => pages.probe({ url: `${host}${path}` }, signal);

  before(async () => {
    server = createServer((request, response) => {
      response.setHeader(
        'content-type',
        request.url === '/file' ? 'application/pdf' : 'text/html; charset=utf-8',
      );
      if (request.url === '/moved') response.writeHead(302, { location: '/' });
      if (request.url === '/gone') response.writeHead(404);
      if (request.url === '/login') response.writeHead(401);
      if (request.url === '/endless') response.write('x'.repeat(500_000));
      else response.end('<!doctype html><head><title>\n Tom &amp; Jerry&#39;s </title>');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  test('should be the title of the page, also of an address without its scheme and behind a redirect', async () => {
    const found = { title: "Tom & Jerry's", reason: null };
    assert.deepEqual(await at(''), { url: `http://${host}/`, ...found });
    assert.deepEqual(await pages.probe({ url: ` http://${host}/moved ` }, signal), {
      url: `http://${host}/moved`,
      ...found,
    });
    assert.deepEqual(await at('/login'), { url: `http://${host}/login`, ...found });
  });

  test('should have no title where there is no page, and read no endless one', async () => {
    assert.deepEqual(await at('/file'), { url: `http://${host}/file`, title: null, reason: null });
    assert.deepEqual(await at('/endless'), { url: `http://${host}/endless`, title: null, reason: null });
  });

  test('should say why nothing is to be seen', async () => {
    assert.match((await at('/gone')).reason ?? '', /answers 404/);
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    assert.match((await pages.probe({ url: `127.0.0.1:${port}` }, signal)).reason ?? '', /cannot be reached/);
  });

  for (const url of [
    '',
    ' ',
    'http://',
    '...',
    'my dashboard',
    'ftp://nas.local/',
    'javascript:alert(1)',
    'http://me:pw@host/',
  ])
    test(`should ask for a full address where "${url}" is none`, async () => {
      await assert.rejects(pages.probe({ url }, signal), {
        code: 'INVALID_REQUEST',
        message: /^Enter a full address, e\.g\. /,
      });
    });

  test('security: should not ask a closed port of this machine, and end with its caller', async () => {
    const shut = new FindPages({ closedPorts: () => 'all', clock: systemClock, log: silentLogger() });
    assert.deepEqual(await shut.probe({ url: host }, signal), {
      url: `http://${host}/`,
      title: null,
      reason: null,
    });
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(pages.probe({ url: host }, gone), /gone/);
  });
});

test('should find a Home Assistant of the network by its own address, and none that has a bad one', async () => {
  const mdnsPort = 20_000 + Math.floor(Math.random() * 20_000);
  const device = otherDevice(mdnsPort);
  const publish = (name: string, txt: Record<string, string>) =>
    device.publish({ name, type: 'home-assistant', port: 8123, txt, probe: false });
  publish('Home', { location_name: 'Our house', internal_url: 'http://192.168.1.10:8123' });
  publish('Cabin', { version: '2026.11' });
  publish('Bad', { internal_url: 'javascript:alert(1)' });
  const lo = {
    address: '127.0.0.1',
    family: 'IPv4',
    internal: false,
    netmask: '255.0.0.0',
    mac: '',
    cidr: null,
  } as const;
  const pages = new FindPages({
    closedPorts: () => 'all',
    clock: systemClock,
    log: silentLogger(),
    mdnsPort,
    interfaces: () => ({ lo: [lo] }),
  });
  try {
    const [one, other] = await Promise.all([pages.find(), pages.find()]);
    assert.deepEqual(one, other);
    assert.deepEqual(
      one.pages.sort((a, b) => a.name.localeCompare(b.name)),
      [
        { kind: 'homeAssistant', name: 'Cabin', url: 'http://127.0.0.1:8123' },
        { kind: 'homeAssistant', name: 'Our house', url: 'http://192.168.1.10:8123' },
      ],
    );
  } finally {
    await new Promise((resolve) => device.destroy(() => resolve(undefined)));
  }
});
