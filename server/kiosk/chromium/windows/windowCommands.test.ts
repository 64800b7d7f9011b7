import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { CdpError } from '../process/cdpPipe.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { askDocument } from './windowCommands.ts';

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
