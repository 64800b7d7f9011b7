import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { type CpuTimes, Heartbeat } from './heartbeat.ts';
import { defaultLimits } from './recovery.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('Heartbeat', () => {
  let clock: FakeClock;
  /** Whether the page's thread answers now; if not, its answer comes once it does. */
  let answers: boolean;
  let owed: (() => void)[];
  /** Seconds of CPU per second of the clock that the page's thread gets; undefined when unknown. */
  let share: number | undefined;
  /** When each hung page was reported. */
  let hung: number[];
  let asked: number;
  let heartbeat: Heartbeat<typeof page>;
  const page = {
    answer: () => {
      asked++;
      return new Promise<void>((resolve) => {
        if (answers) resolve();
        else owed.push(resolve);
      });
    },
    cpu: async (): Promise<CpuTimes | undefined> =>
      // Another renderer, which has used much CPU and uses none now.
      share === undefined
        ? undefined
        : new Map([[7, 5_000_000]]).set(8, used + (clock.now() - since) * share),
  };
  let used = 0;
  let since = 0;
  const setShare = (now: number | undefined) => {
    if (share !== undefined) used += (clock.now() - since) * share;
    since = clock.now();
    share = now;
  };

  beforeEach(() => {
    clock = new FakeClock();
    answers = true;
    owed = [];
    share = undefined;
    hung = [];
    asked = 0;
    heartbeat = new Heartbeat(defaultLimits, clock, {
      patient: () => page,
      onHung: () => hung.push(clock.now()),
    });
  });

  test('should call itself unwell when no page has answered for ten minutes, and well when one does again', async () => {
    assert.equal(heartbeat.isWell, true);
    heartbeat.start();
    await clock.advance(20 * MINUTE);
    assert.equal(heartbeat.isWell, true);
    assert.deepEqual(hung, []);
    answers = false;
    await clock.advance(9 * MINUTE);
    assert.equal(heartbeat.isWell, true);
    assert.ok(hung.length > 0);
    await clock.advance(2 * MINUTE);
    assert.equal(heartbeat.isWell, false);
    answers = true;
    for (const answer of owed.splice(0)) answer();
    await clock.advance(10 * SECOND);
    assert.equal(heartbeat.isWell, true);
    heartbeat.stop();
    assert.equal(clock.pending, 0);
  });

  test('security: should report a page that uses the CPU and does not answer within 10 s, whenever that began', async () => {
    for (let offset = 0; offset < 1_500; offset += 100) {
      for (const now of [1, 0.6, undefined]) {
        answers = true;
        setShare(now);
        heartbeat.start();
        await clock.advance(5 * SECOND + offset);
        hung = [];
        const begun = clock.now();
        answers = false;
        await clock.advance(9 * SECOND);
        assert.equal(hung.length, 1, `${offset} ms, ${now}`);
        assert.ok(hung[0]! - begun >= defaultLimits.heartbeatLimitMs);
        heartbeat.stop();
      }
    }
  });

  test('should not count a page as hung for a minute if it gets too little CPU to answer', async () => {
    setShare(0.05);
    answers = false;
    heartbeat.start();
    await clock.advance(55 * SECOND);
    assert.deepEqual(hung, []);
    assert.equal(asked, 1);
    answers = true;
    for (const resolve of owed) resolve();
    await clock.advance(10 * SECOND);
    assert.ok(asked > 5);
    assert.deepEqual(hung, []);
  });

  test('should report a page that never answers after a minute, even if it uses no CPU', async () => {
    setShare(0);
    answers = false;
    heartbeat.start();
    await clock.advance(70 * SECOND);
    assert.equal(hung.length, 1);
  });

  test('should wait for a page that gets little CPU only until it has had enough', async () => {
    setShare(0.2);
    answers = false;
    heartbeat.start();
    await clock.advance(15 * SECOND);
    assert.deepEqual(hung, []);
    setShare(1);
    await clock.advance(2 * SECOND);
    assert.equal(hung.length, 1);
  });

  test('should not count the time in which the service itself stood still', async () => {
    setShare(1);
    heartbeat.start();
    await clock.advance(SECOND - 1);
    answers = false;
    await clock.advance(600);
    // The page is busy for a while and answers, and the service notices nothing.
    clock.stall(30 * SECOND);
    await clock.advance(SECOND);
    assert.deepEqual(hung, []);
    answers = true;
    for (const resolve of owed) resolve();
    await clock.advance(5 * SECOND);
    assert.deepEqual(hung, []);
  });

  test('should leave no timer and report nothing after a stop in the middle of a check', async () => {
    setShare(1);
    answers = false;
    heartbeat.start();
    await clock.advance(4 * SECOND);
    heartbeat.stop();
    assert.equal(clock.pending, 0);
    heartbeat.start();
    answers = true;
    for (const resolve of owed) resolve();
    await clock.advance(3 * SECOND);
    // The old check does not continue beside the new ones.
    assert.ok(asked <= 5, String(asked));
    heartbeat.stop();
    await clock.advance(MINUTE);
    assert.deepEqual(hung, []);
    assert.equal(clock.pending, 0);
  });
});
