import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { BridgeSink, FieldFocus, Layer } from '../host.ts';
import { enterOf, KeyboardService, type KeyboardSettings, keysHeight, modeOf } from './service.ts';

const text = { type: 'text', inputMode: '', enterKeyHint: '' };
const touched = (field = text): FieldFocus => ({ field, by: 'touch' });
const byScript = (field = text): FieldFocus => ({ field, by: null });

describe('keyboard on the screen', () => {
  let did: unknown[];
  let clock: FakeClock;
  let settings: KeyboardSettings;
  let isPlugged: boolean;
  let screen: { width: number; height: number };
  let logged: string;
  let sink: BridgeSink;
  let onReady: () => void;
  let whileOpening: () => void;
  let keyboard: KeyboardService;

  beforeEach(() => {
    did = [];
    clock = new FakeClock();
    settings = { enabled: 'auto', layouts: ['en'] };
    isPlugged = false;
    screen = { width: 1280, height: 800 };
    logged = '';
    whileOpening = () => {};
    const layer: Layer = {
      post: (json) => {
        const told = JSON.parse(json) as object;
        // It comes with each 'hidden'.
        if (!('closed' in told)) did.push(told);
        else assert.notEqual(did.at(-1), 'hidden');
      },
      show: async (area, focus) => void did.push({ area, focus }),
      hide: async () => void did.push('hidden'),
      close: async () => void did.push('closed'),
    };
    keyboard = new KeyboardService({
      window: {
        openKeys: async (given, ready) => {
          did.push('opened');
          [sink, onReady] = [given, ready];
          whileOpening();
          return layer;
        },
        pressKey: async (key) => {
          if (key === 'x') throw new Error('the page is gone');
          did.push({ key });
        },
        makeRoom: async (room) => void did.push({ room }),
        screenSize: () => screen,
      },
      plugged: { isThere: async () => isPlugged },
      settings: () => settings,
      onRoom: (left) => void did.push({ left }),
      clock,
      log: createLogger('trace', { write: (line: string) => (logged += line) } as never),
    });
  });

  const settle = async () => {
    for (let i = 0; i < 10; i++) await turn();
  };
  const after = async (act: () => unknown): Promise<unknown[]> => {
    did.length = 0;
    act();
    await settle();
    return did;
  };
  const say = (message: unknown) =>
    after(() =>
      sink.onMessage({ origin: 'http://keys.glass.localhost', reply: () => {} }, JSON.stringify(message)),
    );
  const shown = (mode: string, opens: boolean) => ({
    mode,
    enter: 'enter',
    layouts: ['en'],
    height: 298,
    opens,
  });
  const opened = [
    shown('text', true),
    { left: 298 },
    { area: { x: 0, y: 502, width: 1280, height: 298 }, focus: false },
    { room: 298 },
  ];
  const closed = [{ left: 0 }, 'hidden', { room: 0 }];

  test('should be ready before it is needed, open at a touch, press keys, and go', async () => {
    assert.deepEqual(await after(() => keyboard.start()), ['opened']);
    assert.deepEqual(await after(() => keyboard.focused(touched())), opened);
    assert.deepEqual(await say({ press: 'ñ' }), [{ key: 'ñ' }]);
    assert.deepEqual(await say({ press: 'Backspace' }), [{ key: 'Backspace' }]);
    assert.deepEqual(await say({ hide: true }), closed);
    // A key that comes late reaches no page.
    assert.deepEqual(await say({ press: 'a' }), []);
    assert.deepEqual(await after(() => keyboard.focused(byScript())), []);
    assert.deepEqual(await after(() => keyboard.focused(touched())), opened);
    assert.deepEqual(await after(() => keyboard.stop()), ['closed']);
  });

  test('should go to the lower edge of a screen that is turned, and stay closed when it is', async () => {
    await keyboard.start();
    assert.deepEqual(await after(() => keyboard.screenChanged()), []);
    await after(() => keyboard.focused(touched()));
    screen = { width: 800, height: 1280 };
    const moved = await after(() => keyboard.screenChanged());
    const height = (moved[1] as { left: number }).left;
    assert.ok(height > 200);
    assert.deepEqual(moved.slice(1), [
      { left: height },
      { area: { x: 0, y: 1280 - height, width: 800, height }, focus: false },
      { room: height },
    ]);
  });

  test('should open for nobody but a person, by touch alone where it decides itself', async () => {
    await keyboard.start();
    assert.deepEqual(await after(() => keyboard.focused(byScript())), []);
    assert.deepEqual(await after(() => keyboard.focused({ field: text, by: 'other' })), []);
    settings = { enabled: true, layouts: ['en'] };
    assert.deepEqual(await after(() => keyboard.focused(byScript())), []);
    assert.deepEqual(await after(() => keyboard.focused({ field: text, by: 'other' })), opened);
  });

  test('should leave the writing to a keyboard that is plugged in, unless it is switched on', async () => {
    isPlugged = true;
    assert.deepEqual(await after(() => keyboard.start()), []);
    assert.deepEqual(await after(() => keyboard.focused(touched())), []);
    settings = { enabled: true, layouts: ['en'] };
    assert.deepEqual(await after(() => keyboard.follow()), ['opened']);
    assert.deepEqual(await after(() => keyboard.focused(touched())), opened);
    settings = { enabled: false, layouts: ['en'] };
    assert.deepEqual(await after(() => keyboard.follow()), closed);
    assert.deepEqual(await after(() => keyboard.focused(touched())), []);
  });

  test('should stay while a page draws its field anew, and go when none comes', async () => {
    await keyboard.start();
    keyboard.focused(touched());
    await settle();
    keyboard.focused(undefined);
    assert.deepEqual(await after(() => clock.advance(200)), []);
    keyboard.focused(byScript());
    assert.deepEqual(await after(() => clock.advance(1_000)), [shown('text', false)]);
    keyboard.focused(undefined);
    assert.deepEqual(await after(() => clock.advance(250)), closed);
  });

  test('should show its keys for a field that loses the focus while they open', async () => {
    whileOpening = () => keyboard.focused(undefined);
    assert.deepEqual(await after(() => keyboard.focused(touched())), ['opened', ...opened]);
    assert.deepEqual(await after(() => keyboard.focused(byScript())), []);
    assert.deepEqual(await say({ press: 'h' }), [{ key: 'h' }]);
  });

  test('security: a page that moves the focus for ever changes the keys a few times a second', async () => {
    await keyboard.start();
    keyboard.focused(touched());
    await settle();
    did.length = 0;
    for (let i = 0; i < 1_000; i++) {
      keyboard.focused(byScript(i % 2 === 0 ? text : { ...text, type: 'number' }));
      clock.advance(1);
      if (i % 50 === 0) await settle();
    }
    await settle();
    assert.ok(did.length <= 8, `${did.length} changes`);
  });

  test('should show itself again when its page comes back after a crash', async () => {
    await keyboard.start();
    assert.deepEqual(await after(() => onReady()), []);
    keyboard.focused(touched());
    await settle();
    assert.deepEqual(await after(() => onReady()), opened);
  });

  test('security: what is no message of the keyboard does nothing', async () => {
    await keyboard.start();
    keyboard.focused(touched());
    await settle();
    for (const message of [
      null,
      {},
      { press: '' },
      { press: 'ab' },
      { press: 'F11' },
      { press: '\n' },
      { press: 'a', more: 1 },
      { press: 'a'.repeat(1_000) },
      { hide: false },
    ])
      assert.deepEqual(await say(message), [], JSON.stringify(message));
    const caller = { origin: '', reply: () => {} };
    assert.deepEqual(await after(() => sink.onMessage(caller, '{')), []);
  });

  test('security: keys are logged at no level, also when they reach no page', async () => {
    await keyboard.start();
    keyboard.focused(touched({ ...text, type: 'password' }));
    await settle();
    for (const press of [...'secret', 'x']) await say({ press });
    assert.match(logged, /did not reach the page/);
    for (const letter of ['"s"', '"x"', 'secret']) assert.ok(!logged.includes(letter), logged);
  });
});

const field = (type: string, inputMode = '', enterKeyHint = '') => ({ type, inputMode, enterKeyHint });

test('should take the keys of inputmode, else those of the type', () => {
  for (const [type, inputMode, mode] of [
    ['text', '', 'text'],
    ['textarea', '', 'text'],
    ['editable', '', 'text'],
    ['number', '', 'decimal'],
    ['number', 'numeric', 'numeric'],
    ['tel', '', 'tel'],
    ['email', '', 'email'],
    ['url', '', 'url'],
    ['search', '', 'search'],
    ['password', '', 'password'],
    ['password', 'text', 'password'],
    ['password', 'numeric', 'numeric'],
    ['text', 'DECIMAL', 'decimal'],
    ['text', 'nonsense', 'text'],
    ['text', 'constructor', 'text'],
    ['text', 'none', undefined],
  ] as const)
    assert.equal(modeOf(field(type, inputMode)), mode, `${type} ${inputMode}`);
});

test('should name what Enter does', () => {
  assert.equal(enterOf(field('text', '', 'Send')), 'send');
  assert.equal(enterOf(field('search')), 'search');
  assert.equal(enterOf(field('text', '', '<b>')), 'enter');
});

test('should be large enough for a finger, and leave the page its room', () => {
  for (const [width, height] of [
    [1280, 800],
    [800, 1280],
    [1920, 1080],
    [480, 480],
  ] as const) {
    const keys = keysHeight({ width, height });
    assert.ok(keys >= 5 * 48, `${height}: ${keys}`);
    assert.ok(keys <= height * 0.55, `${height}: ${keys}`);
  }
  assert.ok(keysHeight({ width: 320, height: 240 }) <= 144);
});
