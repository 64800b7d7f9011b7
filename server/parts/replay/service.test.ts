import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { entryOf, type Recorded } from './recordedJournal.ts';
import { LONGEST_PAUSE_MS, ReplayService, SHORT_PAUSE_MS } from './service.ts';

const START = Date.UTC(2026, 4, 4, 12, 30);

/** An entry so many milliseconds after the first one. */
function entry(after: number, command: string, more: Record<string, unknown> = {}): string {
  const time = new Date(START + after).toISOString();
  const caller = { id: 'owner', name: 'owner', address: null };
  return JSON.stringify({ time, command, surface: 'http', caller, params: {}, code: 'OK', ms: 0, ...more });
}

interface Ran {
  readonly command: string;
  readonly params: unknown;
  /** Since the start, in milliseconds of this desk. */
  readonly at: number;
}

/** A replay of these lines on a desk that may run all but the terminal. */
function replay(lines: readonly string[], { speed = 1, code = async (_command: string) => 'OK' } = {}) {
  const clock = new FakeClock();
  const begin = clock.now();
  const said: string[] = [];
  const ran: Ran[] = [];
  let closed = 0;
  const recorded = lines.map((text, index): Recorded => {
    const found = entryOf(text);
    return found ? { line: index + 1, entry: found } : { line: index + 1, trouble: 'no entry' };
  });
  const service = new ReplayService({
    journal: {
      facts: { entries: lines.length, lines: lines.length },
      async *read() {
        yield* recorded;
      },
      async close() {
        closed++;
      },
    },
    speed,
    calls: {
      mayRun: (command) => !command.startsWith('terminal.'),
      run: (command, params) => {
        ran.push({ command, params, at: clock.now() - begin });
        return code(command);
      },
    },
    clock,
    say: (line) => said.push(line),
    log: silentLogger(),
  });
  return { service, clock, said, ran, closed: () => closed };
}

describe('replay of a journal', () => {
  test('should play each call as long after the one before as on the panel, divided by the speed', async () => {
    for (const speed of [1, 10]) {
      const { service, clock, ran, said } = replay(
        [entry(0, 'led.on'), entry(500, 'led.color'), entry(20_000, 'gpio.write')],
        { speed },
      );
      await service.start();
      await clock.advance(20_000 / speed - 1);
      assert.deepEqual(
        ran.map(({ command, at }) => [command, at]),
        [
          ['led.on', 0],
          ['led.color', 500 / speed],
        ],
      );
      await clock.advance(1);
      await service.ended();
      assert.equal(ran.at(-1)?.at, 20_000 / speed);
      assert.equal(said.at(-1), 'replay: the end: 3 played (0 with another result), 0 shown, 0 skipped');
    }
  });

  test('should begin a call when it began on the panel, not when it had ended there', async () => {
    const { service, clock, ran } = replay([
      entry(0, 'led.on'),
      entry(3_000, 'serial.write', { ms: 2_000 }),
      entry(4_000, 'led.on'),
    ]);
    await service.start();
    await clock.advance(10_000);
    assert.deepEqual(
      ran.map(({ at }) => at),
      [0, 1_000, 4_000],
    );
  });

  test('should shorten a long pause and say so, and keep the longest that is waited for', async () => {
    const twoHours = 2 * 3_600_000;
    const { service, clock, ran, said } = replay([
      entry(0, 'led.on'),
      entry(LONGEST_PAUSE_MS, 'led.on'),
      entry(LONGEST_PAUSE_MS + twoHours, 'led.on'),
    ]);
    await service.start();
    await clock.advance(LONGEST_PAUSE_MS + SHORT_PAUSE_MS);
    await service.ended();
    assert.deepEqual(
      ran.map(({ at }) => at),
      [0, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS + SHORT_PAUSE_MS],
    );
    assert.ok(said.includes('replay: a pause of 2 h is shortened'), said.join('\n'));
    assert.match(said.at(-1)!, /; 1 pause shortened$/);
  });

  test('should keep the pauses after a call that takes longer here', async () => {
    let answer = (_code: string) => {};
    const { service, clock, ran } = replay([entry(0, 'serial.write'), entry(1_000, 'led.on')], {
      code: (command) =>
        command === 'led.on'
          ? Promise.resolve('OK')
          : new Promise((resolve) => {
              answer = resolve;
            }),
    });
    await service.start();
    await clock.advance(5_000);
    answer('OK');
    await settled();
    await clock.advance(0);
    assert.deepEqual(
      ran.map(({ at }) => at),
      [0, 5_000],
    );
    await service.stop();
  });

  test('should compare the codes, and say which differ', async () => {
    const { service, said } = replay(
      [entry(0, 'led.on', { code: 'HARDWARE_ERROR' }), entry(0, 'gpio.write', { code: 'LOCKED_OUT' })],
      { code: async (command) => (command === 'gpio.write' ? 'LOCKED_OUT' : 'OK') },
    );
    await service.start();
    await service.ended();
    const text = said.join('\n');
    assert.match(text, /owner: led\.on \{\} DIFFERENT: OK here, HARDWARE_ERROR on the panel$/m);
    assert.match(text, /owner: gpio\.write \{\} LOCKED_OUT$/m);
    assert.match(text, /2 played \(1 with another result\)/);
  });

  test('security: should show what the contract does not let it run, and what was refused for its caller', async () => {
    const { service, said, ran } = replay([
      entry(0, 'terminal.exec', { params: { command: 'id' } }),
      entry(0, 'terminal.exec', { code: 'HARDWARE_TIMEOUT' }),
      entry(0, 'gpio.write', { code: 'FORBIDDEN' }),
      entry(0, 'gpio.write', { code: 'SHUTTING_DOWN' }),
    ]);
    await service.start();
    await service.ended();
    assert.deepEqual(ran, []);
    assert.match(said.join('\n'), /terminal\.exec \{"command":"id"\} shown$/m);
    assert.match(said.join('\n'), /gpio\.write \{\} shown: FORBIDDEN on the panel$/m);
    assert.match(said.at(-1)!, /0 played .* 4 shown, 0 skipped$/);
  });

  test('should skip what has hidden or cut params, wherever they stand', async () => {
    const cut = `${'x'.repeat(3_900)}…`;
    const { service, said, ran } = replay(
      [
        '…',
        { text: '…' },
        { buttons: [{ id: 'a' }, '…'] },
        { '…': '…' },
        { text: cut },
        { url: 'http://***@cam/' },
        { url: 'http://cam/?user=***' },
        { text: 'Loading…' },
      ].map((params) => entry(0, 'message.show', { params })),
    );
    await service.start();
    await service.ended();
    assert.deepEqual(
      ran.map(({ params }) => params),
      [{ text: 'Loading…' }],
    );
    assert.match(said.at(-1)!, /1 played .* 7 skipped$/);
  });

  test('should count damaged lines and times that go back, and tell the first twenty of each', async () => {
    const lines = [
      entry(1_000, 'led.on'),
      entry(0, 'led.on'),
      ...Array.from({ length: 50 }, (_, i) => `{"time":${i}`),
      entry(2_000, 'led.on'),
    ];
    const { service, clock, said, ran } = replay(lines);
    await service.start();
    await clock.advance(60_000);
    await service.ended();
    assert.equal(ran.length, 3);
    const text = said.join('\n');
    assert.match(text, /line 2: its time is before that of the entry before it/);
    assert.match(
      text,
      /line 22 is no entry of a journal\nreplay: … further lines like this are only counted\n/,
    );
    assert.doesNotMatch(text, /line 23 /);
    assert.match(said.at(-1)!, /50 lines damaged; 1 line with a time that goes back$/);
  });

  test('security: should say a text of the journal without what steers a terminal, and not at length', async () => {
    const { service, said } = replay([
      entry(0, 'terminal.\u001b[2J\u009b31m\u202e', {
        caller: { name: `a\nreplay: the end\u0007${'x'.repeat(10_000)}` },
      }),
    ]);
    await service.start();
    await service.ended();
    for (const line of said) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e]/);
      assert.ok(line.length < 1_100, String(line.length));
    }
  });

  test('should end in the middle of a pause and of a call, and close the journal', async () => {
    const inPause = replay([entry(0, 'led.on'), entry(20_000, 'led.on')]);
    await inPause.service.start();
    await settled();
    await inPause.service.stop();
    await inPause.service.stop();
    assert.equal(inPause.clock.pending, 0);
    assert.equal(inPause.ran.length, 1);
    assert.match(inPause.said.at(-1)!, /^replay: ended early: 1 played/);
    assert.ok(inPause.closed() > 0);

    let refuse = () => {};
    const inCall = replay([entry(0, 'led.on'), entry(0, 'led.on')], {
      code: () =>
        new Promise((resolve) => {
          refuse = () => resolve('REQUEST_TIMEOUT');
        }),
    });
    await inCall.service.start();
    await settled();
    const stopped = inCall.service.stop();
    refuse();
    await stopped;
    assert.equal(inCall.ran.length, 1);
    // A call that was ended has no result that could differ.
    assert.match(inCall.said.at(-1)!, /ended early: 0 played \(0 with another result\)/);
  });
});
