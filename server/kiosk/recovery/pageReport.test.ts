import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { ConsoleEntry, PageState } from '../contract.ts';
import { PageReport } from './pageReport.ts';

function makeReport() {
  const lines: Record<string, unknown>[] = [];
  const states: PageState[] = [];
  const troubles: PageState[] = [];
  const said: ConsoleEntry[] = [];
  const clock = new FakeClock();
  const report = new PageReport({
    clock,
    log: createLogger('debug', { write: (line) => lines.push(JSON.parse(line)) }),
    page: () => undefined,
    onState: (state) => states.push(state),
    onTrouble: (state) => troubles.push(state),
  });
  report.feed().open((entry) => said.push(entry));
  return { report, lines, states, troubles, said, clock };
}

describe('what a host tells of its page', () => {
  test('should tell a missing script once a load in the log, and each in the count', () => {
    const { report, lines, troubles } = makeReport();
    report.begun('http://p/');
    report.scriptMissing('http://p/a.js');
    report.scriptMissing('http://p/b.js');
    assert.equal(report.watch.state.errors, 2);
    assert.deepEqual(
      troubles.map(({ state, errors }) => [state, errors]),
      [['failed', 1]],
    );
    assert.deepEqual(
      lines.map(({ level, at }) => [level, at]),
      [['warn', 'http://p/a.js']],
    );
  });

  test('security: should tell of 30 failed loads a minute: a page may load itself without an end', async () => {
    const { report, states, troubles, clock } = makeReport();
    for (let i = 0; i < 1_000; i++) {
      report.begun('http://p/');
      report.watch.threw();
    }
    assert.equal(states.filter(({ state }) => state === 'failed').length, 1_000);
    assert.equal(troubles.length, 30);
    await clock.advance(60_000);
    report.begun('http://p/');
    report.watch.threw();
    assert.equal(troubles.length, 31);
  });

  test('should say once in the console that the server is away', () => {
    const { report, said } = makeReport();
    report.watch.wanted('http://p/');
    for (let i = 0; i < 3; i++) report.watch.waiting();
    assert.deepEqual(
      said.map(({ level, url }) => [level, url]),
      [['network', 'http://p/']],
    );
  });

  test('should tell a refusal in the console and once in the log', () => {
    const { report, said, lines } = makeReport();
    report.refusals.tell('navigation refused', { to: 'http://elsewhere' });
    assert.deepEqual([said[0]!.level, said[0]!.text], ['security', 'navigation refused: http://elsewhere']);
    assert.deepEqual(
      lines.map(({ msg, to }) => [msg, to]),
      [['navigation refused', 'http://elsewhere']],
    );
  });

  test('security: should log 30 refusals a minute, and how many there were beside', async () => {
    const { report, lines, clock } = makeReport();
    for (let i = 0; i < 1_000; i++) report.refusals.tell('window refused');
    assert.equal(lines.length, 30);
    await clock.advance(60_000);
    const warnings = lines.filter(({ level }) => level === 'warn');
    assert.deepEqual([warnings.length, warnings.at(-1)!.dropped], [31, 970]);
  });

  test('should leave no timer when it stops', () => {
    const { report, clock } = makeReport();
    report.begun('http://p/');
    report.watch.loaded();
    for (let i = 0; i < 200; i++) report.say({ level: 'log', text: 'a' });
    for (let i = 0; i < 200; i++) report.refusals.tell('window refused');
    report.stop();
    assert.equal(clock.pending, 0);
  });
});
