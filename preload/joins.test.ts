import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import vm from 'node:vm';
import type { ContainerSpec, JoinMessage } from '../server/contract/pageBridge.ts';
import { offerJoins } from './joins.ts';
import { installBridge } from './pageBridge.ts';

const spec: ContainerSpec = {
  version: '1',
  isOem: false,
  methods: { container: {}, sip: {}, MobileBridge: {} },
  bridges: [],
  events: [],
  sipEvents: [],
  aliases: [],
  messageLimit: 1_000,
};

type Interface = Readonly<Record<string, (...args: unknown[]) => void>>;

/** Runs both scripts from their text in an empty realm, as a page would, with the host played by the test. */
function openPage({ hasJoins = true } = {}) {
  const sent: Record<string, unknown>[] = [];
  const warned: unknown[] = [];
  const reported: unknown[] = [];
  const timers: (() => void)[] = [];
  const listeners: Record<string, () => void> = {};
  let receive: (json: string) => void = () => {};
  const realm = vm.createContext({
    console: { warn: (words: unknown) => warned.push(words) },
    EventTarget,
    MessageEvent,
    reportError: (error: unknown) => reported.push(error),
    setTimeout: (act: () => void) => timers.push(act),
    addEventListener: (type: string, act: () => void) => {
      listeners[type] = act;
    },
  });
  const run = (source: string) => vm.runInContext(source, realm) as unknown;
  if (hasJoins) run(`(${offerJoins})(null)`);
  (run(`(${installBridge})`) as typeof installBridge)(
    null,
    {
      post: (json) => sent.push(JSON.parse(json)),
      listen: (callback) => {
        receive = callback;
      },
    },
    spec,
  );
  return {
    sent,
    warned,
    reported,
    timers,
    listeners,
    run,
    native: run('globalThis.JSInterface') as Interface,
    give: (...joins: JoinMessage[]) => receive(JSON.stringify({ joins })),
  };
}

describe('the joins of the page', () => {
  test('security: should be there for a project with joins alone, and frozen', () => {
    const without = openPage({ hasJoins: false });
    assert.equal(without.native, undefined);
    without.give(['boolean', 'fb1', true]);
    assert.deepEqual(without.sent, []);
    const { native, run } = openPage();
    assert.ok(Object.isFrozen(native) && Object.isFrozen(native.bridgeSendBooleanToNative));
    assert.equal(run('globalThis.faceplateJoins'), undefined);
    assert.equal(run('typeof JSInterface.bridgeUnsubscribeObjectSignalFromNative'), 'function');
  });

  test('should send values as the library calls them', () => {
    const { native, sent, warned } = openPage();
    assert.deepEqual(sent.splice(0), [{ joins: 'ready' }]);
    native.bridgeSubscribeBooleanSignalFromNative!('fb1');
    native.bridgeSendBooleanToNative!('1', true);
    native.bridgeSendBooleanToNative!('1', 0);
    native.bridgeSendIntegerToNative!(5, 4711.9);
    native.bridgeSendStringToNative!('Room.Name', 'Hall');
    native.bridgeSendObjectToNative!('1', '{"repeatdigital":true}');
    assert.deepEqual(sent.splice(0), [
      { join: 'boolean', name: '1', value: true },
      { join: 'boolean', name: '1', value: false },
      { join: 'integer', name: '5', value: 4711 },
      { join: 'string', name: 'Room.Name', value: 'Hall' },
      { join: 'object', name: '1', value: '{"repeatdigital":true}' },
    ]);
    native.bridgeSendStringToNative!('s', 'x'.repeat(16_385));
    native.bridgeSendStringToNative!('s', { toString: 1 });
    native.bridgeSendObjectToNative!('o', null);
    assert.deepEqual([sent, warned.length], [[], 1]);
  });

  test('should wait for the functions of the library, in order, and say what it has taken', () => {
    const { give, run, sent, listeners, timers, reported } = openPage();
    sent.length = 0;
    give(['object', 'Csig.X', { a: 1 }], ['integer', 'fb21', 1], ['boolean', 'fb1', true]);
    assert.deepEqual(sent, [{ joins: 'taken' }]);
    run(`const got = []; globalThis.bridgeReceiveIntegerFromNative = (...args) => got.push(args);`);
    listeners.load!();
    give(['integer', 'fb21', 2]);
    run(
      `function bridgeReceiveBooleanFromNative(name, value) { got.push([name, value]); throw new Error('mine'); }`,
    );
    timers.shift()!();
    run('globalThis.bridgeReceiveObjectFromNative = (name, value) => got.push([name, value.a]);');
    timers.shift()!();
    assert.equal(timers.length, 0);
    assert.deepEqual(JSON.parse(run('JSON.stringify(got)') as string), [
      ['fb21', 1],
      ['fb21', 2],
      ['fb1', true],
      ['Csig.X', 1],
    ]);
    assert.equal(reported.length, 1);
  });

  test('should leave out older values where no library comes, and tell notes in the console', () => {
    const { give, run, warned, listeners } = openPage();
    for (let at = 0; at < 5_000; at++) give(['integer', `fb${at % 10}`, at]);
    give(['note', '', 'Joins: boolean.1.press: It broke.']);
    run('const got = []; globalThis.bridgeReceiveIntegerFromNative = (name, value) => got.push(value);');
    listeners.DOMContentLoaded!();
    const got = JSON.parse(run('JSON.stringify(got)') as string) as number[];
    assert.ok(got.length <= 2_000);
    assert.deepEqual(
      got.slice(-10),
      Array.from({ length: 10 }, (_, at) => 4_990 + at),
    );
    assert.deepEqual(warned, ['Joins: boolean.1.press: It broke.']);
  });
});
