import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { JoinMessage } from '../../contract/pageBridge.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import type { Join } from './contract.ts';
import { JoinsService } from './service.ts';

const snapshot: Snapshot = {
  gpio: [
    { pin: 0, level: 0 },
    { pin: 2, level: 1 },
  ],
  power: { state: 'awake' },
  serial: [],
  streams: [],
  camera: null,
  led: { on: true, red: 255, green: 0, blue: 0 },
  display: { on: true, brightness: 40, volume: null, muted: false, idle: 'active', zoom: 1, rotation: 0 },
};

let folder: string;
let clock: FakeClock;
let bus: EventBus;
let service: JoinsService;
let isShown: boolean;
let given: (string | null)[];
let told: Join[];

beforeEach(async () => {
  folder = temporaryFolder('joins');
  clock = new FakeClock();
  bus = new EventBus(silentLogger());
  isShown = true;
  given = [];
  told = [];
  bus.onAny((name, payload) => name === 'join' && told.push(payload as Join));
  service = new JoinsService({
    version: '1.2.3',
    buttons: () => ['Home', 'Bell'],
    give: (id) => given.push(id),
    originOf: (id) => `http://${id}.localhost:8080`,
    isShown: () => isShown,
    events: bus,
    clock,
    log: silentLogger(),
  });
});
afterEach(async () => {
  await service.stop();
});

/** Shows a project with this file. */
async function show(file: object | string | null, id = 'hall'): Promise<void> {
  const path = join(folder, 'joins.json');
  if (file === null) await rm(path, { force: true });
  else await writeFile(path, typeof file === 'string' ? file : JSON.stringify({ version: 1, ...file }));
  await service.follow(id, folder);
}

/** A document of the project; it takes what it is sent at once. */
function openPage({ takes = true, fails = false } = {}) {
  const got: JoinMessage[] = [];
  const calls: [string, unknown][] = [];
  const privately: ((name: string, payload: unknown) => void)[] = [];
  const page = service.attach({
    origin: 'http://hall.localhost:8080',
    send: (messages) => {
      got.push(...messages);
      if (takes) queueMicrotask(() => page?.taken());
    },
    call: async (command, params) => {
      calls.push([command, params]);
      if (fails) throw new FaceplateError('HARDWARE_ERROR', 'It broke.');
    },
    hear: (listener) => privately.push(listener),
  });
  assert.ok(page);
  page.begin(snapshot);
  return { page, got, calls, privately, values: () => got.filter(([kind]) => kind !== 'object') };
}

/** Lets all that is ready happen. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const valueFor = (got: readonly JoinMessage[], name: string) => got.findLast((one) => one[1] === name)?.[2];
const pulse = { call: 'gpio.pulse', with: { pin: 2, level: 1, ms: 500 } };

describe('joins', () => {
  it('should be of the projects alone that have the file', async () => {
    await show(null);
    await show({});
    await show({}, 'other');
    await service.follow(null, undefined);
    assert.deepEqual(given, [null, 'hall', 'other', null]);
    const set = () => service.set({ kind: 'boolean', name: 'fb1', value: true });
    assert.throws(set, { code: 'NOT_FOUND' });
    await show({});
    assert.equal(
      service.attach({ origin: 'http://else.localhost:8080', send() {}, call: async () => {}, hear() {} }),
      undefined,
    );
    assert.deepEqual(set(), { status: 'ok' }, 'also while the page loads');
    isShown = false;
    assert.throws(set, { code: 'NOT_FOUND' });
  });

  it('should give the page every value at each load, and each new one', async () => {
    await show({
      boolean: {
        fb1: { from: 'gpio.level', where: { pin: 2 } },
        fb2: { from: 'camera.on', where: { camera: 'Door' } },
      },
    });
    service.set({ kind: 'integer', name: 'fb21', value: 99 });
    const first = openPage();
    await turn();
    const all = first.got.map(([, name, value]) => [name, (value as { state?: string }).state ?? value]);
    const start = all.findIndex(([, value]) => value === 'StartOfUpdate');
    const end = all.findIndex(([, value]) => value === 'EndOfUpdate');
    assert.deepEqual(all.slice(start + 1, start + 4), [
      ['fb21', 99],
      ['fb1', true],
      ['fb2', false],
    ]);
    assert.ok(end > start + 3);
    assert.equal(valueFor(first.got, 'Csig.All_Control_Systems_Online_fb'), true);
    bus.emit('gpio', { pin: 2, level: 0 });
    bus.emit('gpio', { pin: 0, level: 1 });
    bus.emit('camera', { camera: 'Door', kind: 'motion', topic: 't', on: true });
    service.set({ kind: 'string', name: 'Room.Name_fb', value: 'Hall' });
    await turn();
    assert.deepEqual(first.got.slice(-3), [
      ['boolean', 'fb1', false],
      ['boolean', 'fb2', true],
      ['string', 'Room.Name_fb', 'Hall'],
    ]);
    first.page.end();
    service.set({ kind: 'integer', name: 'fb21', value: 100 });
    const second = openPage();
    await turn();
    assert.equal(valueFor(second.got, 'fb21'), 100);
    assert.equal(valueFor(second.got, 'fb2'), true, 'a camera is in no snapshot');
    assert.equal(valueFor(second.got, 'fb1'), true, 'the state is what counts');
    assert.equal(first.got.includes(second.got[0]!), false);
  });

  it('should make one call of a press, and one of each new value', async () => {
    await show({
      boolean: { '1': { press: pulse }, '2': { change: { call: 'led.on', with: { on: '$value' } } } },
      integer: { '5': { change: { call: 'display.set', with: { volume: '$value/655.35' } } } },
    });
    const { page, calls } = openPage();
    const hold = (isHeld: boolean) => page.heard('object', '1', `{"repeatdigital":${isHeld}}`);
    for (const isHeld of [true, true, true, false]) hold(isHeld);
    assert.deepEqual(calls.splice(0), [['gpio.pulse', pulse.with]]);
    page.heard('boolean', '1', true);
    page.heard('boolean', '1', true);
    page.heard('boolean', '1', false);
    page.heard('boolean', '1', true);
    assert.equal(calls.splice(0).length, 2);
    for (const value of [65_535, 65_535, 0]) page.heard('integer', '5', value);
    page.heard('boolean', '2', false);
    page.heard('boolean', '2', true);
    assert.deepEqual(calls, [
      ['display.set', { volume: 100 }],
      ['display.set', { volume: 0 }],
      ['led.on', { on: false }],
      ['led.on', { on: true }],
    ]);
    assert.deepEqual(told.slice(0, 3), [
      { kind: 'boolean', name: '1', value: true },
      { kind: 'boolean', name: '1', value: false },
      { kind: 'boolean', name: '1', value: true },
    ]);
  });

  it('should let go of a button that says nothing more, and of a page that is gone', async () => {
    await show({ boolean: { '2': { change: { call: 'led.on', with: { on: '$value' } } } } });
    const { page, calls } = openPage();
    page.heard('object', '2', '{"repeatdigital":true}');
    await clock.advance(900);
    page.heard('object', '2', '{"repeatdigital":true}');
    await clock.advance(900);
    assert.equal(calls.length, 1);
    await clock.advance(200);
    assert.deepEqual(calls.splice(0).at(-1), ['led.on', { on: false }]);
    page.heard('object', '2', '{"repeatdigital":true}');
    page.end();
    page.end();
    assert.deepEqual(calls, [
      ['led.on', { on: true }],
      ['led.on', { on: false }],
    ]);
  });

  it('should list the last values in either direction, and tell what the page sends', async () => {
    await show({ boolean: { fb9: { from: 'gpio.level', where: { pin: 2 } } } });
    const { page } = openPage();
    page.heard('integer', '21', 5);
    service.set({ kind: 'integer', name: 'fb21', value: 6 });
    page.heard('string', 'both', 'page');
    service.set({ kind: 'string', name: 'both', value: 'caller' });
    page.heard('integer', 'Csig.Lcd_Brt', 1);
    page.heard('string', 'Csig.library.ver', '2');
    assert.deepEqual(service.list().joins, [
      { kind: 'boolean', name: 'fb9', value: true },
      { kind: 'integer', name: '21', value: 5 },
      { kind: 'integer', name: 'fb21', value: 6 },
      { kind: 'string', name: 'both', value: 'caller' },
    ]);
    assert.deepEqual(told, [
      { kind: 'integer', name: '21', value: 5 },
      { kind: 'string', name: 'both', value: 'page' },
    ]);
    assert.deepEqual([...service.sent()], told);
    let gone: readonly unknown[] = [];
    service.onGone((joins) => {
      gone = joins;
    });
    await show({});
    assert.equal(service.list().joins.length, 3, 'another version of the project keeps its values');
    await show({}, 'other');
    assert.deepEqual([service.list().joins, [...service.sent()], gone], [[], [], told]);
  });

  it('should forget what another version of the project does not name any more', async () => {
    const press = { call: 'apps.list', with: {} };
    await show({ boolean: { 1: { press }, 2: { press } } });
    const { page } = openPage();
    page.heard('boolean', '1', true);
    page.heard('boolean', '2', true);
    let gone: readonly unknown[] = [];
    service.onGone((joins) => {
      gone = joins;
    });
    await show({ boolean: { 1: { press } } });
    assert.deepEqual(gone, [{ kind: 'boolean', name: '2', value: true }]);
    assert.deepEqual([...service.sent()], [{ kind: 'boolean', name: '1', value: true }]);
  });

  it('should map the joins of the panel', async () => {
    await show({});
    const { page, got, calls } = openPage();
    await turn();
    for (const [name, value] of [
      ['Csig.Lcd_Brt_fb', 26_214],
      ['Csig.Backlight_On_fb', true],
      ['Csig.Backlight_Off_fb', false],
      ['Csig.RedLedControl_fb', true],
      ['Csig.GreenLEDControl_fb', false],
      ['Csig.RedLedBrightness_fb', 65_535],
    ] as const)
      assert.equal(valueFor(got, name), value, name);
    page.heard('integer', 'Csig.Lcd_Brt', 65_535);
    page.heard('object', 'Csig.Backlight_Off', '{"repeatdigital":true}');
    page.heard('boolean', 'Csig.Backlight_On', true);
    page.heard('boolean', 'Csig.Backlight_On', false);
    page.heard('integer', 'Csig.BlueLedBrightness', 32_768);
    page.heard('boolean', 'Csig.BlueLEDControl', true);
    await turn();
    assert.deepEqual(calls.splice(0), [
      ['display.set', { brightness: 100 }],
      ['display.set', { on: false }],
      ['led.color', { red: 255, green: 0, blue: 0 }],
      ['display.set', { on: true }],
      ['led.on', { on: true }],
      ['led.color', { red: 255, green: 0, blue: 128 }],
      ['led.on', { on: true }],
    ]);
    page.heard('boolean', 'Csig.RedLedControl', false);
    page.heard('boolean', 'Csig.BlueLedControl', false);
    await turn();
    assert.deepEqual(calls.at(-1), ['led.on', { on: false }]);
    bus.emit('button', { name: 'Bell', state: 'down' });
    bus.emit('button', { name: 'unknown', state: 'down' });
    bus.emit('display', { ...snapshot.display!, on: false, brightness: 100 });
    await turn();
    assert.equal(valueFor(got, 'Csig.Hard_Button_2.Press'), true);
    assert.equal(valueFor(got, 'Csig.Backlight_Off_fb'), true);
    assert.equal(valueFor(got, 'Csig.Lcd_Brt_fb'), 65_535);
    assert.deepEqual(told, []);
    assert.deepEqual(service.list().joins, []);
  });

  it('should tell of a call that fails, and go on', async () => {
    await show({ boolean: { '1': { press: pulse } } });
    const { page, got, calls } = openPage({ fails: true });
    page.heard('boolean', '1', true);
    await turn();
    assert.deepEqual(got.at(-1), ['note', '', 'Joins: boolean.1.press: It broke.']);
    page.heard('boolean', '1', false);
    page.heard('boolean', '1', true);
    assert.equal(calls.length, 2);
  });

  it('should show a project whose file became wrong, without its entries', async () => {
    await assert.rejects(
      (async () => {
        await writeFile(join(folder, 'joins.json'), '{"version":1,"boolean":{"1":{"press":{"call":"x"}}}}');
        await service.check(folder);
      })(),
      { code: 'INVALID_REQUEST', field: 'boolean.1.press.call' },
    );
    await service.follow('hall', folder);
    assert.deepEqual(given, ['hall']);
    const { page, got, calls } = openPage();
    page.heard('boolean', '1', true);
    await turn();
    assert.deepEqual(calls, []);
    assert.match(String(got.find(([kind]) => kind === 'note')?.[2]), /boolean\.1\.press\.call/);
    assert.deepEqual(service.set({ kind: 'boolean', name: 'fb1', value: true }), { status: 'ok' });
    await writeFile(join(folder, 'joins.json'), ' '.repeat(256 * 1024 + 1));
    await assert.rejects(service.check(folder), { code: 'INVALID_REQUEST', field: 'joins.json' });
  });

  it('security: should take 1,000 names and no longer values, whatever a page or a caller sends', async () => {
    await show({ boolean: { own: { press: pulse } } });
    const { page, calls } = openPage();
    for (let at = 0; at < 1_200; at++) page.heard('integer', `n${at}`, at);
    for (let at = 0; at < 1_200; at++) page.heard('object', `b${at}`, '{"repeatdigital":true}');
    assert.equal(service.list().joins.length, 1_000);
    assert.equal(told.length, 1_000);
    assert.throws(() => service.set({ kind: 'string', name: 'one more', value: '' }), { code: 'CONFLICT' });
    assert.deepEqual(service.set({ kind: 'integer', name: 'n3', value: 1 }), { status: 'ok' });
    page.heard('boolean', 'own', true);
    assert.equal(calls.length, 1, 'the joins of the file have their own room');
    await show({}, 'other');
    await show({});
    const next = openPage();
    for (const [kind, name, value] of [
      ['string', 's', 'x'.repeat(16_385)],
      ['string', 'x'.repeat(65), ''],
      ['string', 'a/b', ''],
      ['integer', 'i', 1.5],
      ['integer', 'i', 2 ** 31],
      ['integer', 'i', null],
      ['boolean', 'b', 1],
      ['real', 'r', 1],
      ['object', 'o', '{"repeatdigital":1}'],
      ['object', 'o', 'null'],
      ['object', 'o', '{'],
      ['object', 'o', {}],
      ['string', {}, 'x'],
    ] as const)
      next.page.heard(kind, name, value);
    assert.deepEqual(service.list().joins, []);
    for (let at = 0; at < 64; at++) next.page.heard('string', `s${at}`, 'x'.repeat(16_384));
    assert.throws(() => service.set({ kind: 'string', name: 's64', value: 'x' }), { code: 'CONFLICT' });
    assert.deepEqual(service.set({ kind: 'string', name: 's65', value: '' }), { status: 'ok' });
  });

  it('should carry private events of the page alone', async () => {
    await show({ string: { fb1: { from: 'udp.hex' } } });
    const { got, privately } = openPage();
    await turn();
    for (const listener of privately) listener('udp', { port: 5000, host: '10.0.0.5', hex: '6869' });
    await turn();
    assert.equal(valueFor(got, 'fb1'), '6869');
  });
});
