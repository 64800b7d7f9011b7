import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LEFT_OUT } from '../../../../preload/consoleLimit.ts';
import { silentLogger } from '../../../platform/log.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { PageReport } from '../../recovery/pageReport.ts';
import type { CdpEvent, ConsoleCall, RemoteValue } from '../process/cdpProtocol.ts';
import {
  ConsoleWatch,
  isImportOf,
  isRejection,
  leftOutIn,
  saysSomething,
  wordsOfCall,
  wordsOfEntry,
  wordsOfException,
} from './consoleWatch.ts';

function makeWatch(answer: (method: string) => Promise<object> = async () => ({})) {
  const sent: string[] = [];
  const late: Error[] = [];
  const said: string[] = [];
  const clock = new FakeClock();
  const send = (method: string, _params: object, sessionId?: string) => {
    if (method === 'Runtime.discardConsoleEntries') sent.push(sessionId ?? '');
    return answer(method);
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
  test('should come with one place each, which Chromium takes no order for before Runtime.enable', async () => {
    let isEnabled = false;
    const { watch, late } = makeWatch(async (method) => {
      if (method === 'Runtime.enable') isEnabled = true;
      else if (method.startsWith('Runtime.') && !isEnabled) throw new Error('Runtime agent is not enabled');
      return {};
    });
    watch.watch('page', 'top');
    await setImmediate();
    assert.deepEqual(late, []);
  });

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

  test('security: should take from a page only a number of entries that it can have left out', () => {
    const count = (value: unknown, style = LEFT_OUT, type = 'warning') =>
      leftOutIn({ type, args: [text('%c%d more'), text(style), { type: typeof value, value }] });
    assert.equal(count(7), 7);
    assert.equal(count(1e300), 1e9);
    for (const other of [0, -1, Number.NaN, '7', undefined, { valueOf: 7 }])
      assert.equal(count(other), undefined);
    assert.equal(count(7, 'color: red'), undefined);
    assert.equal(count(7, LEFT_OUT, 'log'), undefined);
    assert.equal(leftOutIn({ type: 'warning', args: [] }), undefined);
  });

  test('should tell how many lines a frame has left out, as no line of the page', async () => {
    const { watch, hear, said, clock } = makeWatch();
    watch.watch('page', 'top');
    const args = [text('%c%d more'), text(LEFT_OUT), { type: 'number', value: 7 }];
    hear('page', 'Runtime.consoleAPICalled', { type: 'warning', args });
    assert.deepEqual(said, []);
    await clock.advance(1_000);
    assert.deepEqual(said, ['7 more entries in one second were dropped.']);
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

const text = (value: string): RemoteValue => ({ type: 'string', value });
const call = (type: string, ...args: RemoteValue[]): ConsoleCall => ({ type, args });
const STACK = 'Error: boom\n    at start (http://p/app.js:3:9)\n    at http://p/app.js:9:1';

describe('the words of the console', () => {
  test('should take each method of console for a level, and leave out those that say nothing', () => {
    const levels = ['debug', 'log', 'info', 'warning', 'error', 'assert', 'table', 'trace'];
    assert.deepEqual(
      levels.map((type) => wordsOfCall(call(type, text('a'))).level),
      ['debug', 'log', 'info', 'warning', 'error', 'error', 'log', 'log'],
    );
    assert.equal(saysSomething(call('log')), true);
    for (const type of ['clear', 'endGroup']) assert.equal(saysSomething(call(type)), false);
  });

  test('should fill in placeholders, drop styles, and keep what is left', () => {
    const words = (...args: RemoteValue[]) => wordsOfCall(call('log', ...args)).text;
    assert.equal(
      words(text('%c%s is %d%%, %i'), text('color: red'), text('it'), { type: 'number', value: 7 }),
      'it is 7%, %i',
    );
    assert.equal(words(text('a'), text('%s'), text('b')), 'a %s b');
    assert.equal(words(), '');
  });

  test('should show values as the console of a browser does', () => {
    const words = (value: RemoteValue) => wordsOfCall(call('log', value)).text;
    assert.equal(words({ type: 'undefined' }), 'undefined');
    assert.equal(words({ type: 'object', subtype: 'null', value: null }), 'null');
    assert.equal(words({ type: 'number', value: 7, description: '7' }), '7');
    const properties = [{ name: 'a', type: 'string', value: 'x' }];
    const preview = { description: 'Object', overflow: true, properties };
    assert.equal(words({ type: 'object', description: 'Object', preview }), '{a: "x", …}');
    const list = { subtype: 'array', description: 'Array(1)', overflow: false, properties };
    assert.equal(words({ type: 'object', description: 'Array(1)', preview: list }), '["x"]');
    const named = { description: 'Lamp', overflow: false, properties };
    assert.equal(words({ type: 'object', description: 'Lamp', preview: named }), 'Lamp {a: "x"}');
    const error = { subtype: 'error', description: STACK, overflow: false, properties: [] };
    assert.equal(words({ type: 'object', subtype: 'error', description: STACK, preview: error }), STACK);
  });

  test('should count lines and columns from 1, and give an error its stack', () => {
    const stackTrace = { callFrames: [{ url: 'http://p/app.js', lineNumber: 0, columnNumber: 4 }] };
    const error = { type: 'object', subtype: 'error', description: STACK };
    const said = wordsOfCall({ type: 'error', args: [text('a'), error], stackTrace });
    assert.deepEqual([said.url, said.line, said.column, said.stack], ['http://p/app.js', 1, 5, STACK]);
  });

  test('should tell an exception in one line, with its place and stack apart', () => {
    const place = { url: 'http://p/app.js', lineNumber: 2, columnNumber: 8 };
    const exception = { type: 'object', subtype: 'error', description: STACK };
    const details = { text: 'Uncaught', ...place, exception };
    assert.deepEqual(wordsOfException(details), {
      level: 'exception',
      text: 'Uncaught Error: boom',
      stack: STACK,
      url: 'http://p/app.js',
      line: 3,
      column: 9,
    });
    const plain = wordsOfException({ ...details, exception: text('no error') });
    assert.deepEqual([plain.text, plain.stack, plain.line], ['Uncaught no error', undefined, 3]);
    assert.equal(isRejection(details), false);
    assert.equal(isRejection({ ...details, text: 'Uncaught (in promise)' }), true);
  });

  test('should know an import of the page itself that failed', () => {
    const said = (description: string) =>
      isImportOf('http://p/a/', {
        lineNumber: 0,
        columnNumber: 0,
        text: 'Uncaught (in promise)',
        exception: { type: 'object', description },
      });
    const words = 'TypeError: Failed to fetch dynamically imported module: ';
    assert.equal(said(`${words}http://p/core.js`), true);
    assert.equal(said(`${words}http://p/core.js\n    at http://p/a/:1:1`), true);
    for (const other of [`${words}http://cdn/core.js`, words, `${words}:`, 'Error: no http://p/core.js', ''])
      assert.equal(said(other), false, other);
  });

  test('should take failed requests and refusals of the browser for what they are', () => {
    const entry = { level: 'error', text: 'said', url: 'http://p/a.js', lineNumber: 4 } as const;
    const kinds = ['network', 'security', 'deprecation'].map((source) => wordsOfEntry({ ...entry, source }));
    assert.deepEqual(
      kinds.map(({ level, url, line }) => [level, url, line]),
      [
        ['network', 'http://p/a.js', undefined],
        ['security', 'http://p/a.js', 5],
        ['error', 'http://p/a.js', 5],
      ],
    );
    assert.equal(wordsOfEntry({ ...entry, source: 'other', level: 'verbose' }).level, 'debug');
  });
});
