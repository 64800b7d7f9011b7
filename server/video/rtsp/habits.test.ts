import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraHabits, type KeepAlive, Upkeep } from './habits.ts';

const CAMERA = 'cam:554';
const TIMEOUT_MS = 60_000;

/** A camera whose sessions live for so long with each keep-alive. @returns the keep-alives of the sessions */
function sessionsWith(
  lives: Readonly<Record<KeepAlive, number>>,
  { usual = 'GET_PARAMETER' as KeepAlive, timeoutMs = TIMEOUT_MS, sessions = 6 } = {},
): string[] {
  const habits = new CameraHabits();
  return Array.from({ length: sessions }, () => {
    let now = 0;
    const sent: string[] = [];
    const due: { at: number; run: () => void }[] = [];
    const clock = {
      now: () => now,
      after: (ms: number, run: () => void) => {
        due.push({ at: now + ms, run });
        return () => {};
      },
    };
    const upkeep = new Upkeep({
      clock,
      habit: habits.of(CAMERA),
      usual,
      timeoutMs,
      report: () => {},
      keepAlive: async (method) => ({ status: sent.push(method) && 200 }),
    });
    const end = upkeep.end.bind(upkeep);
    const { keepAlive } = end(false);
    // Time until the camera ends the session, or three minutes.
    const livesFor = Math.min(lives[keepAlive], 180_000);
    for (let next = due.shift(); next !== undefined && next.at <= livesFor; next = due.shift()) {
      now = next.at;
      next.run();
      due.sort((a, b) => a.at - b.at);
    }
    now = livesFor;
    habits.learn(CAMERA, { ...end(livesFor < 180_000), sent: sent.length });
    return keepAlive;
  });
}

const EVER = Number.POSITIVE_INFINITY;

test('should stay with the keep-alive that a camera survives', () => {
  assert.deepEqual(
    new Set(sessionsWith({ GET_PARAMETER: EVER, OPTIONS: 1_000, none: 1_000 })),
    new Set(['GET_PARAMETER']),
  );
});

test('should use the other keep-alive for a camera that dies of one, or does not count it', () => {
  assert.deepEqual(sessionsWith({ GET_PARAMETER: 25_100, OPTIONS: EVER, none: 60_000 }, { sessions: 3 }), [
    'GET_PARAMETER',
    'OPTIONS',
    'OPTIONS',
  ]);
  assert.deepEqual(
    sessionsWith(
      { GET_PARAMETER: EVER, OPTIONS: 12_000, none: 12_000 },
      { usual: 'OPTIONS', timeoutMs: 10_000, sessions: 3 },
    ),
    ['OPTIONS', 'GET_PARAMETER', 'GET_PARAMETER'],
  );
});

test('should send none to a camera that dies of both, and begin anew if it does not live without', () => {
  assert.deepEqual(sessionsWith({ GET_PARAMETER: 26_000, OPTIONS: 26_000, none: EVER }, { sessions: 4 }), [
    'GET_PARAMETER',
    'OPTIONS',
    'none',
    'none',
  ]);
  assert.deepEqual(sessionsWith({ GET_PARAMETER: 26_000, OPTIONS: 26_000, none: 60_000 }, { sessions: 5 }), [
    'GET_PARAMETER',
    'OPTIONS',
    'none',
    'GET_PARAMETER',
    'OPTIONS',
  ]);
});

test('should send earlier to a camera that ends a session before the first keep-alive', () => {
  const habits = new CameraHabits();
  const end = { isLost: true, keepAlive: 'OPTIONS', periodMs: 25_000, timeoutMs: TIMEOUT_MS } as const;
  habits.learn(CAMERA, { ...end, sent: 0, livedMs: 10_000 });
  assert.deepEqual([habits.of(CAMERA).periodMs, habits.of(CAMERA).keepAlive], [5_000, undefined]);
  habits.learn(CAMERA, { ...end, sent: 0, livedMs: 100 });
  assert.equal(habits.of(CAMERA).periodMs, 2_000);
});

test('should learn nothing from a viewer that leaves, and not at once from a camera that has worked for long', () => {
  const habits = new CameraHabits();
  const end = {
    keepAlive: 'OPTIONS',
    periodMs: 25_000,
    timeoutMs: TIMEOUT_MS,
    sent: 1,
    livedMs: 30_000,
  } as const;
  habits.learn(CAMERA, { ...end, isLost: false });
  assert.equal(habits.of(CAMERA).keepAlive, undefined);
  habits.learn(CAMERA, { ...end, isLost: false, livedMs: 1_000_000 });
  habits.learn(CAMERA, { ...end, isLost: true });
  assert.equal(habits.of(CAMERA).keepAlive, 'OPTIONS');
  habits.learn(CAMERA, { ...end, isLost: true });
  assert.equal(habits.of(CAMERA).keepAlive, 'GET_PARAMETER');
});

test('should remember 64 cameras, those met last', () => {
  const habits = new CameraHabits();
  for (let camera = 0; camera < 66; camera++) habits.skipOptions(`${camera}`);
  assert.deepEqual(
    ['0', '1', '2', '65'].map((camera) => habits.of(camera).skipsOptions),
    [false, false, true, true],
  );
});

test('should send the other keep-alive at once where one is refused, and stay with it', async () => {
  const sent: string[] = [];
  let next = (): void => {};
  const clock = {
    now: () => 0,
    after: (ms: number, run: () => void) => {
      if (ms === 25_000) next = run;
      return () => {};
    },
  };
  const upkeep = new Upkeep({
    clock,
    habit: new CameraHabits().of(CAMERA),
    usual: 'GET_PARAMETER',
    timeoutMs: TIMEOUT_MS,
    report: () => {},
    keepAlive: async (method) => {
      sent.push(method);
      return { status: method === 'OPTIONS' ? 200 : 501 };
    },
  });
  next();
  await new Promise(setImmediate);
  next();
  await new Promise(setImmediate);
  assert.deepEqual(sent, ['GET_PARAMETER', 'OPTIONS', 'OPTIONS']);
  assert.equal(upkeep.end(false).keepAlive, 'OPTIONS');
});
