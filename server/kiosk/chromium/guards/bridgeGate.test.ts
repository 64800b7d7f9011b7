import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { FakeClock, settled } from '../../../testing/fakeClock.ts';
import type { ExecutionContext } from '../process/cdpProtocol.ts';
import { BridgeGate } from './bridgeGate.ts';

const ORIGIN = 'http://p1.localhost:8080';
const main: ExecutionContext = {
  id: 1,
  uniqueId: 'u1',
  origin: ORIGIN,
  auxData: { frameId: 'TARGET', isDefault: true },
};

describe('BridgeGate', () => {
  let clock: FakeClock;
  let origins: string[];
  let browserUrl: string;
  let heard: string[];
  let gone: number;
  let delivered: [string, string][];
  let reply: (json: string) => void;
  let gate: BridgeGate;

  beforeEach(() => {
    clock = new FakeClock();
    origins = [ORIGIN];
    browserUrl = `${ORIGIN}/index.html`;
    heard = [];
    gone = 0;
    delivered = [];
    gate = new BridgeGate({
      targetId: 'TARGET',
      policy: { bridgeOrigins: () => origins },
      sink: {
        onMessage: (caller, json) => {
          heard.push(json);
          reply = caller.reply;
        },
        onPageGone: () => gone++,
      },
      browserUrl: async () => browserUrl,
      deliver: (uniqueId, json) => void delivered.push([uniqueId, json]),
      log: silentLogger(),
      clock,
    });
  });

  test('should accept calls from the main frame of a listed origin, in order', async () => {
    gate.contextCreated(main);
    gate.call(1, 'a');
    gate.call(1, 'b');
    await settled();
    gate.call(1, 'c');
    assert.deepEqual(heard, ['a', 'b', 'c']);
    reply('answer');
    assert.deepEqual(delivered, [['u1', 'answer']]);
  });

  const refused: [string, ExecutionContext][] = [
    ['a subframe', { ...main, auxData: { frameId: 'CHILD', isDefault: true } }],
    ['an isolated world', { ...main, auxData: { frameId: 'TARGET', isDefault: false } }],
    ['another origin', { ...main, origin: 'http://evil.localhost:8080' }],
    ['an opaque origin', { ...main, origin: 'null' }],
    ['a context without a frame', { id: 1, uniqueId: 'u1', origin: ORIGIN }],
  ];
  for (const [what, context] of refused)
    test(`security: ${what} with a leaked binding is refused`, async () => {
      gate.contextCreated(context);
      gate.call(1, 'a');
      await clock.advance(5_000);
      assert.deepEqual(heard, []);
    });

  test('security: a context that is unknown or gone is refused', async () => {
    gate.call(7, 'a');
    gate.contextCreated(main);
    gate.contextDestroyed(1);
    gate.call(1, 'a');
    await settled();
    assert.deepEqual(heard, []);
  });

  test('security: an origin that the browser process does not confirm is refused', async () => {
    browserUrl = 'http://evil.localhost:8080/';
    gate.contextCreated(main);
    gate.call(1, 'a');
    await clock.advance(5_000);
    assert.deepEqual(heard, []);
    assert.equal(clock.pending, 0);
  });

  test('should wait for the browser process to learn of a new document', async () => {
    browserUrl = 'about:blank';
    gate.contextCreated(main);
    gate.call(1, 'a');
    await clock.advance(150);
    browserUrl = `${ORIGIN}/`;
    gate.call(1, 'b');
    await clock.advance(100);
    assert.deepEqual(heard, ['a', 'b']);
  });

  test('security: an origin removed from the list can neither call nor receive', async () => {
    gate.contextCreated(main);
    gate.call(1, 'a');
    await settled();
    origins = [];
    gate.call(1, 'b');
    reply('answer');
    assert.deepEqual(heard, ['a']);
    assert.deepEqual(delivered, []);
  });

  test('security: a document that was replaced while it waited for confirmation can never call', async () => {
    browserUrl = 'about:blank';
    gate.contextCreated(main);
    gate.call(1, 'old');
    await clock.advance(50);
    gate.clear();
    gate.contextCreated({ ...main, uniqueId: 'u2' });
    browserUrl = `${ORIGIN}/`;
    await clock.advance(1_000);
    assert.deepEqual(heard, []);
  });

  test('should report once that the document is gone, and only if it called', async () => {
    gate.contextCreated(main);
    gate.contextCreated({ ...main, id: 2 });
    gate.clear();
    assert.equal(gone, 0);
    gate.contextCreated(main);
    gate.call(1, 'a');
    await settled();
    gate.clear();
    gate.clear();
    assert.equal(gone, 1);
  });
});
