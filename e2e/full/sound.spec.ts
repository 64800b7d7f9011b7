import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  loudness,
  NoCard,
  RecordingCard,
  sine,
  strengthOf,
  wavFile,
} from '../../server/testing/recordedSound.ts';
import { startBaresip } from '../../server/testing/sip/baresip.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { type Api, apiOf, failure } from '../api.ts';
import { test as base, expect } from '../fixtures.ts';
import { followEvents } from '../heardEvents.ts';
import { SipPanel } from '../sipPanel.ts';

type FaceplateProcess = SipPanel['service'];

interface Fixtures {
  /** A web server with sounds, by path. */
  media: string;
  /** A panel on `noCard` with a kiosk, shared. */
  silent: FaceplateProcess;
}

interface WorkerFixtures {
  /** What a panel plays on it can be read. */
  card: RecordingCard;
  /** A panel on it is silent, and takes as long as a loudspeaker would. */
  noCard: NoCard;
}

const test = base.extend<Fixtures, WorkerFixtures>({
  card: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => use(await RecordingCard.make()),
    { scope: 'worker' },
  ],
  noCard: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => use(new NoCard()),
    { scope: 'worker' },
  ],
  silent: async ({ sharedFaceplate, noCard }, use) =>
    use(await sharedFaceplate({ kiosk: true, env: noCard.env })),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  media: async ({}, use) => {
    const files: Record<string, Buffer> = {
      '/tone.wav': wavFile(0.5, sine(880)),
      '/text.wav': Buffer.from('no sound'),
      '/huge.wav': Buffer.alloc(11 * 2 ** 20),
    };
    const server = createServer((request, response) => {
      const file = files[request.url!];
      if (file) response.end(file);
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
  },
});

const SOUND = '/api/remote/sound';
const stop = (api: Api, service: FaceplateProcess) => deleted(api, service, SOUND);

async function deleted(api: Api, service: FaceplateProcess, path: string) {
  const headers = { authorization: `Bearer ${await service.token()}` };
  return api(path, undefined, { method: 'DELETE', headers });
}

/** Follows the `sound` events of a panel, as `<id> <action>`. */
const follow = (service: FaceplateProcess) =>
  followEvents(service, 'sound', ({ id, action }) => `${id} ${action}`);

test('should play built-in sounds, addresses and files of the project', async ({
  sharedFaceplate,
  card,
  media,
}) => {
  const service = await sharedFaceplate({ env: card.env });
  const api = await apiOf(service);
  const events = await follow(service);
  const strength = async (hertz: number) => {
    const samples = await card.samples();
    return strengthOf(hertz, samples.subarray(0, 24_000), 48_000);
  };
  const played = async (sound: object): Promise<void> => {
    const { status, body } = await api(SOUND, sound);
    expect(status, JSON.stringify(body)).toBe(200);
    await expect.poll(() => events.heard.slice(-2)).toEqual([`${body.id} started`, `${body.id} ended`]);
  };
  await played({ name: 'chime' });
  expect(await strength(659.26)).toBeGreaterThan(0.1);
  await played({ url: `${media}/tone.wav`, volume: 20 });
  // Two channels in turns: half the frequency.
  expect(await strength(440)).toBeCloseTo(0.1, 1);

  const page = { name: 'index.html', content: Buffer.from('<!doctype html><p>x') };
  const archive = zipFile([page, { name: 'sounds/gong.wav', content: wavFile(0.5, sine(440)) }]);
  const installed = await api('/api/manage/projects?name=lobby', undefined, {
    method: 'POST',
    body: new Uint8Array(archive),
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/zip' },
  });
  expect(installed.status, JSON.stringify(installed.body)).toBe(200);
  expect((await api('/api/manage/projects/lobby/activate', {})).status).toBe(200);
  await played({ url: 'sounds/gong.wav', repeat: 2 });
  expect(await strength(220)).toBeGreaterThan(0.4);
  await events.end();
});

test('should speak English, German and Spanish', async ({ sharedFaceplate, card }) => {
  const service = await sharedFaceplate({ env: card.env });
  const api = await apiOf(service);
  const events = await follow(service);
  for (const [language, text] of [
    ['en', 'The front door is open.'],
    ['de', 'Die Haustür ist offen.'],
    ['es', 'La puerta principal está abierta.'],
  ]) {
    const { status, body } = await api('/api/remote/speak', { text, language });
    expect(status, JSON.stringify(body)).toBe(200);
    await expect.poll(() => events.heard.at(-1)).toBe(`${body.id} ended`);
    const samples = await card.samples();
    expect(samples.length / 22_050).toBeGreaterThan(1);
    expect(samples.length / 22_050).toBeLessThan(4);
    expect(loudness(samples)).toBeGreaterThan(0.03);
  }
  expect(await api('/api/remote/speak', { text: 'x', language: 'xx' })).toEqual(
    failure(400, 'INVALID_REQUEST', /voice/, 'language'),
  );
  await events.end();
});

test('should play and stop from the page, and tell it', async ({ silent: service, openPage }) => {
  const page = await openPage(service);
  await page.waitForFunction(() => window.container !== undefined);
  const told = await page.evaluate(async () => {
    const told: string[] = [];
    const { container } = window as never as {
      container: {
        call(command: string, params?: object): Promise<{ id: string }>;
        on(event: string, listener: (sound: { id: string; action: string }) => void): void;
      };
    };
    container.on('sound', ({ id, action }) => told.push(`${id} ${action}`));
    const { id } = await container.call('sound.play', { name: 'bell', repeat: 9 });
    await container.call('sound.stop');
    while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    return told.map((line) => line.replace(id, 'it'));
  });
  expect(told).toEqual(['it started', 'it ended']);
});

test('should refuse what it cannot play, and let 20 sounds wait', async ({ silent: service, media }) => {
  const api = await apiOf(service);
  for (const sound of [{}, { name: 'bell', url: 'x.wav' }, { name: 'moo' }, { name: 'bell', repeat: 101 }])
    expect(await api(SOUND, sound)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  for (const path of ['text.wav', 'huge.wav', 'missing.wav'])
    expect(await api(SOUND, { url: `${media}/${path}` })).toEqual(failure(502, 'MEDIA_UNREACHABLE'));
  const { port } = new URL(await service.url);
  for (const url of [`http://127.0.0.1:${port}/api/remote/info`, `http://[::1]:${port}/`, 'nothing.wav'])
    expect(await api(SOUND, { url })).toEqual(failure(502, 'MEDIA_UNREACHABLE'));
  expect(await api(SOUND, { url: 'file:///etc/passwd' })).toEqual(
    failure(400, 'INVALID_REQUEST', /url/, 'url'),
  );

  const events = await follow(service);
  const calls = await Promise.all(Array.from({ length: 100 }, () => api(SOUND, { name: 'alarm' })));
  expect(calls.filter(({ status }) => status === 200)).toHaveLength(21);
  expect(calls.filter(({ body }) => body.code === 'CONFLICT')).toHaveLength(79);
  expect(await stop(api, service)).toEqual({ status: 200, body: { status: 'stopped' } });
  await expect.poll(() => events.heard.filter((line) => line.endsWith('ended'))).toHaveLength(21);
  await events.end();
});

test('should answer UNSUPPORTED_HARDWARE without a sound device', async ({ startFaceplate, noCard }) => {
  const service = await startFaceplate({ args: ['--board', 'generic-linux'], env: noCard.env });
  const api = await apiOf(service);
  expect(await api(SOUND, { name: 'chime' })).toEqual(failure(501, 'UNSUPPORTED_HARDWARE', /sound device/));
  expect(await api('/api/remote/speak', { text: 'x' })).toEqual(failure(501, 'UNSUPPORTED_HARDWARE'));
  expect(await stop(api, service)).toEqual({ status: 200, body: { status: 'stopped' } });
  expect((await api('/api/remote/info')).body).toMatchObject({
    parts: { sound: { driver: 'alsa', state: 'absent' } },
  });
});

test('should sound with a message, under its id, an alarm until it ends', async ({ silent: service }) => {
  const api = await apiOf(service);
  const events = await follow(service);
  const before = await api(SOUND, { name: 'bell', repeat: 100 });
  const alarm = { id: 'fire', text: 'Fire on floor 2', level: 'alarm', sound: 'alert', seconds: 0 };
  expect((await api('/api/remote/message', alarm)).status).toBe(200);
  const { id } = before.body;
  await expect.poll(() => events.heard).toEqual([`${id} started`, `${id} ended`, 'fire started']);
  // Longer than the sound lasts once.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(events.heard).toHaveLength(3);
  expect((await deleted(api, service, '/api/remote/message/fire')).status).toBe(200);
  await expect.poll(() => events.heard.at(-1)).toBe('fire ended');
  await api('/api/remote/message', { id: 'hello', text: 'Hello', speak: true });
  await expect
    .poll(() => events.heard.slice(-2), { timeout: 10_000 })
    .toEqual(['hello started', 'hello ended']);
  const missing = { id: 'moo', text: 'Moo', sound: 'no such file.wav' };
  expect(await api('/api/remote/message', missing)).toMatchObject({ status: 400, body: { field: 'sound' } });
  // Whether it can be had is known only when it is its turn.
  await api('/api/remote/message', { ...missing, sound: 'http://127.0.0.1:9/moo.wav' });
  await expect.poll(() => events.heard.at(-1)).toBe('moo failed');
  await events.end();
});

test('should be silent while somebody calls', async () => {
  const hall = await SipPanel.start({});
  const door = await startBaresip({
    accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=manual;audio_codecs=pcmu'],
  });
  const api = await apiOf(hall.service);
  const events = await follow(hall.service);
  const { body } = await api(SOUND, { name: 'bell', repeat: 100, volume: 1 });
  await door.command('dial', `sip:panel@127.0.0.1:${hall.port}`);
  await expect
    .poll(() => events.heard, { timeout: 10_000 })
    .toEqual([`${body.id} started`, `${body.id} ended`]);
  expect(await api(SOUND, { name: 'bell', volume: 1 })).toEqual(failure(409, 'CONFLICT', /intercom/));
  await door.command('hangup');
  await expect.poll(async () => (await api(SOUND, { name: 'bell', volume: 1 })).status).toBe(200);
  await events.end();
  await door.remove();
  await hall.stop();
});
