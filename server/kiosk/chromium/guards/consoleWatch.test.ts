import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { PageReport } from '../../recovery/pageReport.ts';
import type { CdpEvent } from '../process/cdpProtocol.ts';
import { ConsoleWatch } from './consoleWatch.ts';

function makeWatch(answer: () => Promise<object> = async () => ({})) {
  const sent: string[] = [];
  const late: Error[] = [];
  const said: string[] = [];
  const clock = new FakeClock();
  const send = (method: string, _params: object, sessionId?: string) => {
    if (method === 'Runtime.discardConsoleEntries') sent.push(sessionId ?? '');
    return answer();
  };
  const report = new PageReport({
    clock,
    log: silentLogger(),
    page: () => undefined,
    onState: () => {},
    onTrouble: () => {},
  });
  report.feed().open(({ text }) => said.push(text));
  report.begun('http://p/');
  const watch = new ConsoleWatch({ send: send as never, report, clock, onLate: (error) => late.push(error) });
  const hear = (sessionId: string, method: string, params: object) =>
    watch.handle({ method, params, sessionId } as unknown as CdpEvent);
  const log = (sessionId: string, text = 'a line') =>
    hear(sessionId, 'Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'string', value: text }] });
  const context = (id: number, frameId: string) =>
    hear('page', 'Runtime.executionContextCreated', { context: { id, auxData: { frameId } } });
  const exception = (sessionId: string, executionContextId: number, text = 'Uncaught') =>
    hear(sessionId, 'Runtime.exceptionThrown', { exceptionDetails: { text, executionContextId } });
  return { watch, report, hear, log, context, exception, sent, late, said, clock };
}

describe('entries of the console', () => {
  test('should be discarded every half second while more come, and then no longer', async () => {
    const { log, sent, clock } = makeWatch();
    for (let i = 0; i < 1_000; i++) {
      log('page');
      await clock.advance(1);
    }
    assert.deepEqual(sent, ['page', 'page']);
    await clock.advance(60_000);
    assert.equal(sent.length, 2);
  });

  test('should be discarded for each frame separately, including exceptions, and for nothing else', async () => {
    const { log, exception, hear, sent, clock } = makeWatch();
    log('page');
    exception('frame', 1);
    hear('other', 'Page.frameNavigated', {});
    await clock.advance(500);
    assert.deepEqual(sent, ['page', 'frame']);
  });

  test('should be forgotten with their target, even if it goes in between', async () => {
    const { watch, log, sent, late, clock, report } = makeWatch(() => Promise.reject(new Error('gone')));
    for (const session of ['page', 'frame', 'other']) log(session);
    watch.forget('frame');
    await clock.advance(500);
    assert.equal(sent.length, 2);
    assert.equal(late.length, 2);
    log('page');
    watch.forget();
    report.stop();
    assert.equal(clock.pending, 0);
  });

  test('should be told of the page, its frames and workers, and of no other window', () => {
    const { watch, log, said } = makeWatch();
    watch.watch('page', 'top');
    watch.watch('worker');
    for (const session of ['page', 'worker', 'settings']) log(session, session);
    watch.forget('worker');
    log('worker', 'too late');
    assert.deepEqual(said, ['page', 'worker']);
  });

  test('should count as errors of the page only what its top frame throws', () => {
    const { watch, context, exception, hear, said, report } = makeWatch();
    watch.watch('page', 'top');
    watch.watch('worker');
    context(1, 'top');
    context(2, 'frame within');
    exception('page', 2);
    exception('worker', 1);
    assert.equal(report.watch.state.errors, 0);
    exception('page', 1, 'Uncaught (in promise)');
    assert.deepEqual([report.watch.state.errors, report.watch.state.state], [1, 'loading']);
    exception('page', 1);
    assert.deepEqual([report.watch.state.errors, report.watch.state.state], [2, 'failed']);
    hear('page', 'Runtime.executionContextsCleared', {});
    exception('page', 1);
    assert.equal(report.watch.state.errors, 2);
    assert.equal(said.length, 5);
  });
});
