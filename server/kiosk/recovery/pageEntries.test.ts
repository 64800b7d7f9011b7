import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { ConsoleEntry } from '../contract.ts';
import { PageEntries, type PageSays } from './pageEntries.ts';

const TIME = '2026-03-02T10:00:00.000Z';

function makeEntries() {
  const clock = new FakeClock();
  const entries = new PageEntries({ clock, date: () => new Date(TIME) });
  const read: ConsoleEntry[] = [];
  const follow = () => entries.feed().open((entry) => read.push(entry));
  return { entries, clock, read, follow };
}
const log = (text: string): PageSays => ({ level: 'log', text });

describe('the console of the page', () => {
  test('should tell what was said, when and where', () => {
    const { entries, read, follow } = makeEntries();
    entries.add({
      level: 'exception',
      text: 'boom',
      url: 'http://p/a.js',
      line: 1,
      column: 2,
      stack: 'at x',
    });
    entries.add(log('hello'));
    follow();
    const nowhere = { url: null, line: null, column: null, stack: null };
    assert.deepEqual(read, [
      {
        time: TIME,
        level: 'exception',
        text: 'boom',
        url: 'http://p/a.js',
        line: 1,
        column: 2,
        stack: 'at x',
      },
      { time: TIME, level: 'log', text: 'hello', ...nowhere },
    ]);
  });

  test('should say what helps where the browser refuses the answer of another server', () => {
    const { entries, read, follow } = makeEntries();
    const refused =
      "Access to fetch at 'http://a/' from origin 'http://b' has been blocked by CORS policy: No header.";
    entries.add({ level: 'error', text: refused });
    entries.add({ level: 'error', text: `${refused}${'x'.repeat(10_000)}` });
    follow();
    const hint = " Ask devices of the local network with container.call('http.request', { url }).";
    assert.equal(read[0]!.text, refused + hint);
    assert.ok(read[1]!.text.endsWith(`…${hint}`));
    assert.equal(Buffer.byteLength(read[1]!.text), 4_096);
  });

  test('should not complain of an icon that only the browser asks for', () => {
    const { entries, read, follow } = makeEntries();
    const missing = (url: string): PageSays => ({ level: 'network', text: 'Failed to load: 404', url });
    for (const url of ['http://p:8080/favicon.ico', 'https://p/favicon.ico']) entries.add(missing(url));
    for (const url of ['http://p/img/favicon.ico', 'http://p/favicon.ico?a', 'http://p/a.js'])
      entries.add(missing(url));
    entries.add({ level: 'exception', text: 'boom', url: 'http://p/favicon.ico' });
    follow();
    assert.deepEqual(
      read.map(({ url }) => url),
      ['http://p/img/favicon.ico', 'http://p/favicon.ico?a', 'http://p/a.js', 'http://p/favicon.ico'],
    );
  });

  test('should give a new reader the last 500 entries, then each new one, until it ends', async () => {
    const { entries, read, follow, clock } = makeEntries();
    for (let i = 0; i < 1_700; i++) {
      entries.add(log(`line ${i}`));
      await clock.advance(10);
    }
    const end = follow();
    assert.equal(read.length, 500);
    assert.equal(read[0]!.text, 'line 1200');
    assert.equal(read[499]!.text, 'line 1699');
    entries.add(log('new'));
    assert.equal(read.at(-1)!.text, 'new');
    end();
    entries.add(log('unheard'));
    assert.equal(read.length, 501);
  });

  test('security: should keep 100 entries of a second, and tell once how many there were beside', async () => {
    const { entries, read, follow, clock } = makeEntries();
    follow();
    let made = 0;
    for (let i = 0; i < 100_000; i++) entries.add(() => log(`line ${++made}`));
    assert.equal(made, 100);
    assert.equal(read.length, 100);
    await clock.advance(1_000);
    assert.equal(read.length, 101);
    assert.equal(read[100]!.level, 'warning');
    assert.match(read[100]!.text, /^99900 /);
    entries.add(log('later'));
    assert.equal(read[101]!.text, 'later');
    for (let i = 0; i < 1_000; i++) entries.add(log('again'));
    entries.stop();
    assert.equal(clock.pending, 0);
  });

  test('should count what the page has left out by itself with what is left out here', async () => {
    const { entries, read, follow, clock } = makeEntries();
    follow();
    for (let i = 0; i < 101; i++) entries.add(log('a'));
    entries.leftOut(8_900);
    await clock.advance(1_000);
    assert.match(read[100]!.text, /^8901 more entries /);
    entries.leftOut(5);
    entries.add(log('b'));
    await clock.advance(1_000);
    assert.deepEqual(
      read.slice(101).map(({ text }) => text),
      ['b', '5 more entries in one second were dropped.'],
    );
  });

  test('security: should keep 100 exceptions of a second beside any flood of lines, and tell how many there were beside', async () => {
    const { entries, read, follow, clock } = makeEntries();
    follow();
    for (let i = 0; i < 1_000; i++) entries.add(log('a'));
    for (let i = 0; i < 150; i++) entries.addException(() => ({ level: 'exception', text: `boom ${i}` }));
    assert.equal(read.filter(({ level }) => level === 'exception').length, 100);
    await clock.advance(1_000);
    assert.deepEqual(
      read.slice(200).map(({ text }) => text),
      ['900 more entries in one second were dropped.', '50 more exceptions in one second were dropped.'],
    );
  });

  test('security: should cut texts and stacks at 4 KiB of UTF-8, and never within a character', () => {
    const { entries, read, follow } = makeEntries();
    follow();
    entries.add({ level: 'log', text: 'x'.repeat(4_096), stack: 'y'.repeat(1_000_000) });
    entries.add(log(`x${'€'.repeat(100_000)}`));
    entries.add(log('\ud83d'));
    assert.equal(read[0]!.text, 'x'.repeat(4_096));
    assert.equal(Buffer.byteLength(read[0]!.stack!), 4_096);
    assert.match(read[1]!.text, /^x€+…$/);
    assert.ok(Buffer.byteLength(read[1]!.text) > 4_090);
    assert.ok(Buffer.byteLength(read[1]!.text) <= 4_096);
    assert.equal(read[2]!.text, '\ufffd');
  });

  test('security: should mask the logins of addresses, also where the text is cut', () => {
    const { entries, read, follow } = makeEntries();
    follow();
    const login = 'rtsp://admin:hunter2-and-so-on-for-quite-a-while@10.0.0.5/1';
    entries.add({ level: 'network', text: login, url: `http://a/?password=hunter2`, stack: login });
    entries.add(log(`${' '.repeat(4_070)}${login}`));
    assert.doesNotMatch(JSON.stringify(read), /hunter2/);
    assert.equal(read[0]!.text, 'rtsp://***@10.0.0.5/1');
  });

  test('security: should let 32 callers follow, and refuse the next', () => {
    const { entries, follow } = makeEntries();
    const ends = Array.from({ length: 32 }, follow);
    assert.throws(() => entries.feed(), { code: 'CONFLICT' });
    ends[0]!();
    assert.ok(entries.feed());
  });
});
