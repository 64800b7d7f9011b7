import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogEntry, LogLineLevel } from '../parts/log/contract.ts';
import { createLogger, LogTail } from './log.ts';

function makeLog(level: LogLineLevel = 'debug') {
  const written: string[] = [];
  const tail = new LogTail({ write: (line) => written.push(line) });
  const log = createLogger(level, tail);
  const follow = (least?: LogLineLevel) => {
    const entries: LogEntry[] = [];
    const end = tail.feed(least).open((entry) => entries.push(entry));
    return { entries, end, texts: () => entries.map(({ msg }) => msg) };
  };
  return { log, tail, written, follow };
}

describe('the log over the API', () => {
  test('should give the last 500 lines, then each new one, until the reader ends', () => {
    const { log, follow, written } = makeLog();
    for (let i = 0; i < 1_234; i++) log.info({ part: 'led' }, `line ${i}`);
    const { entries, end } = follow();
    assert.equal(entries.length, 500);
    assert.equal(entries[0]!.msg, 'line 734');
    const { time, ...others } = entries[499]!;
    assert.deepEqual(others, { level: 'info', part: 'led', msg: 'line 1233' });
    assert.equal(new Date(time).toISOString(), time);
    log.warn('new');
    end();
    log.warn('unheard');
    assert.equal(entries.length, 501);
    assert.equal(entries[500]!.msg, 'new');
    assert.equal(written.length, 1_236);
  });

  test('should give only lines of a level and graver ones, past and live', () => {
    const { log, follow } = makeLog();
    const say = () => {
      for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log[level](level);
    };
    say();
    const { texts } = follow('warn');
    say();
    assert.deepEqual(texts(), ['warn', 'error', 'fatal', 'warn', 'error', 'fatal']);
  });

  test('should not make lines below the level of the log for its readers', () => {
    const { log, follow } = makeLog('warn');
    const { texts } = follow('trace');
    log.info('not made');
    log.warn('made');
    assert.deepEqual(texts(), ['made']);
  });

  test('security: should hide what the log hides', () => {
    const { log, follow } = makeLog();
    log.info({ token: 'hunter2', deep: { password: 'hunter2' } }, 'opening rtsp://admin:hunter2@10.0.0.5/1');
    const { entries } = follow();
    assert.equal(entries.length, 1);
    assert.doesNotMatch(JSON.stringify(entries), /hunter2/);
  });

  test('should not feed a reader with the lines that its own reading makes', () => {
    const { log, tail } = makeLog();
    const heard: unknown[] = [];
    tail.feed().open(({ msg }) => {
      heard.push(msg);
      log.debug('the reader is slow');
    });
    log.info('one');
    log.info('two');
    assert.deepEqual(heard, ['one', 'two']);
  });

  test('security: should keep a line of more than 16 KiB without its fields', () => {
    const { log, follow, written } = makeLog();
    log.info({ facts: 'x'.repeat(17_000) }, 'y'.repeat(20_000));
    const [{ level, msg, facts, shortened } = assert.fail()] = follow().entries;
    assert.deepEqual([level, msg, facts, shortened], ['info', 'y'.repeat(8_192), undefined, true]);
    assert.ok(written[0]!.length > 37_000);
  });

  test('security: should let 32 callers follow, and refuse the next', () => {
    const { tail, follow } = makeLog();
    for (let i = 0; i < 32; i++) follow();
    assert.throws(() => tail.feed(), { code: 'CONFLICT' });
  });
});
