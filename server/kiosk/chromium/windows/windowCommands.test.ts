import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { CdpError } from '../process/cdpPipe.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { askDocument, fillScreen } from './windowCommands.ts';

/** A window that answers with these, one after the other; the last one again and again. */
function windowThat(...answers: (string | Error)[]) {
  let asked = 0;
  const send = (async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    if (answer instanceof Error) throw answer;
    return { result: { type: 'string', value: answer } };
  }) as unknown as CdpSend;
  return { send, asked: () => asked };
}

const error = (message: string) => new CdpError('Runtime.evaluate', message);

describe('question to a document', () => {
  test('should be asked again while the window changes its document', async () => {
    const clock = new FakeClock();
    const window = windowThat(
      error('Cannot find default execution context'),
      error('Execution context was destroyed.'),
      'there',
    );
    const answer = askDocument(window.send, clock, 's', { expression: '1' });
    await clock.advance(40);
    assert.equal((await answer).result.value, 'there');
    assert.equal(window.asked(), 3);
  });

  test('should fail where the window is gone, and where no document comes', async () => {
    const clock = new FakeClock();
    const gone = windowThat(error('Session with given id not found.'));
    await assert.rejects(askDocument(gone.send, clock, 's', { expression: '1' }), /not found/);
    assert.equal(gone.asked(), 1);
    const empty = windowThat(error('Cannot find default execution context'));
    const answer = assert.rejects(
      askDocument(empty.send, clock, 's', { expression: '1' }),
      /default execution/,
    );
    for (let waited = 0; waited <= 5_000; waited += 20) await clock.advance(20);
    await answer;
  });
});

describe('page on a screen that is narrower than the browser makes windows', () => {
  /** @param widths of the page, at each look; the last one from then on */
  async function fill(widths: number[], canFit = true) {
    const clock = new FakeClock();
    let looks = 0;
    const send = (async () => {
      const width = widths[Math.min(looks++, widths.length - 1)]!;
      return { result: { value: [480, 480, 0, 80, width, 1, true] } };
    }) as unknown as CdpSend;
    const places: unknown[] = [];
    const fit = async (area: unknown) => {
      places.push(area);
      return canFit;
    };
    const filled = fillScreen(send, { targetId: 't', sessionId: 's' }, clock, fit);
    for (let waited = 0; waited < 1_000; waited += 100) await clock.advance(100);
    assert.deepEqual(await filled, { width: 480, height: 480 });
    return places;
  }

  test('should get its place again while the browser insists on its smallest size', async () => {
    const place = { x: 0, y: -80, width: 480, height: 560 };
    assert.deepEqual(await fill([480]), []);
    assert.deepEqual(await fill([500, 480]), [place]);
    assert.deepEqual(await fill([500, 500, 500, 480]), [place, place, place]);
  });

  test('should stay as it is where nothing can place it, or where it does not help', async () => {
    assert.equal((await fill([500], false)).length, 1);
    assert.equal((await fill([500])).length, 5);
  });
});
