import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConsoleCall, RemoteValue } from '../process/cdpProtocol.ts';
import { isRejection, saysSomething, wordsOfCall, wordsOfEntry, wordsOfException } from './consoleLines.ts';

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
