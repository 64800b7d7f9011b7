import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Dispatch } from '../../commands/dispatch.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import { type HostMessage, PAGE_MESSAGE_LIMIT } from '../../contract/pageBridge.ts';
import type { BridgeSink, PageCaller } from '../../kiosk/host.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { createBridge } from './bridge.ts';
import { containerSpec } from './pageSurfaces.ts';

const snapshot: Snapshot = {
  gpio: [{ pin: 0, level: 1 }],
  power: { state: 'awake' },
  serial: [],
  streams: [],
  camera: null,
};
const led = { on: true, red: 1, green: 2, blue: 3 };

type DispatchCall = { name: string; params: unknown; caller: Parameters<Dispatch>[2] };

let dispatched: DispatchCall[];
let handler: (params: unknown, signal: AbortSignal) => unknown;
let bus: EventBus;
let holders: ResourceScopes;
let bridge: BridgeSink;
let now: number;

beforeEach(() => {
  now = 0;
  dispatched = [];
  handler = () => ({ status: 'ok' });
  bus = new EventBus(silentLogger());
  holders = new ResourceScopes(new FakeClock());
  bridge = newBridge();
});

type Joins = Parameters<typeof createBridge>[0]['joins'];

function newBridge(joins?: NonNullable<Joins>): BridgeSink {
  return createBridge({
    dispatch: async (name, params, caller) => {
      dispatched.push({ name, params, caller });
      return handler(params, caller.signal);
    },
    bus,
    holders,
    snapshot: () => snapshot,
    ...(joins && { joins }),
    log: silentLogger(),
    now: () => now,
  });
}

function openPage(origin = 'http://p1.localhost:8080') {
  const heard: HostMessage[] = [];
  const caller: PageCaller = { origin, reply: (json) => void heard.push(JSON.parse(json)) };
  return {
    heard,
    send: async (message: unknown) => {
      bridge.onMessage(caller, typeof message === 'string' ? message : JSON.stringify(message));
      await new Promise(setImmediate);
    },
  };
}

const gpio = (id: number, message: unknown) => ({ id, bridge: 'gpioBridge', json: JSON.stringify(message) });

describe('the bridge', () => {
  test('should give a page a picture as text', async () => {
    const page = openPage();
    const takenAt = '2026-11-26T12:00:00.000Z';
    handler = () => ({ type: 'image/jpeg', body: Buffer.from('abc'), etag: '"1"', takenAt });
    await page.send({ id: 1, call: 'stream.snapshot', params: { url: 'camera:Yard' } });
    const picture = { type: 'image/jpeg', base64: 'YWJj', takenAt };
    assert.deepEqual(page.heard, [{ id: 1, result: picture }]);
  });

  test('should turn positional arguments into the params of the command', async () => {
    const page = openPage();
    await page.send({ id: 1, method: 'container.sendUdp', args: ['127.0.0.1', 9, 'ff'] });
    await page.send({ id: 2, method: 'container.sendUdpRaw', args: ['127.0.0.1', 9, 'hi'] });
    assert.deepEqual(
      dispatched.map(({ name, params }) => ({ name, params })),
      [
        { name: 'udp.send', params: { host: '127.0.0.1', port: 9, hex: 'ff' } },
        { name: 'udp.send', params: { host: '127.0.0.1', port: 9, text: 'hi' } },
      ],
    );
    assert.equal(dispatched[0]?.caller.surface, 'page');
    assert.equal(dispatched[0]?.caller.origin, 'http://p1.localhost:8080');
    assert.deepEqual(page.heard, [
      { id: 1, result: { status: 'ok' } },
      { id: 2, result: { status: 'ok' } },
    ]);
  });

  test('should turn every action of gpioBridge into its command', async () => {
    const page = openPage();
    await page.send(gpio(1, { action: 'ledOn' }));
    await page.send(gpio(2, { action: 'ledOff' }));
    await page.send(gpio(3, { action: 'ledColor', red: 1, green: 2, blue: 3 }));
    await page.send(gpio(4, { action: 'write', pin: 2, level: 1 }));
    await page.send(gpio(5, { action: 'read', pin: 2 }));
    assert.deepEqual(
      dispatched.map(({ name, params }) => [name, params]),
      [
        ['led.on', { on: true }],
        ['led.on', { on: false }],
        ['led.color', { red: 1, green: 2, blue: 3 }],
        ['gpio.write', { pin: 2, level: 1 }],
        ['gpio.read', { pin: 2 }],
      ],
    );
  });

  test('should run a command by its name for container.call, with its params as they are', async () => {
    const page = openPage();
    await page.send({ id: 1, call: 'gpio.pulse', params: { pin: 2, level: 1, ms: 500 } });
    await page.send({ id: 2, call: 'sip.getStatus', params: {} });
    assert.deepEqual(
      dispatched.map(({ name, params }) => [name, params]),
      [
        ['gpio.pulse', { pin: 2, level: 1, ms: 500 }],
        ['sip.getStatus', {}],
      ],
    );
  });

  test('security: should know no command by container.call that pages do not have', async () => {
    for (const name of [
      'terminal.exec',
      'settings.change',
      'token.show',
      'tokens',
      '__proto__',
      'constructor',
      '',
    ]) {
      const page = openPage();
      await page.send({ id: 1, call: name, params: {} });
      assert.equal((page.heard[0] as { error: { code: string } }).error.code, 'NOT_FOUND', name);
    }
    assert.deepEqual(dispatched, []);
  });

  const malformed: [string, unknown][] = [
    ['an unknown method', { id: 1, method: 'toString', args: [] }],
    ['too many arguments', { id: 1, method: 'container.sendUdp', args: [1, 2, 3, 4] }],
    ['arguments that are not a list', { id: 1, method: 'container.sendUdp', args: { length: 1 } }],
    ['an unknown bridge', { id: 1, bridge: '__proto__', json: '{}' }],
    ['an unknown action', gpio(1, { action: 'constructor' })],
    ['a command name as action', gpio(1, { action: 'terminal.exec', command: 'id' })],
    ['no action', gpio(1, {})],
    ['a list as message', gpio(1, [])],
    ['a message that is not JSON', { id: 1, bridge: 'gpioBridge', json: 'ledOn' }],
    ['a message that is not a string', { id: 1, bridge: 'gpioBridge', json: { action: 'ledOn' } }],
    ['a field that the action already sets', gpio(1, { action: 'ledOn', on: false })],
    ['neither method nor bridge', { id: 1 }],
    ['params that are a list', { id: 1, call: 'led.on', params: [true] }],
    ['params that are null', { id: 1, call: 'led.on', params: null }],
  ];
  for (const [what, message] of malformed) {
    test(`should answer ${what} with INVALID_REQUEST and run nothing`, async () => {
      const page = openPage();
      await page.send(message);
      assert.equal((page.heard[0] as { error: { code: string } }).error.code, 'INVALID_REQUEST');
      assert.deepEqual(dispatched, []);
    });
  }

  test('should answer a message longer than 1 MiB with TOO_LARGE without parsing it', async () => {
    const page = openPage();
    await page.send(`{"id":7,"method":"sendUdp","args":["${'x'.repeat(PAGE_MESSAGE_LIMIT)}"]}`);
    assert.deepEqual((page.heard[0] as { id: number }).id, 7);
    assert.equal((page.heard[0] as { error: { code: string } }).error.code, 'TOO_LARGE');
    await page.send('x'.repeat(PAGE_MESSAGE_LIMIT + 1));
    assert.equal(page.heard.length, 1);
  });

  test('should ignore anything that is not a message', async () => {
    const page = openPage();
    for (const garbage of [
      '',
      'null',
      '[]',
      '7',
      '{}',
      '{"id":"1"}',
      '{"id":1.5}',
      '{"subscribe":7}',
      '\u0000',
    ])
      await page.send(garbage);
    assert.deepEqual(page.heard, []);
    assert.deepEqual(dispatched, []);
  });

  test('should pass code, sentence and field of a failure to the page', async () => {
    const page = openPage();
    handler = () => {
      throw new FaceplateError('INVALID_REQUEST', 'pin must be 0 to 3.', { field: 'pin' });
    };
    await page.send(gpio(1, { action: 'read', pin: 9 }));
    assert.deepEqual(page.heard, [
      { id: 1, error: { error: 'pin must be 0 to 3.', code: 'INVALID_REQUEST', field: 'pin' } },
    ]);
  });

  test('security: an error from outside the catalogue reaches the page as INTERNAL, without details', async () => {
    const page = openPage();
    handler = () => {
      throw new Error('ENOENT: /home/kiosk/secret');
    };
    await page.send(gpio(1, { action: 'read', pin: 0 }));
    handler = () => 1n;
    await page.send(gpio(2, { action: 'read', pin: 0 }));
    for (const heard of page.heard) {
      assert.equal((heard as { error: { code: string } }).error.code, 'INTERNAL');
      assert.doesNotMatch(JSON.stringify(heard), /secret/);
    }
    assert.equal(page.heard.length, 2);
  });

  test('should send a page the events it subscribed to, and no others', async () => {
    const page = openPage();
    bus.emit('led', led);
    await page.send({ subscribe: 'led' });
    await page.send({ subscribe: 'toString' });
    bus.emit('led', led);
    bus.emit('gpio', { pin: 1, level: 0 });
    await page.send({ unsubscribe: 'led' });
    bus.emit('led', led);
    assert.deepEqual(page.heard, [{ event: 'led', payload: led }]);
    assert.equal(bus.size, 0);
  });

  test('should answer a subscription to snapshot with the current state', async () => {
    const page = openPage();
    await page.send({ subscribe: 'snapshot' });
    assert.deepEqual(page.heard, [{ event: 'snapshot', payload: snapshot }]);
  });

  test('should abort the calls of a page that is gone, and drop its subscriptions', async () => {
    const page = openPage();
    let aborted = false;
    handler = (_params, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve('too late');
        });
      });
    await page.send({ subscribe: 'led' });
    await page.send(gpio(1, { action: 'read', pin: 0 }));
    bridge.onPageGone();
    await new Promise(setImmediate);
    bus.emit('led', led);
    assert.equal(aborted, true);
    assert.equal(bus.size, 0);
    assert.deepEqual(page.heard, []);
  });

  test('security: a new document gets neither answers nor events of the previous one', async () => {
    const before = openPage();
    let finish: (value: unknown) => void = () => {};
    handler = () => new Promise((resolve) => (finish = resolve));
    await before.send({ subscribe: 'led' });
    await before.send(gpio(1, { action: 'read', pin: 0 }));
    const after = openPage();
    handler = () => 'mine';
    await after.send(gpio(1, { action: 'read', pin: 0 }));
    finish('not mine');
    await new Promise(setImmediate);
    bus.emit('led', led);
    assert.deepEqual(after.heard, [{ id: 1, result: 'mine' }]);
    assert.deepEqual(before.heard, []);
  });
});

describe('containerSpec', () => {
  test('should describe the container from the command list', () => {
    const spec = containerSpec({ version: '1', isOem: true, aliases: ['appcontainer'] });
    assert.deepEqual(spec.methods.container.sendUdp, { command: 'udp.send', args: ['host', 'port', 'hex'] });
    assert.deepEqual(spec.bridges, ['gpioBridge', 'streamBridge']);
    assert.ok(spec.events.includes('led'));
    assert.deepEqual(spec.aliases, ['appcontainer']);
    assert.equal(JSON.stringify(spec).includes('terminal.exec'), false);
  });
});

describe('a page that floods the bridge', () => {
  const flood = (page: ReturnType<typeof openPage>, count: number) =>
    Promise.all(Array.from({ length: count }, (_, id) => page.send(gpio(id, { action: 'ledOn' }))));
  const refused = ({ heard }: ReturnType<typeof openPage>) =>
    heard.filter((message) => 'error' in message && message.error?.code === 'RATE_LIMITED').length;

  test('should get an error for calling too often, and be served again a moment later', async () => {
    const page = openPage();
    for (let i = 0; i < 6; i++) await flood(page, 1_000);
    assert.equal(dispatched.length, 5_000);
    assert.equal(refused(page), 1_000);
    now += 500;
    await flood(page, 600);
    assert.equal(dispatched.length, 5_500);
  });

  test('should have no more than 2,000 calls waiting', async () => {
    handler = () => new Promise(() => {});
    const page = openPage();
    await flood(page, 2_001);
    assert.deepEqual([dispatched.length, refused(page)], [2_000, 1]);
  });

  test('should not reduce the budget of the next page', async () => {
    await flood(openPage(), 5_001);
    const next = openPage();
    await flood(next, 10);
    assert.equal(refused(next), 0);
  });
});

describe('what belongs to a page', () => {
  const event = { port: 6454, host: '192.168.1.9', hex: '00' };
  const holder = () => dispatched.at(-1)!.caller.identity;

  test('security: should be told to the document that asked, and to no other', async () => {
    const page = openPage();
    await page.send({ subscribe: 'udp' });
    await page.send(gpio(1, { action: 'ledOn' }));
    page.heard.length = 0;
    bus.emitTo({}, 'udp', event);
    assert.deepEqual(page.heard, []);
    bus.emitTo(holder(), 'udp', event);
    assert.deepEqual(page.heard, [{ event: 'udp', payload: event }]);
    await page.send({ unsubscribe: 'udp' });
    bus.emitTo(holder(), 'udp', event);
    assert.equal(page.heard.length, 1);
  });

  test('security: should end with the document, and be nothing of the next one', async () => {
    const page = openPage();
    await page.send(gpio(1, { action: 'ledOn' }));
    const before = holder();
    let ended = 0;
    holders.hold(before, () => ended++);
    const next = openPage();
    await next.send(gpio(1, { action: 'ledOn' }));
    assert.equal(ended, 1);
    assert.notEqual(holder(), before);
    holders.hold(holder(), () => ended++);
    bridge.onPageGone();
    assert.equal(ended, 2);
    assert.equal(holders.size, 0);
  });

  test('should keep the sender waiting while the document has not taken an event', async () => {
    const took = Promise.withResolvers<void>();
    const caller: PageCaller = {
      origin: 'http://p1.localhost:8080',
      reply: () => took.promise,
    };
    bridge.onMessage(caller, JSON.stringify({ subscribe: 'udp' }));
    bridge.onMessage(caller, JSON.stringify(gpio(1, { action: 'ledOn' })));
    await new Promise(setImmediate);
    let isTaken = false;
    const taken = bus.emitTo(holder(), 'udp', event)?.then(() => {
      isTaken = true;
    });
    await new Promise(setImmediate);
    assert.ok(!isTaken);
    took.resolve();
    await taken;
    assert.ok(isTaken);
  });
});

describe('joins', () => {
  type Attached = Parameters<NonNullable<Joins>['attach']>[0];
  let attached: Attached | undefined;
  let told: unknown[];

  /** A bridge with joins for one origin. */
  function joinsBridge() {
    attached = undefined;
    told = [];
    bridge = newBridge({
      attach: (page) => {
        if (page.origin !== 'http://p1.localhost:8080') return undefined;
        attached = page;
        return {
          heard: (...join) => told.push(join),
          taken: () => told.push('taken'),
          begin: (states) => told.push(states === snapshot && 'begun'),
          end: () => told.push('end'),
        };
      },
    });
  }

  test('should be of one document, and call with its rights', async () => {
    joinsBridge();
    const page = openPage();
    await page.send({ join: 'boolean', name: '1', value: true });
    assert.deepEqual(told, [], 'nothing before the page script has begun');
    await page.send({ joins: 'ready' });
    await page.send({ join: 'boolean', name: '1', value: true });
    await page.send({ joins: 'taken' });
    assert.deepEqual(told, ['begun', ['boolean', '1', true], 'taken']);
    attached!.send([['boolean', 'fb1', true]]);
    assert.deepEqual(page.heard.splice(0), [{ joins: [['boolean', 'fb1', true]] }]);
    await attached!.call('led.on', { on: true });
    const [{ name, caller } = { name: '', caller: undefined }] = dispatched;
    assert.deepEqual([name, caller?.surface, caller?.identity.id], ['led.on', 'page', 'page']);
    handler = () => {
      throw new Error('secret');
    };
    await assert.rejects(attached!.call('led.on', { on: true }), { code: 'INTERNAL' });
    const heard: string[] = [];
    attached!.hear((event) => heard.push(event));
    bus.emitTo(caller!.identity, 'udp', { port: 5000, host: '10.0.0.5', hex: '00' });
    bridge.onPageGone();
    bus.emitTo(caller!.identity, 'udp', { port: 5000, host: '10.0.0.5', hex: '00' });
    assert.deepEqual([told.at(-1), heard], ['end', ['udp']]);
    attached!.send([['boolean', 'fb1', true]]);
    assert.deepEqual(page.heard, []);
  });

  test('security: should hear no joins of another origin, and no more of a page than calls', async () => {
    joinsBridge();
    const other = openPage('http://else.localhost:8080');
    await other.send({ joins: 'ready' });
    await other.send({ join: 'boolean', name: '1', value: true });
    assert.deepEqual(told, []);
    const page = openPage();
    await page.send({ joins: 'ready' });
    told.length = 0;
    for (let at = 0; at < 6_000; at++)
      bridge.onMessage(
        { origin: 'x', reply() {} },
        JSON.stringify({ join: 'integer', name: 'x', value: at }),
      );
    assert.deepEqual(told, ['end']);
    await page.send({ joins: 'ready' });
    told.length = 0;
    const caller: PageCaller = { origin: 'http://p1.localhost:8080', reply() {} };
    bridge.onMessage(caller, '{"joins":"ready"}');
    for (let at = 0; at < 6_000; at++)
      bridge.onMessage(caller, JSON.stringify({ join: 'integer', name: 'x', value: at }));
    assert.equal(told.filter((one) => Array.isArray(one)).length, 5_000);
    bridge.onMessage(caller, '{"joins":"taken"}');
    assert.equal(told.at(-1), 'taken', 'the page goes on to get values');
  });
});
