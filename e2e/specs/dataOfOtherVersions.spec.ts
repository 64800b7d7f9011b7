import { access, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const VERSION0 = join(import.meta.dirname, '../../server/testing/dataFolders/version0');

/** State files of a running service that has the intercom; `installed-packages.json` is read when a package is asked for. */
const FILES = [
  'calls.json',
  'certificates.json',
  'intercom-certificate.json',
  'intercom.json',
  'led.json',
  'projects/state.json',
  'rtc.json',
];
/** The settings page reads its PIN at the start, too. */
const ALL = [...FILES, 'pin.json'];

const args = ['--board', 'simulated'];
const json = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'));
const ourVersion = async (): Promise<string> =>
  (await json(import.meta.dirname, '../../package.json')).version;

/** The data of the folder, over the API. */
async function expectStateOf(service: FaceplateProcess): Promise<void> {
  const api = await apiOf(service);
  expect((await api('/api/remote/led/state')).body).toEqual({
    status: 'ok',
    state: { on: true, red: 10, green: 20, blue: 30 },
  });
  const alarm = { enabled: true, onTime: '06:45', offTime: '21:15', onDays: [1, 2, 3, 4, 5] };
  expect((await api('/api/remote/rtc/alarm')).body).toMatchObject(alarm);
  expect((await api('/api/manage/projects')).body).toMatchObject({
    projects: [{ id: 'lobby', version: 'ed095375bcc0', size: 49, active: true }],
  });
  expect((await api('/api/manage/certificates')).body).toMatchObject({
    certificates: [{ host: '127.0.0.1', port: 33_753, state: 'trusted' }],
  });
  const { settings } = (await api('/api/manage/settings')).body as { settings: Record<string, object> };
  expect(settings['kiosk.quietHour']).toMatchObject({ value: 4, source: 'file' });
  expect(settings['streams.lingerSeconds']).toMatchObject({ value: 9, source: 'file' });
}

test('should start with data from before files had a version, and keep all of it and a copy', async ({
  startFaceplate,
  dataDir,
}) => {
  await cp(VERSION0, dataDir, { recursive: true });
  const service = await startFaceplate({ dataDir, args });
  await expectStateOf(service);
  expect(service.output).not.toContain('state file is not usable');
  for (const file of ALL) {
    const before = await readFile(join(VERSION0, file), 'utf8');
    // The day on which it was chosen was not written then.
    const read = JSON.parse(before);
    const value = file === 'pin.json' ? { ...read, chosenAt: null } : read;
    expect(await json(dataDir, file), file).toEqual({ version: 1, value });
    expect(await readFile(join(dataDir, `${file}.v0`), 'utf8'), file).toBe(before);
  }
  expect(await json(dataDir, 'settings.json')).toEqual(await json(VERSION0, 'settings.json'));
  expect(await readFile(join(dataDir, 'token'), 'utf8')).toBe(
    await readFile(join(VERSION0, 'token'), 'utf8'),
  );
  expect(await readFile(join(dataDir, 'version'), 'utf8')).toBe(`${await ourVersion()}\n`);
});

/** Data as a later version might write it: its own keys everywhere, and values unknown to this version. */
async function makeLater(dataDir: string): Promise<void> {
  await cp(VERSION0, dataDir, { recursive: true });
  const write = (file: string, tree: unknown) => writeFile(join(dataDir, file), JSON.stringify(tree));
  const later = async (file: string, change: (value: never) => unknown) =>
    write(file, { version: 7, sealed: 'x', value: change((await json(VERSION0, file)) as never) });
  await writeFile(join(dataDir, 'version'), '99.1.0\n');
  await later('led.json', (led: object) => ({ ...led, white: 4, red: '10%' }));
  await later('rtc.json', (rtc: object) => ({ ...rtc, zone: 'Europe/Vienna', offTime: { at: 'dusk' } }));
  await later('intercom.json', (intercom: object) => ({ ...intercom, tones: ['a'] }));
  await later('intercom-certificate.json', (identity: object) => ({ ...identity, chain: [] }));
  await later('certificates.json', ({ pinned }: { pinned: object[] }) => ({
    pinned: [
      { host: 'new.local', port: 443, key: 'sha512:1' },
      ...pinned.map((pin) => ({ ...pin, by: 'a' })),
    ],
  }));
  await later('calls.json', ([first, ...rest]: object[]) => [
    first,
    { ...first, outcome: 'voicemail' },
    ...rest,
  ]);
  await later('projects/state.json', (state: { projects: Record<string, object> }) => ({
    ...state,
    shared: { a: 1 },
    projects: {
      lobby: { ...state.projects.lobby, versions: ['ed095375bcc0-next'] },
      hall: { name: 'hall', slot: 3 },
    },
  }));
  for (const folder of ['hall/1', 'lobby/ed095375bcc0-next'])
    await cp(join(VERSION0, 'projects/lobby'), join(dataDir, 'projects', folder), { recursive: true });
  const settings = await json(VERSION0, 'settings.json');
  await write('settings.json', {
    ...settings,
    kiosk: { quietHour: 4, zoom: 2, memoryLimit: { percent: 50 } },
    'knx.password': 'hunter2-of-knx',
    token: ['hunter2-as-a-list'],
  });
}

test('should start with the data of a later version: use what is known, and keep the rest', async ({
  startFaceplate,
  dataDir,
}) => {
  await makeLater(dataDir);
  const before = Object.fromEntries(
    await Promise.all([...FILES, 'settings.json'].map(async (file) => [file, await json(dataDir, file)])),
  );
  const service = await startFaceplate({ dataDir, args });
  const api = await apiOf(service);
  expect((await api('/api/remote/led/state')).body).toMatchObject({
    state: { on: true, red: 255, green: 20, blue: 30 },
  });
  expect((await api('/api/remote/rtc/alarm')).body).toMatchObject({ onTime: '06:45', offTime: '22:00' });
  expect((await api('/api/manage/projects')).body).toMatchObject({
    projects: [{ id: 'lobby', active: true }],
  });
  expect((await api('/api/manage/certificates')).body).toMatchObject({
    certificates: [{ host: '127.0.0.1', state: 'trusted' }],
  });
  const { settings } = (await api('/api/manage/settings')).body as { settings: Record<string, object> };
  expect(settings['kiosk.quietHour']).toMatchObject({ value: 4, source: 'file' });
  expect(settings['kiosk.memoryLimit']).toMatchObject({ source: 'default' });
  // The start alone writes nothing but the name of the last version.
  for (const [file, tree] of Object.entries(before)) expect(await json(dataDir, file), file).toEqual(tree);
  expect(await readFile(join(dataDir, 'version'), 'utf8')).toBe('99.1.0\n');
  for (const folder of ['hall/1', 'lobby/ed095375bcc0-next']) await access(join(dataDir, 'projects', folder));
  for (const name of ['kiosk.zoom', 'kiosk.memoryLimit', 'knx.password', 'token', 'white', 'red', 'offTime'])
    await expect.poll(() => service.output).toContain(name);
  expect(service.output).not.toContain('hunter2');

  await api('/api/remote/led/color', { red: 255, green: 99, blue: 30 });
  await api('/api/remote/rtc/alarm', { offTime: '20:00' });
  expect(
    await api('/api/manage/settings', undefined, {
      method: 'PATCH',
      body: '{"streams":{"lingerSeconds":11},"kiosk":{"quietHour":null}}',
      headers: {
        authorization: `Bearer ${await service.token()}`,
        'content-type': 'application/json',
      },
    }),
  ).toMatchObject({ status: 200 });
  const kept = { version: 1, latest: 7, sealed: 'x' };
  expect(await json(dataDir, 'led.json')).toEqual({
    ...kept,
    value: { on: true, red: '10%', green: 99, blue: 30, white: 4 },
  });
  expect(await json(dataDir, 'rtc.json')).toEqual({
    ...kept,
    value: { ...before['rtc.json'].value, offTime: '20:00' },
  });
  expect(await json(dataDir, 'led.json.v7')).toEqual(before['led.json']);
  const written = await json(dataDir, 'settings.json');
  expect(written).toEqual({
    ...before['settings.json'],
    kiosk: { zoom: 2, memoryLimit: { percent: 50 } },
    streams: { lingerSeconds: 11 },
  });
  expect(await api('/api/manage/projects/hall/activate', {})).toEqual(failure(404, 'PROJECT_NOT_FOUND'));
});
