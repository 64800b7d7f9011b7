import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { PageConsole } from './pageConsole.ts';

function makeConsole(level: 'debug' | 'info' = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger(level, { write: (line: string) => lines.push(JSON.parse(line)) } as never);
  const clock = new FakeClock();
  return { console: new PageConsole(clock, log), clock, lines };
}

describe('the console of the page in the log', () => {
  test('should be logged at debug level only, with the kind that the page used', () => {
    const { console, lines } = makeConsole();
    console.write('warning', 'no answer');
    assert.equal(lines.length, 1);
    assert.equal(lines[0]!.level, 'debug');
    assert.equal(lines[0]!.kind, 'warning');
    assert.equal(lines[0]!.said, 'no answer');
    const quiet = makeConsole('info');
    quiet.console.write('error', 'no answer');
    assert.deepEqual(quiet.lines, []);
  });

  test('security: a page cannot flood the log', async () => {
    const { console, clock, lines } = makeConsole();
    for (let i = 0; i < 1_000; i++) console.write('log', 'x'.repeat(100_000));
    assert.equal(lines.length, 20);
    assert.ok(JSON.stringify(lines).length < 20 * 700);
    await clock.advance(1_000);
    console.write('log', 'later');
    assert.deepEqual(
      lines.slice(20).map(({ dropped, said }) => dropped ?? said),
      [980, 'later'],
    );
  });

  test('should not even build the text of a line that is not logged', () => {
    let made = 0;
    for (const level of ['info', 'debug'] as const) {
      const { console } = makeConsole(level);
      for (let i = 0; i < 1_000; i++) console.write('log', () => `line ${++made}`);
    }
    assert.equal(made, 20);
  });

  test('security: the login in an address does not reach the log', () => {
    const { console, lines } = makeConsole();
    console.write('log', 'opening rtsp://admin:hunter2@10.0.0.5/1 and rtsps://admin:hunter2@10.0.0.6/');
    console.write('log', `${' '.repeat(480)}rtsp://admin:hunter2-and-so-on-for-quite-a-while@10.0.0.5/1`);
    assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
    assert.match(String(lines[0]!.said), /rtsp:\/\/\*\*\*@10\.0\.0\.5\/1 and/);
  });
});
