import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { Screencast } from './screencast.ts';
import type { SendTo } from './target.ts';

/**
 * A browser that makes pictures of what `now` is. It sends at most `room` that are not acknowledged, and loses the
 * others, as Chromium does.
 */
function startCast(room: number) {
  const clock = new FakeClock();
  const shown: string[] = [];
  const sent: string[] = [];
  let [session, unacknowledged, made, refusals] = [0, 0, 0, 0];
  let now = 'A';
  const picture = (): void => {
    if (unacknowledged >= room) return;
    unacknowledged++;
    made++;
    const metadata = { deviceWidth: 1280.2, deviceHeight: 800 };
    cast.take({ data: Buffer.from(now).toString('base64'), metadata, sessionId: session });
  };
  const send = (async (method: string, params: { sessionId?: number }) => {
    sent.push(method);
    if (method === 'Page.startScreencast') {
      if (refusals-- > 0) throw new Error('Not attached to an active page');
      session++;
      unacknowledged = 0;
      queueMicrotask(picture);
    } else if (method === 'Page.screencastFrameAck' && params.sessionId === session) unacknowledged--;
    return {};
  }) as unknown as SendTo;
  const onPicture = (jpeg: Uint8Array, { width }: { width: number }): void => {
    assert.equal(width, 1280);
    shown.push(Buffer.from(jpeg).toString());
  };
  const cast = new Screencast({ send, onPicture, onLate: () => {}, clock });
  return {
    clock,
    cast,
    shown,
    sent,
    made: () => made,
    refuse: (times: number) => {
      refusals = times;
    },
    draw: (what: string) => {
      now = what;
      picture();
    },
  };
}

describe('the pictures of a page', () => {
  test('should show each change once, and ask for nothing while the page stands', async () => {
    const { clock, cast, shown, sent, draw } = startCast(3);
    cast.start();
    await clock.advance(1_000);
    draw('B');
    await clock.advance(1_000);
    assert.deepEqual(shown, ['A', 'B']);
    sent.length = 0;
    await clock.advance(60_000);
    assert.deepEqual([sent, clock.pending], [[], 0]);
  });

  for (const room of [1, 2, 3])
    test(`should show the last picture always, where the browser keeps ${room}`, async () => {
      const { clock, cast, shown, draw } = startCast(room);
      cast.start();
      await clock.advance(1_000);
      for (let i = 1; i <= 200; i++) {
        draw(`${i}`);
        await clock.advance(7);
      }
      await clock.advance(1_000);
      assert.equal(shown.at(-1), '200');
      // The one that stood before, the first change, ten a second, and the last one.
      assert.ok(shown.length <= 1 + 1 + 14 + 1, `${shown.length} pictures in 1.4 s`);
    });

  test('should let a moving page make hardly more pictures than are shown', async () => {
    const { clock, cast, shown, made, draw } = startCast(3);
    cast.start();
    for (let i = 0; i < 600; i++) {
      draw(`${i}`);
      await clock.advance(16);
    }
    assert.ok(shown.length >= 80 && shown.length <= 98, `${shown.length} pictures in 9.6 s`);
    assert.ok(made() <= shown.length + 5, `${made()} made`);
  });

  test('should not begin anew without end where the same picture is drawn again and again', async () => {
    const { clock, cast, shown, sent, draw } = startCast(3);
    cast.start();
    for (let i = 0; i < 60; i++) {
      draw('A');
      await clock.advance(50);
    }
    assert.deepEqual(shown, ['A']);
    assert.ok(sent.filter((method) => method === 'Page.startScreencast').length <= 2);
  });

  test('should ask again while one document replaces another, and never after its end', async () => {
    const { clock, cast, shown, sent, refuse } = startCast(3);
    refuse(3);
    cast.start();
    await clock.advance(2_000);
    assert.deepEqual(shown, ['A']);
    refuse(99);
    cast.renew();
    await clock.advance(500);
    cast.stop();
    sent.length = 0;
    await clock.advance(5_000);
    assert.deepEqual([sent, clock.pending], [[], 0]);
  });
});
