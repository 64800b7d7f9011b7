import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock, settled } from '../../../testing/fakeClock.ts';
import { LiveInputs } from './liveInput.ts';
import type { SendTo } from './target.ts';

/** A page that answers a command only when a test lets it. */
function startInputs() {
  const clock = new FakeClock();
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  let isDeaf = false;
  const send = ((method: string, params: { type?: string; text?: string; ignore?: boolean }) => {
    sent.push(
      params.type ?? params.text ?? (method === 'Runtime.evaluate' ? 'handled?' : `ignore ${params.ignore}`),
    );
    return new Promise((resolve) => answers.push(() => resolve({})));
  }) as unknown as SendTo;
  const target = { sessionId: 's', send, kind: 'page' as const, isDeaf: () => isDeaf };
  const inputs = new LiveInputs({ target, clock, onLate: () => {} });
  return {
    clock,
    inputs,
    sent,
    setDeaf: (now: boolean) => {
      isDeaf = now;
    },
    answer: async () => {
      for (const resolve of answers.splice(0)) resolve();
      await settled();
    },
  };
}

describe('input from afar', () => {
  test('should let keys wait until the page has handled the touch before them', async () => {
    const { inputs, sent, answer } = startInputs();
    inputs.pass({ type: 'tap', x: 1, y: 2 });
    inputs.pass({ type: 'text', text: 'a' });
    inputs.pass({ type: 'key', key: 'Enter' });
    assert.deepEqual(sent.splice(0), ['touchStart', 'touchEnd']);
    await answer();
    assert.deepEqual(sent.splice(0), ['handled?']);
    await answer();
    assert.deepEqual(sent.splice(0), ['a', 'keyDown', 'keyUp']);
    inputs.pass({ type: 'text', text: 'b' });
    assert.deepEqual(sent, ['b']);
  });

  test('should reach a page below a built-in page, and leave it deaf again afterwards', async () => {
    const { inputs, sent, answer, setDeaf } = startInputs();
    setDeaf(true);
    inputs.pass({ type: 'down', x: 1, y: 2 });
    inputs.pass({ type: 'up', x: 1, y: 2 });
    assert.deepEqual(sent.splice(0), ['ignore false', 'touchStart', 'ignore false', 'touchEnd']);
    await answer();
    // A click comes after the answer to the touch: the page hears until it has handled it.
    assert.deepEqual(sent.splice(0), ['handled?']);
    await answer();
    assert.deepEqual(sent, ['ignore true']);
  });

  test('security: should drop what a hung page does not take: moves beyond 8, all but the lift beyond 64', async () => {
    const { inputs, sent, clock } = startInputs();
    inputs.pass({ type: 'down', x: 0, y: 0 });
    for (let i = 0; i < 500; i++) inputs.pass({ type: 'move', x: i, y: 0 });
    assert.equal(sent.filter((what) => what === 'touchMove').length, 8);
    for (let i = 0; i < 500; i++) inputs.pass({ type: 'text', text: 'a' });
    assert.ok(sent.length <= 66, `${sent.length}`);
    inputs.pass({ type: 'up', x: 0, y: 0 });
    assert.equal(sent.at(-1), 'touchEnd');
    await clock.advance(3_000);
    sent.length = 0;
    inputs.pass({ type: 'tap', x: 0, y: 0 });
    assert.deepEqual(sent, ['touchStart', 'touchEnd']);
  });
});
