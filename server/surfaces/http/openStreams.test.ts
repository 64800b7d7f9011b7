import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenStreams } from './eventStream.ts';

const one = { id: '1', name: 'one', scopes: ['view'] as const };
const other = { ...one, id: '2' };

describe('open streams', () => {
  it('security: should end with their token, whatever kind they are, and leave those of others', () => {
    const streams = new OpenStreams();
    const ended: string[] = [];
    streams.add(one, (why) => ended.push(`events ${why}`));
    streams.add(one, (why) => ended.push(`log ${why}`));
    streams.add(one, () => assert.fail('its caller has left'))();
    streams.add(other, (why) => ended.push(`other ${why}`));
    streams.endOf(one);
    assert.deepEqual(ended, ['events revoked', 'log revoked']);
    streams.endAll();
    assert.deepEqual(ended.slice(2), ['other stopping']);
  });

  it('security: should end at once when they begin only after their token has ended', () => {
    const streams = new OpenStreams();
    const ended: string[] = [];
    streams.endOf(one);
    streams.add(one, (why) => ended.push(why));
    assert.deepEqual(ended, ['revoked']);
    streams.add({ ...one }, () =>
      assert.fail('another token of the same id, as the owner has after a change'),
    );
  });
});
