import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import type { CdpEvent } from '../process/cdpProtocol.ts';
import { ConsoleEntries } from './consoleEntries.ts';

function makeEntries(answer: () => Promise<object> = async () => ({})) {
  const sent: string[] = [];
  const late: Error[] = [];
  const clock = new FakeClock();
  const send = (method: string, _params: object, sessionId?: string) => {
    sent.push(`${method} ${sessionId}`);
    return answer();
  };
  const entries = new ConsoleEntries(send as never, clock, (error) => late.push(error));
  const hear = (sessionId: string, method = 'Runtime.consoleAPICalled') =>
    entries.handle({ method, params: {}, sessionId } as unknown as CdpEvent);
  return { entries, hear, sent, late, clock };
}

describe('entries of the console', () => {
  test('should be discarded every half second while more come, and then no longer', async () => {
    const { hear, sent, clock } = makeEntries();
    for (let i = 0; i < 1_000; i++) {
      hear('page');
      await clock.advance(1);
    }
    const discarded = 'Runtime.discardConsoleEntries page';
    assert.deepEqual(sent, [discarded, discarded]);
    await clock.advance(60_000);
    assert.equal(sent.length, 2);
  });

  test('should be discarded for each frame separately, including exceptions, and for nothing else', async () => {
    const { hear, sent, clock } = makeEntries();
    hear('page');
    hear('frame', 'Runtime.exceptionThrown');
    hear('other', 'Page.frameNavigated');
    await clock.advance(500);
    assert.deepEqual(sent, ['Runtime.discardConsoleEntries page', 'Runtime.discardConsoleEntries frame']);
  });

  test('should be forgotten with their target, even if it goes in between', async () => {
    const { entries, hear, sent, late, clock } = makeEntries(() => Promise.reject(new Error('gone')));
    for (const session of ['page', 'frame', 'other']) hear(session);
    entries.forget('frame');
    await clock.advance(500);
    assert.equal(sent.length, 2);
    assert.equal(late.length, 2);
    hear('page');
    entries.forget();
    assert.equal(clock.pending, 0);
  });
});
