import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { Cameras } from '../named/cameras.ts';
import { OnvifCamera } from '../testing/onvifCamera.ts';
import { openAccess } from '../testing/openAccess.ts';
import { fails } from '../testing/testPanel.ts';
import { OnvifCommands } from './commands.ts';
import { readProbeMatch, searchCameras } from './discovery.ts';
import { OnvifCameras } from './service.ts';

const match = (addresses: string, scopes: string, types = 'dn:NetworkVideoTransmitter') =>
  Buffer.from(
    `<?xml version="1.0"?><e:Envelope xmlns:e="x" xmlns:d="y" xmlns:dn="z"><e:Body><d:ProbeMatches><d:ProbeMatch><d:Types>${types}</d:Types><d:Scopes>${scopes}</d:Scopes><d:XAddrs>${addresses}</d:XAddrs></d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>`,
  );

/** Answers each probe from 127.0.0.1. */
async function startResponder(t: TestContext, answers: () => readonly Buffer[]) {
  const socket = createSocket('udp4');
  const probes: string[] = [];
  socket.on('message', (bytes, { address, port }) => {
    probes.push(bytes.toString());
    for (const answer of answers()) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { port: socket.address().port, probes };
}

test('should read who answered, and take the address of the sender', () => {
  const scopes =
    'onvif://www.onvif.org/type/video_encoder onvif://www.onvif.org/name/Front%20Door onvif://www.onvif.org/hardware/X1 onvif://www.onvif.org/mfr/Acme%0A';
  const read = (addresses: string, more = scopes, types?: string) =>
    readProbeMatch(match(addresses, more, types), '192.168.1.20');
  assert.deepEqual(read('http://0.0.0.0:8080/onvif/device_service'), {
    name: 'Front Door',
    maker: 'Acme',
    host: '192.168.1.20',
    port: 8080,
  });
  const mixed =
    'https://192.168.1.20/onvif/device_service junk http://[fe80::1]/x http://10.0.0.1:2020/onvif/device_service';
  assert.equal(read(mixed)?.port, 2020);
  assert.deepEqual(read('http://a/onvif/device_service', 'onvif://www.onvif.org/hardware/%ZZ'), {
    name: '%ZZ',
    maker: null,
    host: '192.168.1.20',
    port: 80,
  });
  const bare = match('http://a/', scopes)
    .toString()
    .replaceAll(/<\/?d:ProbeMatches>/g, '');
  assert.equal(readProbeMatch(Buffer.from(bare), '192.168.1.20')?.name, 'Front Door');
  assert.equal(read('https://a/'), undefined);
  assert.equal(read('', scopes), undefined);
  assert.equal(read('http://a/', '', 'wsdp:Printer'), undefined);
  assert.equal(readProbeMatch(Buffer.from('hello'), '192.168.1.20'), undefined);
  assert.equal(readProbeMatch(match('http://a/', scopes), 'fe80::1'), undefined);
});

test('should search, ask what answers whether it wants a login, and search once at a time', async (t) => {
  const guarded = new OnvifCamera();
  const open = new OnvifCamera({ login: 'none' });
  await Promise.all([guarded.start(), open.start()]);
  t.after(() => Promise.all([guarded.stop(), open.stop()]));
  const service = (port: number) => `http://0.0.0.0:${port}/onvif/device_service`;
  const name = 'onvif://www.onvif.org/name/Guarded';
  const { port, probes } = await startResponder(t, () => [
    match(service(guarded.port), name),
    match(service(open.port), 'onvif://www.onvif.org/Profile/S'),
    match(service(9), name),
    Buffer.from('<!DOCTYPE a>'),
  ]);
  const clock = Object.assign(new FakeClock(), { wall: () => Date.now() });
  let found = 0;
  const onvif = new OnvifCameras({ access: openAccess, clock, log: silentLogger() });
  const commands = new OnvifCommands({
    cameras: new Cameras(openAccess),
    onvif,
    clock,
    search: ({ onFound, ...options }) =>
      searchCameras({
        ...options,
        onFound: (camera) => {
          found++;
          onFound(camera);
        },
        group: '127.0.0.1',
        port,
        interfaces: () => ['127.0.0.1', '192.0.2.1'],
      }),
  });
  const never = { signal: new AbortController().signal };
  const searching = commands.search({ seconds: 1 }, never);
  await assert.rejects(commands.search({ seconds: 1 }, never), fails('CONFLICT'));
  await until(() => found === 3, 'all cameras to answer');
  await clock.advance(500);
  await until(() => probes.length === 4, 'the second probes');
  await clock.advance(500);
  const { cameras } = await searching;
  const at = (of: number) => ({ host: '127.0.0.1', port: of, url: `onvif://127.0.0.1:${of}/` });
  const expected = [
    { name: 'Guarded', maker: null, ...at(9), needsLogin: null },
    { name: 'Guarded', maker: null, ...at(guarded.port), needsLogin: true },
    { name: 'D1', maker: 'Double', ...at(open.port), needsLogin: false },
  ];
  assert.deepEqual(
    cameras,
    expected.toSorted((a, b) => a.port - b.port),
  );
  assert.equal(probes.length, 4);
  assert.equal(
    probes.filter((probe) => probe.includes('<d:Types>dn:NetworkVideoTransmitter</d:Types>')).length,
    2,
  );
  const again = commands.search({ seconds: 1 }, never);
  await until(() => found === 6, 'all cameras to answer again');
  await clock.advance(1_000);
  assert.deepEqual((await again).cameras, cameras);
});

test('security: should bound what answers a search', async (t) => {
  let next = 0;
  const { port } = await startResponder(t, () =>
    Array.from({ length: 40 }, () =>
      match(`http://0.0.0.0:${1_000 + next++}/`, 'onvif://www.onvif.org/name/x'),
    ),
  );
  const clock = new FakeClock();
  const found: number[] = [];
  const searching = searchCameras({
    seconds: 1,
    clock,
    signal: new AbortController().signal,
    onFound: (camera) => found.push(camera.port),
    group: '127.0.0.1',
    port,
    interfaces: () => ['127.0.0.1'],
  });
  await until(() => found.length === 16, 'as many as one sender may name');
  await clock.advance(1_000);
  assert.equal((await searching).length, 16);
});
