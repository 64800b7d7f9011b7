import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { ResourceScopes } from './resourceScopes.ts';

function house() {
  const clock = new FakeClock();
  const ended: string[] = [];
  return {
    clock,
    holders: new ResourceScopes(clock),
    ended,
    end: (name: string) => () => void ended.push(name),
  };
}

describe('what belongs to a caller', () => {
  it('should end with the last place where its holder hears events', () => {
    const { holders, ended, end, clock } = house();
    const token = {};
    const [first, second] = [holders.attend(token), holders.attend(token)];
    holders.hold(token, end('a'));
    holders.hold({}, end('of another'));
    first();
    first();
    assert.deepEqual(ended, []);
    second();
    assert.deepEqual(ended, ['a']);
    assert.equal(holders.size, 1);
    assert.equal(clock.pending, 1);
  });

  it('should stay for a minute after the last call of a holder who hears nothing', async () => {
    const { holders, ended, end, clock } = house();
    const token = {};
    holders.hold(token, end('a'));
    await clock.advance(50_000);
    holders.touch(token);
    await clock.advance(50_000);
    assert.deepEqual(ended, []);
    await clock.advance(10_000);
    assert.deepEqual(ended, ['a']);
    assert.equal(holders.size, 0);
  });

  it('should stay without a limit once its holder hears events', async () => {
    const { holders, ended, end, clock } = house();
    const token = {};
    holders.hold(token, end('a'));
    const leave = holders.attend(token);
    await clock.advance(3_600_000);
    assert.deepEqual(ended, []);
    leave();
    assert.deepEqual(ended, ['a']);
  });

  it('security: should end with a holder that is gone for good, and at once for one that was', () => {
    const { holders, ended, end, clock } = house();
    const token = {};
    holders.attend(token);
    holders.hold(token, end('a'));
    holders.end(token);
    assert.deepEqual(ended, ['a']);
    holders.hold(token, end('b'));
    assert.deepEqual(ended, ['a', 'b']);
    assert.equal(clock.pending, 0);
  });

  it('should forget what was ended by its holder, and end all at the stop', async () => {
    const { holders, ended, end, clock } = house();
    const token = {};
    holders.hold(token, end('a'))();
    assert.equal(holders.size, 0);
    holders.hold(token, end('b'));
    await holders.stop();
    assert.deepEqual(ended, ['b']);
    assert.equal(clock.pending, 0);
  });
});
