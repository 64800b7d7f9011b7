import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import { installBridge, type PageTransport } from './pageBridge.ts';

const spec: ContainerSpec = {
  version: '1.2.3',
  isOem: false,
  methods: {
    container: { sendUdp: { command: 'udp.send', args: ['host', 'port', 'hex'] } },
    sip: {
      openDoor: { command: 'sip.openDoor', args: ['name'] },
      getStatus: { command: 'sip.getStatus', args: [] },
    },
    MobileBridge: { oemGetInstalledApps: { command: 'apps.list', args: [], jsonOf: 'apps' } },
  },
  bridges: ['gpioBridge'],
  events: ['led', 'gpio', 'sip'],
  sipEvents: ['incomingCall', 'callEnded'],
  aliases: ['appcontainer', 'name'],
  messageLimit: 1_000,
};

type Fn = (...args: unknown[]) => unknown;
interface Container {
  readonly version: string;
  readonly isOem: boolean;
  readonly sendUdp: (...args: unknown[]) => Promise<unknown>;
  readonly gpioBridge: {
    postMessage(json: unknown): Promise<unknown>;
    onmessage: unknown;
    addEventListener: Fn;
    removeEventListener: Fn;
  };
  readonly sip: Readonly<Record<string, Fn>>;
  on: Fn;
  off: Fn;
}

/**
 * Runs the script from its text in an empty realm, as a page would, with the host played by the test.
 * @param inGlobal puts the bridge into the global object of the realm, where declarations of later scripts meet it
 */
function openPage(source: string = installBridge.toString(), inGlobal = false) {
  const sent: Record<string, unknown>[] = [];
  const reported: unknown[] = [];
  let receive: (json: string) => void = () => {};
  const transport: PageTransport = {
    post: (json) => sent.push(JSON.parse(json)),
    listen: (callback) => {
      receive = callback;
    },
  };
  const tools = {
    EventTarget,
    MessageEvent,
    reportError: (error: unknown) => reported.push(error),
    name: '',
  };
  const warned: string[] = [];
  const warn = (...words: unknown[]) => warned.push(words.map((word) => String(word)).join(' '));
  const realm = vm.createContext({ warned, console: { warn } });
  const page = inGlobal ? Object.assign(vm.runInContext('globalThis', realm) as object, tools) : tools;
  const install = vm.runInContext(`(${source})`, realm) as typeof installBridge;
  install(page as never, transport, spec);
  const { container } = page as unknown as { container: Container };
  return {
    page,
    container,
    sent,
    reported,
    realm,
    answer: (message: object) => receive(JSON.stringify(message)),
  };
}

describe('the page script', () => {
  test('should build a frozen container', () => {
    const { container } = openPage();
    assert.equal(container.version, '1.2.3');
    assert.equal(container.isOem, false);
    for (const part of [container, container.gpioBridge, container.sendUdp, container.gpioBridge.postMessage])
      assert.ok(Object.isFrozen(part));
    assert.throws(() => Object.assign(container, { on: 1 }), TypeError);
  });

  test('should leave the names to a page that declares them itself, and still serve a kept reference', async () => {
    for (const name of ['container', 'MobileBridge', 'appcontainer'])
      for (const declaration of [
        'const NAME = 1',
        'let NAME = 1',
        'class NAME {}',
        'function NAME() {}',
        'var NAME = 1',
      ]) {
        const { realm, container, sent, answer } = openPage(undefined, true);
        vm.runInContext(`${declaration.replace('NAME', name)}; seen = ${name}`, realm);
        assert.notEqual(realm.seen, container, declaration);
        assert.notEqual(typeof realm.seen, 'object', declaration);
        const promise = container.sendUdp('127.0.0.1', 9, 'ff');
        assert.equal(sent.length, 1);
        answer({ id: 1, result: { sent: 1 } });
        assert.equal(((await promise) as { sent: number }).sent, 1);
      }
  });

  test('should give the same object under an alias, and not replace a name of the browser', () => {
    const { page, container } = openPage();
    assert.equal((page as unknown as { appcontainer: unknown }).appcontainer, container);
    assert.equal(page.name, '');
  });

  test('should send a method with its positional arguments and resolve with the result', async () => {
    const { container, sent, answer } = openPage();
    const promise = container.sendUdp('127.0.0.1', 9, 'ff', 'one too many');
    assert.deepEqual(sent, [{ id: 1, method: 'container.sendUdp', args: ['127.0.0.1', 9, 'ff'] }]);
    answer({ id: 1, result: { sent: 1 } });
    assert.equal(((await promise) as { sent: number }).sent, 1);
  });

  test('should send a command of container.call by its name, without params as an empty object', async () => {
    const { container, sent, answer } = openPage();
    const { call } = container as unknown as { call(...args: unknown[]): Promise<unknown> };
    const promise = call('led.color', { red: 1, green: 2, blue: 3 });
    void call('led.state');
    assert.deepEqual(sent, [
      { id: 1, call: 'led.color', params: { red: 1, green: 2, blue: 3 } },
      { id: 2, call: 'led.state', params: {} },
    ]);
    answer({ id: 1, result: { status: 'ok' } });
    assert.equal(((await promise) as { status: string }).status, 'ok');
    await assert.rejects(call({ toString: () => 'led.state' }), {
      code: 'INVALID_REQUEST',
      field: 'command',
    });
    assert.equal(sent.length, 2);
  });

  test('should begin the stack of a rejected call in the line of the page that made it', async () => {
    const { container, answer, realm } = openPage();
    realm.container = container;
    const calls: Record<string, string> = {
      method: `container.sendUdp('127.0.0.1', 9, 'ff')`,
      action: `container.gpioBridge.postMessage({ action: 'gpioRead', pin: 9 })`,
      command: `container.call('gpio.read', { pin: 9 })`,
    };
    let id = 0;
    for (const source of Object.values(calls)) {
      const script = `\nfunction start() {\n  return ${source};\n}\nstart()`;
      const promise = vm.runInContext(script, realm, { filename: 'app.js' }) as Promise<unknown>;
      answer({ id: ++id, error: { error: 'no such pin', code: 'INVALID_REQUEST' } });
      const error = (await promise.catch((error: unknown) => error)) as Error;
      assert.match(error.stack ?? '', /^Error: no such pin\n +at start \(app\.js:3:\d+\)\n +at app\.js:5:1/);
    }
    const tooLong = `container.sendUdp('x'.repeat(1001), 9, 'ff').catch(({ stack }) => stack)`;
    const stack = await vm.runInContext(tooLong, realm, { filename: 'app.js' });
    assert.match(stack, /^Error: The message is longer than 1 MiB\.\n +at app\.js:1:11/);
  });

  test('should reject as before where the page lets errors have no stack', async () => {
    const { container, answer, realm } = openPage();
    realm.container = container;
    vm.runInContext('Error.stackTraceLimit = 0', realm);
    const promise = vm.runInContext('container.sendUdp()', realm) as Promise<unknown>;
    answer({ id: 1, error: { error: 'no', code: 'INVALID_REQUEST' } });
    await assert.rejects(promise, { message: 'no', code: 'INVALID_REQUEST', stack: 'Error: no' });
  });

  test('security: should refuse what is too long before it is posted, and post what just fits', async () => {
    const { container, sent, realm } = openPage();
    const code = (call: Promise<unknown>) => call.then(undefined, (error: { code: string }) => error.code);
    const written = () => JSON.stringify({ id: 0, method: 'container.sendUdp', args: ['a', 9, ''] }).length;
    const room = 1_000 - written();
    realm.reads = 0;
    // A text that is already too long is not serialized again.
    const costly = vm.runInContext('({ toJSON() { reads++; return ""; } })', realm);
    for (const call of [
      container.sendUdp('x'.repeat(1_001), 9, costly),
      container.sendUdp('a', 9, 'x'.repeat(room + 1)),
      // Of half the limit, but twice as long as JSON.
      container.sendUdp('a', 9, '"'.repeat(600)),
      container.sendUdp('a', 9, { deep: ['x'.repeat(1_001)] }),
      container.gpioBridge.postMessage('x'.repeat(1_001)),
      container.gpioBridge.postMessage({ action: 'write', more: '"'.repeat(600) }),
      container.sip.openDoor?.('x'.repeat(1_001)) as Promise<unknown>,
    ])
      assert.equal(await code(call), 'TOO_LARGE');
    assert.equal(realm.reads, 0);
    assert.deepEqual(sent, []);
    // The failed calls took ids, so this id has more digits.
    void container.sendUdp('a', 9, 'x'.repeat(room - 2));
    assert.equal(sent.length, 1);
  });

  test('should resolve a method of MobileBridge with the JSON text it promises', async () => {
    const { page, sent, answer } = openPage();
    const { MobileBridge } = page as unknown as { MobileBridge: { oemGetInstalledApps(): Promise<string> } };
    assert.ok(Object.isFrozen(MobileBridge));
    const promise = MobileBridge.oemGetInstalledApps();
    assert.deepEqual(sent, [{ id: 1, method: 'MobileBridge.oemGetInstalledApps', args: [] }]);
    answer({ id: 1, result: { apps: [{ packageName: 'a' }] } });
    assert.equal(await promise, '[{"packageName":"a"}]');
  });

  test('should reject with an Error of the page that carries code and field', async () => {
    const { container, answer, realm } = openPage();
    const promise = container.sendUdp('nowhere');
    answer({ id: 1, error: { error: 'No.', code: 'INVALID_REQUEST', field: 'host' } });
    const error = (await promise.catch((reason: unknown) => reason)) as Error & {
      code: string;
      field: string;
    };
    assert.ok(error instanceof vm.runInContext('Error', realm));
    assert.deepEqual([error.message, error.code, error.field], ['No.', 'INVALID_REQUEST', 'host']);
  });

  test('should reject an argument that is not JSON without sending it', async () => {
    const { container, sent } = openPage();
    await assert.rejects(async () => container.sendUdp(1n), { code: 'INVALID_REQUEST' });
    assert.deepEqual(sent, []);
  });

  test('should deliver a result to the promise, to onmessage and to listeners', async () => {
    const { container, sent, answer } = openPage();
    const heard: unknown[] = [];
    container.gpioBridge.onmessage = (event: MessageEvent) => heard.push(['onmessage', event.data]);
    container.gpioBridge.addEventListener(
      'message',
      (event: MessageEvent) => heard.push(['once', event.data]),
      {
        once: true,
      },
    );
    const removed = () => assert.fail('a removed listener was called');
    container.gpioBridge.addEventListener('message', removed);
    container.gpioBridge.removeEventListener('message', removed);
    const promise = container.gpioBridge.postMessage('{"action":"read","pin":0}');
    assert.deepEqual(sent[0], { id: 1, bridge: 'gpioBridge', json: '{"action":"read","pin":0}' });
    answer({ id: 1, result: { pin: 0, level: 1 } });
    assert.equal(((await promise) as { level: number }).level, 1);
    void container.gpioBridge.postMessage('{"action":"read","pin":1}');
    answer({ id: 2, result: { pin: 1 } });
    await new Promise(setImmediate);
    assert.deepEqual(heard, [
      ['onmessage', '{"pin":0,"level":1}'],
      ['once', '{"pin":0,"level":1}'],
      ['onmessage', '{"pin":1}'],
    ]);
    assert.equal(typeof container.gpioBridge.onmessage, 'function');
  });

  test('should warn of a failed message that nothing in the page reads', async () => {
    const failed = async (use: (container: Container, promise: Promise<unknown>) => unknown) => {
      const { container, answer, realm } = openPage();
      const warned: string[] = realm.warned;
      const used = use(container, container.gpioBridge.postMessage('{"action":"ledColour"}'));
      answer({
        id: 1,
        error: { error: 'There is no such action.', code: 'INVALID_REQUEST', field: 'action' },
      });
      await Promise.resolve(used).catch(() => {});
      await new Promise(setImmediate);
      return warned;
    };
    const words = [
      'gpioBridge.postMessage failed, and nothing in the page reads the answer: Error: There is no such action.',
    ];
    assert.deepEqual(await failed(() => undefined), words);
    assert.deepEqual(
      await failed(({ gpioBridge }) => void gpioBridge.addEventListener('error', () => {})),
      words,
    );
    for (const use of [
      async (_: Container, promise: Promise<unknown>) => void (await promise),
      (_: Container, promise: Promise<unknown>) => promise.then(() => {}),
      (_: Container, promise: Promise<unknown>) => promise.catch(() => {}),
      (_: Container, promise: Promise<unknown>) => Promise.allSettled([promise]),
      async (_: Container, promise: Promise<unknown>) => promise,
      ({ gpioBridge }: Container) => void gpioBridge.addEventListener('message', () => {}),
      ({ gpioBridge }: Container) => {
        gpioBridge.onmessage = () => {};
      },
    ])
      assert.deepEqual(await failed(use), [], String(use));
    // A call that works says nothing.
    const { container, answer, realm } = openPage();
    void container.gpioBridge.postMessage('{"action":"ledOn"}');
    answer({ id: 1, result: {} });
    await new Promise(setImmediate);
    assert.deepEqual(realm.warned, []);
  });

  test('should report a failed message as action, error and code, and leave no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const { container, answer } = openPage();
      const heard: string[] = [];
      container.gpioBridge.onmessage = (event: MessageEvent) => heard.push(event.data);
      void container.gpioBridge.postMessage('{"action":"read","pin":9}');
      void container.gpioBridge.postMessage('not json');
      answer({ id: 1, error: { error: 'No.', code: 'INVALID_REQUEST', field: 'pin' } });
      answer({ id: 2, error: { error: 'No.', code: 'INVALID_REQUEST' } });
      await new Promise(setImmediate);
      assert.deepEqual(heard, [
        '{"action":"read","error":"No.","code":"INVALID_REQUEST"}',
        '{"action":null,"error":"No.","code":"INVALID_REQUEST"}',
      ]);
      await new Promise(setImmediate);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  test('should subscribe once per event, call every listener, and unsubscribe with the last one', () => {
    const { container, sent, reported, answer } = openPage();
    const heard: unknown[] = [];
    const first = () => {
      heard.push('first');
      throw new Error('a fault of the page');
    };
    const second = (payload: { on: boolean }) => heard.push(payload.on);
    container.on('led', first);
    container.on('led', first);
    container.on('led', second);
    answer({ event: 'led', payload: { on: true } });
    assert.deepEqual(heard, ['first', true]);
    assert.equal(reported.length, 1);
    container.off('led', first);
    container.off('led', first);
    container.off('led', second);
    answer({ event: 'led', payload: { on: false } });
    assert.deepEqual(heard, ['first', true]);
    assert.deepEqual(sent, [{ subscribe: 'led' }, { unsubscribe: 'led' }]);
  });

  test('should deliver a snapshot once, to the listener that asked for it', () => {
    const { container, sent, answer } = openPage();
    const heard: unknown[] = [];
    const listener = (payload: unknown) => heard.push(payload);
    container.on('snapshot', listener);
    answer({ event: 'snapshot', payload: 1 });
    answer({ event: 'snapshot', payload: 2 });
    assert.deepEqual(heard, [1]);
    container.on('snapshot', listener);
    answer({ event: 'snapshot', payload: 3 });
    assert.deepEqual(heard, [1, 3]);
    assert.deepEqual(sent, [{ subscribe: 'snapshot' }, { subscribe: 'snapshot' }]);
  });

  test('should give the intercom its methods, frozen, and leave out arguments that are undefined', () => {
    const { container, sent } = openPage();
    const { sip } = container;
    assert.ok(Object.isFrozen(sip) && Object.isFrozen(sip.openDoor) && Object.isFrozen(sip.on));
    void sip.openDoor!('front');
    void sip.openDoor!();
    void sip.openDoor!(undefined);
    assert.deepEqual(sent, [
      { id: 1, method: 'sip.openDoor', args: ['front'] },
      { id: 2, method: 'sip.openDoor', args: [] },
      { id: 3, method: 'sip.openDoor', args: [] },
    ]);
  });

  test('should give the listeners of the intercom the events by name, over one subscription', () => {
    const { container, sent, answer } = openPage();
    const { sip } = container;
    const heard: unknown[] = [];
    const first = (payload: unknown) => heard.push(['first', payload]);
    const second = (payload: unknown) => heard.push(['second', payload]);
    const all = (payload: unknown) => heard.push(['all', payload]);
    sip.on!('incomingCall', first);
    sip.on!('incomingCall', first);
    sip.on!('callEnded', second);
    answer({ event: 'sip', payload: { event: 'incomingCall', payload: 1 } });
    answer({ event: 'sip', payload: { event: 'callEnded', payload: 2 } });
    answer({ event: 'sip', payload: { event: 'toString', payload: 3 } });
    sip.off!('incomingCall', first);
    container.on('sip', all);
    answer({ event: 'sip', payload: { event: 'incomingCall', payload: 4 } });
    container.off('sip', all);
    sip.off!('callEnded', second);
    // As text: the objects belong to the page's realm.
    assert.equal(
      JSON.stringify(heard),
      '[["first",1],["second",2],["all",{"event":"incomingCall","payload":4}]]',
    );
    assert.deepEqual(sent, [{ subscribe: 'sip' }, { unsubscribe: 'sip' }]);
    assert.throws(() => sip.on!('toString', first), { code: 'INVALID_REQUEST', field: 'event' });
    assert.throws(() => sip.on!('callEnded', 1), { code: 'INVALID_REQUEST', field: 'listener' });
  });

  test('should refuse an unknown event and a listener that is not a function', () => {
    const { container } = openPage();
    assert.throws(() => container.on('toString', () => {}), { code: 'INVALID_REQUEST', field: 'event' });
    assert.throws(() => container.on('led', 'alert(1)'), { code: 'INVALID_REQUEST', field: 'listener' });
  });

  test('security: a page that tampers with JSON, Promise, Map and Reflect still gets correct answers', async () => {
    const { container, realm, answer, sent } = openPage();
    vm.runInContext(
      `JSON.parse = JSON.stringify = () => { throw 1 }; Promise = Map = Error = undefined; Reflect.apply = () => 0;
       Object.prototype.toJSON = undefined; Promise = { prototype: {} };`,
      realm,
    );
    const promise = container.gpioBridge.postMessage('{"action":"read","pin":0}');
    assert.equal(sent.length, 1);
    answer({ id: 1, result: { level: 1 } });
    assert.equal(((await promise) as { level: number }).level, 1);
  });

  test('should still be self-contained after esbuild has bundled it', async () => {
    const bundle = await build({
      entryPoints: [fileURLToPath(new URL('./pageBridge.ts', import.meta.url))],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'chrome120',
      write: false,
    });
    const url = `data:text/javascript,${encodeURIComponent(bundle.outputFiles[0]!.text)}`;
    const module = (await import(url)) as { installBridge: typeof installBridge };
    const { container, answer } = openPage(module.installBridge.toString());
    const promise = container.sendUdp('127.0.0.1', 9, '00');
    answer({ id: 1, result: 'sent' });
    assert.equal(await promise, 'sent');
  });
});
