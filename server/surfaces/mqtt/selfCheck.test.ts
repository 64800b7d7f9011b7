import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { SelfCheck } from './commands.ts';
import type { BrokerMessage } from './types.ts';

describe('the check whether the broker lets commands through', () => {
  function house() {
    const clock = new FakeClock();
    const said: (string | null)[] = [];
    let heard: (message: BrokerMessage) => unknown = () => {};
    const it = { way: 'open' as 'open' | 'silent' | 'refused', published: 0 };
    const link = {
      isConnected: true,
      isVersion5: true,
      isBehind: false,
      address: '',
      publish: async (topic: string, payload: string | Uint8Array) => {
        it.published++;
        if (it.way === 'refused') throw new Error('refused');
        if (it.way === 'open') heard({ topic, payload: Buffer.from(payload), isRetained: false });
      },
      subscribe: (_: string, listener: typeof heard) => {
        heard = listener;
        return () => {};
      },
      onConnected: () => () => {},
    };
    const names = { prefix: 'faceplate', id: 'hall', groups: [], discovery: '' };
    const check = new SelfCheck({ link, names, say: (words) => said.push(words), clock });
    check.start();
    return { it, check, said, clock, heard: (message: BrokerMessage) => heard(message) };
  }

  test('should say nothing where its own message comes back', async () => {
    const { check, said, clock } = house();
    check.check();
    await clock.advance(120_000);
    assert.deepEqual(said, []);
    assert.equal(clock.pending, 0);
  });

  test('should say so where nothing comes, look again every minute, and take it back', async () => {
    const { it, check, said, clock } = house();
    it.way = 'silent';
    check.check();
    await clock.advance(4_999);
    assert.deepEqual(said, []);
    await clock.advance(1);
    assert.deepEqual(said, ['faceplate/hall/command/self does not arrive']);
    it.way = 'refused';
    await clock.advance(65_000);
    assert.equal(said.at(-1), 'it refuses faceplate/hall/command/self');
    it.way = 'open';
    await clock.advance(60_000);
    assert.equal(said.at(-1), null);
    assert.equal(it.published, 3);
    check.stop();
    assert.equal(clock.pending, 0);
  });

  test('security: should not be reassured by what another member writes there', async () => {
    const { it, check, said, clock, heard } = house();
    it.way = 'silent';
    check.check();
    heard({ topic: 'faceplate/hall/command/self', payload: Buffer.from('yes'), isRetained: false });
    await clock.advance(5_000);
    assert.equal(said.length, 1);
    check.stop();
  });
});
