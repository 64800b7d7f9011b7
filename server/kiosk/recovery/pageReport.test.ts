import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { ConsoleEntry, ConsoleLevel, PageState } from '../contract.ts';
import { PageConsole, PageReport } from './pageReport.ts';

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
      lines.map(({ refused, to }) => [refused, to]),
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

const TIME = '2026-03-02T10:00:00.000Z';

function entry(level: ConsoleLevel, text: string, url: string | null = null): ConsoleEntry {
  const [line, column] = url === null ? [null, null] : [3, 7];
  return { time: TIME, level, text, url, line, column, stack: null };
}

function makeConsole(level: 'debug' | 'info' = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger(level, { write: (line) => lines.push(JSON.parse(line)) });
  const clock = new FakeClock();
  return { console: new PageConsole(clock, log), clock, lines };
}

describe('the console of the page in the log', () => {
  test('should be logged at debug level only, with the kind that the page used', () => {
    const { console, lines } = makeConsole();
    console.write(entry('warning', 'no answer', 'http://p/app.js'));
    assert.equal(lines.length, 1);
    const [{ level, kind, said, at } = {}] = lines;
    assert.deepEqual([level, kind, said, at], ['debug', 'warning', 'no answer', 'http://p/app.js:3:7']);
    const quiet = makeConsole('info');
    quiet.console.write(entry('error', 'no answer'));
    assert.deepEqual(quiet.lines, []);
  });

  test('security: a page cannot flood the log: 20 lines of 500 bytes a second', async () => {
    const { console, clock, lines } = makeConsole();
    for (let i = 0; i < 1_000; i++) console.write(entry('log', 'x'.repeat(4_000)));
    assert.equal(lines.length, 20);
    for (const { said } of lines) assert.equal(Buffer.byteLength(String(said)), 500);
    await clock.advance(1_000);
    console.write(entry('log', 'later'));
    assert.deepEqual(
      lines.slice(20).map(({ dropped, said }) => dropped ?? said),
      [980, 'later'],
    );
    console.stop();
    assert.equal(clock.pending, 0);
  });

  test('should warn of the first exception and the first missing script of each page load', () => {
    const { console, lines } = makeConsole('info');
    const load = () => {
      for (let i = 0; i < 3; i++)
        console.write(entry('exception', 'Uncaught Error: boom', 'http://p/app.js'));
      for (let i = 0; i < 3; i++) console.scriptMissing('http://p/missing.js');
    };
    load();
    console.pageLoads();
    load();
    const warnings = lines.map(({ level, msg, at }) => [level, msg, at]);
    const once = [
      ['warn', 'kiosk: uncaught exception in the page', 'http://p/app.js:3:7'],
      ['warn', 'kiosk: a script of the page is missing', 'http://p/missing.js'],
    ];
    assert.deepEqual(warnings, [...once, ...once]);
    assert.equal(lines[0]!.said, 'Uncaught Error: boom');
  });

  test('security: a page that loads itself without an end warns 30 times a minute', async () => {
    const { console, lines, clock } = makeConsole('info');
    for (let i = 0; i < 1_000; i++) {
      console.pageLoads();
      console.write(entry('exception', 'Uncaught Error: boom'));
    }
    assert.equal(lines.length, 30);
    await clock.advance(60_000);
    console.pageLoads();
    console.write(entry('exception', 'Uncaught Error: boom'));
    assert.equal(lines.length, 31);
  });

  test('security: the login in an address does not reach the log', () => {
    const { console, lines } = makeConsole();
    console.scriptMissing('http://admin:hunter2@10.0.0.5/app.js');
    assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
    assert.equal(lines.length, 1);
  });
});
