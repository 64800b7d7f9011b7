import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../server/testing/waiting.ts';
import { withProgress } from './progress.mjs';

describe('the progress of a long step', () => {
  const pipe = { isTTY: false, write: () => assert.fail('a pipe gets whole lines') };
  const words = { doing: 'making a cake', done: 'Cake made', everyMs: 5, terminal: pipe };

  it('should be told again and again until the step ends, and then no more', async () => {
    const lines = [];
    const say = (line) => lines.push(line);
    const step = async () => {
      await until(() => lines.length > 1);
      return 'cake';
    };
    assert.equal(await withProgress({ ...words, say }, step), 'cake');
    assert.match(lines[0], /^ {2}still making a cake, \d+ s so far$/);
    assert.match(lines.at(-1), /^Cake made in \d+ s\.$/);
    const told = lines.length;
    await sleep(50);
    assert.equal(lines.length, told);
  });

  it('should be one line of a terminal, which is gone at the end', async () => {
    const [lines, written] = [[], []];
    const say = (line) => lines.push(line);
    const terminal = { isTTY: true, write: (text) => written.push(text) };
    const seen = () => until(() => written.length > 2);
    assert.equal(await withProgress({ ...words, say, terminal }, seen), undefined);
    assert.match(lines.join(), /^Cake made in \d+ s\.$/);
    assert.equal(written.pop(), '\r\x1b[K');
    for (const text of written)
      assert.match(text.replace('\r\x1b[K', '<'), /^< {2}still making a cake, \d+ s so far$/);
    written.length = 0;
    const fails = async () => {
      await seen();
      throw new Error('no eggs');
    };
    await assert.rejects(withProgress({ ...words, say, terminal }, fails), /no eggs/);
    assert.equal(written.pop(), '\r\x1b[K');
    assert.equal(lines.length, 1);
  });

  it('should not be told as done where the step fails', async () => {
    const lines = [];
    const say = (line) => lines.push(line);
    const step = () => Promise.reject(new Error('no eggs'));
    await assert.rejects(withProgress({ ...words, say }, step), /no eggs/);
    await sleep(50);
    assert.deepEqual(lines, []);
  });
});
