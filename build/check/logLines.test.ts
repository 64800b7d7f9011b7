import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findUnclearLogLines } from './logLines.ts';

const find = (source: string, file = 'server/parts/led/service.ts') =>
  findUnclearLogLines(new Map([[file, source]]));

describe('findUnclearLogLines', () => {
  test('should accept a known subject with values as fields', () => {
    for (const source of [
      "this.#options.log.warn({ err: error, at: [1, 2] }, 'led: could not set the colour');",
      "log?.info('service: starting');",
      "log.info(\n  { a: '),' },\n  isEnded ? 'led: stopped' : 'led: finished',\n);",
      "#show(line: LogLine) { this.#log.error({ err }, line); }\nshow('led: lost');",
    ])
      assert.deepEqual(find(source), [], source);
  });

  test('should refuse a message without a known subject, with the line', () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      [
        "\nlog.warn({ err }, 'the colour is lost');",
        /^server\/parts\/led\/service\.ts:2: .* does not begin with/,
      ],
      ["strangers.info(a, {}, 'camel: refused');", /camel is no subject/],
      ["log.info({}, isEnded ? 'led: stopped' : 'finished');", /does not begin with/],
      ["f(line: LogLine) { log.info(line); }\nf('camel: lost');", /:2: camel is no subject/],
      ['log.info({ a: 1 });', /no message/],
      ["log[level]({}, 'lost');", /does not begin with/],
    ];
    for (const [source, problem] of refused) {
      const problems = find(source);
      assert.equal(problems.length, 1, source);
      assert.match(problems[0]!, problem);
    }
  });

  test('should refuse values in the text, and a text from elsewhere', () => {
    assert.match(find('log.info({}, `led: $' + '{pin} lost`);')[0]!, /Make them fields/);
    assert.match(find('log.info({}, failure);')[0]!, /is not a text/);
    assert.match(find('log.info({}, error.message);')[0]!, /no message/);
  });

  test('should not look at tests', () => {
    assert.deepEqual(find("log.info('x');", 'server/parts/led/service.test.ts'), []);
    assert.deepEqual(find("log.info('x');", 'server/testing/log.ts'), []);
  });
});
