import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Row } from './rowRunner.ts';

/** Lists tests in a process of its own and runs them: errors that nobody waits for would end this test. */
async function run(suite: string, isWanted = '() => true') {
  const script = `import * as words from ${JSON.stringify(join(import.meta.dirname, 'rowRunner.ts'))};
const { describe, test, before, after, beforeEach, afterEach, listRows, runRows } = words;
const order = [], rows = [];
const say = (word) => () => void order.push(word);
describe('all', () => { ${suite} });
const listed = listRows();
await runRows(500, ${isWanted}, (row) => rows.push(row));
console.log(JSON.stringify({ order, rows, listed }));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { order, rows, listed } = JSON.parse(stdout.split('\n').at(-2)!) as {
    order: string[];
    rows: Row[];
    listed: unknown;
  };
  return { order, rows, listed, stdout, states: rows.map(({ name, state }) => `${name} ${state}`) };
}

describe('what stands in for node:test inside Electron', () => {
  test("should run hooks and tests in the order of Node's own runner", async () => {
    const { order, rows, listed } = await run(`
      before(say('before'));
      after(say('after'));
      beforeEach(say('each'));
      afterEach(say('each after'));
      test('a', say('a'));
      describe('part', () => {
        before(say('inner before'));
        after(say('inner after'));
        beforeEach(say('inner each'));
        afterEach(say('inner each after'));
        test('b', say('b'));
      });`);
    assert.equal(
      order.join(', '),
      'before, each, a, each after, inner before, each, inner each, b, inner each after, each after, inner after, after',
    );
    assert.deepEqual(
      rows.map(({ part, name, state, why }) => ({ part, name, state, why })),
      [
        { part: 'all', name: 'a', state: 'passed', why: '' },
        { part: 'part', name: 'b', state: 'passed', why: '' },
      ],
    );
    assert.deepEqual(listed, [
      { part: 'all', name: 'a' },
      { part: 'part', name: 'b' },
    ]);
  });

  test('should fail a test that throws, lasts too long or loses an error, and go on', async () => {
    const { rows, states, order } = await run(`describe('part', () => {
      afterEach(say('cleared'));
      test('throws', () => { throw new Error('no', { cause: new Error('deeper') }); });
      test('lasts', () => new Promise(() => {}));
      test('has its own limit', { timeout: 20 }, () => new Promise(() => {}));
      test('rejects beside', async () => {
        Promise.reject(new Error('lost'));
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
      test('throws beside', async () => {
        setTimeout(() => { throw new Error('late'); });
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
      test('holds', () => {});
    });`);
    assert.deepEqual(states, [
      'throws failed',
      'lasts failed',
      'has its own limit failed',
      'rejects beside failed',
      'throws beside failed',
      'holds passed',
    ]);
    for (const [index, why] of [/no[\s\S]+deeper/, /after 500 ms/, /after 20 ms/, /lost/, /late/].entries())
      assert.match(rows[index]!.why, why);
    assert.equal(order.length, 6);
  });

  test('should fail all tests of a block that was not set up, for one reason, and still clear up', async () => {
    const { rows, states, order } = await run(`
      describe('part', () => {
        before(() => { throw new Error('no browser'); });
        after(say('cleared'));
        test('a', say('a'));
        test('b', say('b'));
      });
      describe('other', () => {
        after(() => { throw new Error('still running'); });
        test('c', say('c'));
      });`);
    assert.deepEqual(states, ['a failed', 'b failed', 'c passed', 'its end failed']);
    assert.match(rows[0]!.why, /no browser/);
    assert.equal(rows[1]!.why, 'as the one before');
    assert.match(rows[3]!.why, /still running/);
    assert.deepEqual(order, ['cleared', 'c']);
  });

  test('should skip what says so, and run the wanted parts alone', async () => {
    const { rows, order } = await run(
      `describe('part', () => {
        test('a', { skip: 'Electron 34 cannot' }, say('a'));
        test('b', { skip: false }, say('b'));
      });
      describe('other', () => {
        before(say('before'));
        test('c', say('c'));
      });`,
      `(part) => part === 'part'`,
    );
    assert.deepEqual(order, ['b']);
    assert.deepEqual(
      rows.map(({ name, state, why }) => [name, state, why]),
      [
        ['a', 'skipped', 'Electron 34 cannot'],
        ['b', 'passed', ''],
      ],
    );
  });
});
