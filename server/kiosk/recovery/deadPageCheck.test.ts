import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { PageState } from '../contract.ts';
import { BrokenPage, DeadPageCheck, isOneColour, type PageFault } from './deadPageCheck.ts';

/** A PNG of RGB pixels whose rows use the filter of that number. */
function png(rows: number[][], filter = 0): Uint8Array {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    ends[0].writeUInt32BE(data.length);
    ends[1].writeUInt32BE(crc32(body));
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(rows[0]!.length / 3, 0);
  head.writeUInt32BE(rows.length, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const data = Buffer.from(rows.flatMap((row) => [filter, ...row]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
const black = png([
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0],
]);
const picture = png([[0, 0, 0, 0, 0, 1]]);

describe('isOneColour', () => {
  test('should know one colour through every filter', () => {
    assert.equal(isOneColour(black), true);
    assert.equal(isOneColour(png([[7, 8, 9, 7, 8, 9]])), true);
    // Differences to the left, above, the mean of both, and Paeth: all say "as the neighbour".
    assert.equal(isOneColour(png([[7, 8, 9, 0, 0, 0]], 1)), true);
    assert.equal(
      isOneColour(
        png(
          [
            [7, 8, 9, 7, 8, 9],
            [0, 0, 0, 0, 0, 0],
          ],
          2,
        ),
      ),
      true,
    );
    assert.equal(
      isOneColour(
        png(
          [
            [0, 0, 0],
            [0, 0, 0],
          ],
          3,
        ),
      ),
      true,
    );
    assert.equal(isOneColour(png([[7, 8, 9, 0, 0, 0]], 4)), true);
  });

  test('should see a single pixel of another colour', () => {
    assert.equal(isOneColour(picture), false);
    assert.equal(isOneColour(png([[7, 8, 9, 0, 0, 1]], 1)), false);
  });

  test('should know a large picture of one colour, and not unpack one that takes more than that', () => {
    const row = Array<number>(1_280 * 3).fill(0);
    assert.equal(isOneColour(png(Array.from({ length: 800 }, () => row))), true);
    const noise = Array.from({ length: 50 }, (_, y) => row.map((_, x) => (x * y * 7_919) % 251));
    const large = png(noise);
    assert.equal(isOneColour(large), false);
    // Unpacking it would throw.
    assert.equal(isOneColour(large.fill(0xff, large.length - 1_000, large.length - 12)), false);
    assert.equal(isOneColour(large.fill(0xff, 41, 61)), false);
  });
});

describe('DeadPageCheck', () => {
  let now: number;
  let due: (() => unknown) | undefined;
  let dead: number[];
  let page: { hasVisibleContent(): Promise<boolean>; screenshot(): Promise<Uint8Array> } | undefined;
  let check: DeadPageCheck;

  const pageWith = (content: boolean, frame: Uint8Array) => ({
    hasVisibleContent: async () => content,
    screenshot: async () => frame,
  });
  beforeEach(() => {
    now = 0;
    dead = [];
    const clock = {
      now: () => now,
      after: (_ms: number, action: () => unknown) => {
        due = action;
        return () => {
          due = undefined;
        };
      },
    };
    check = new DeadPageCheck(clock, { page: () => page, onDead: (attempt) => dead.push(attempt) });
    check.start();
  });
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds / 15; i++) {
      now += 15_000;
      await due?.();
    }
  };

  test('should report a page with content and a frame of one colour after a minute, again while it lasts', async () => {
    page = pageWith(true, black);
    await pass(60);
    assert.deepEqual(dead, []);
    await pass(15);
    assert.deepEqual(dead, [1]);
    await pass(75);
    assert.deepEqual(dead, [1, 2]);
  });

  test('should leave alone a page that is meant to be empty, shows something, or cannot be checked', async () => {
    for (const living of [pageWith(false, black), pageWith(true, picture), undefined]) {
      page = living;
      await pass(300);
    }
    page = { ...pageWith(true, black), screenshot: () => Promise.reject(new Error('gone')) };
    await pass(300);
    assert.deepEqual(dead, []);
  });

  test('should begin again after a sign of life', async () => {
    page = pageWith(true, black);
    await pass(75);
    page = pageWith(true, picture);
    await pass(15);
    page = pageWith(true, black);
    await pass(75);
    assert.deepEqual(dead, [1, 1]);
  });

  test('should do nothing once stopped', () => {
    check.stop();
    assert.equal(due, undefined);
  });
});

describe('a page that does not start', () => {
  let clock: FakeClock;
  let did: string[];
  let fault: PageFault | undefined;
  let state: { url: string; state: PageState['state'] };
  let hasContent: boolean;
  let fails: boolean;
  let broken: BrokenPage;

  beforeEach(() => {
    clock = new FakeClock();
    did = [];
    hasContent = fails = false;
    state = { url: 'http://p/a', state: 'failed' };
    fault = 'script';
    broken = new BrokenPage({
      clock,
      log: silentLogger(),
      state: () => state,
      fault: () => fault,
      hasContent: async () => hasContent,
      reload: async () => {
        if (fails) throw new Error('no browser');
        did.push('reload');
        comesBack();
      },
      clearCaches: async (origin) => void did.push(`clear ${origin}`),
      onTry: () => {},
      rest: (ms) => {
        did.push(`rest ${ms / 1000}`);
        const why = fault;
        show('waiting');
        clock.after(ms, () => comesBack(why));
      },
    });
  });
  const show = (now: PageState['state'], why?: PageFault, url = state.url) => {
    state = { url, state: now };
    fault = why;
    broken.follow();
  };
  const comesBack = (why = fault) => {
    show('loading');
    show('shown');
    show('failed', why);
  };
  const after = async (ms: number) => {
    did.length = 0;
    await clock.advance(ms);
    return did;
  };

  test('should be loaded without the cache, then without service workers, then waited for, longer and longer', async () => {
    broken.follow();
    assert.deepEqual(await after(9_999), []);
    assert.deepEqual(await after(1), ['reload']);
    assert.deepEqual(await after(10_000), ['clear http://p', 'reload']);
    assert.deepEqual(await after(10_000), ['clear http://p', 'rest 30']);
    assert.deepEqual(await after(40_000), ['clear http://p', 'rest 60']);
    const rests = (await after(24 * 3_600_000)).filter((what) => what.startsWith('rest'));
    assert.equal(rests.at(-1), 'rest 600');
    assert.ok(rests.length < 150, `${rests.length} tries a day`);
  });

  test('should be left alone once it works, and begin anew when it has worked for a minute', async () => {
    broken.follow();
    await after(10_000);
    show('shown');
    assert.deepEqual(await after(59_999), []);
    show('failed', 'script');
    assert.deepEqual(await after(10_000), ['clear http://p', 'reload']);
    show('shown');
    await after(60_000);
    show('failed', 'script');
    assert.deepEqual(await after(10_000), ['reload']);
  });

  test('should be tried twice when it throws and has something to show, or when its server refuses it', async () => {
    hasContent = true;
    show('failed', 'exception');
    assert.deepEqual(await after(20_000), ['reload', 'clear http://p', 'reload']);
    assert.deepEqual(await after(3_600_000), []);
    show('loading', undefined, 'http://p/b');
    show('failed', 'refused');
    assert.deepEqual(await after(10_000), ['reload']);
    assert.deepEqual(await after(60_000), ['clear http://p', 'reload']);
    hasContent = false;
    assert.deepEqual(await after(3_600_000), []);
  });

  test('should wait for one that throws and shows nothing', async () => {
    show('failed', 'exception');
    assert.deepEqual(await after(30_000), [
      'reload',
      'clear http://p',
      'reload',
      'clear http://p',
      'rest 30',
    ]);
  });

  test('should be tried again when there was no browser, and not after the end', async () => {
    fails = true;
    broken.follow();
    await after(10_000);
    fails = false;
    assert.deepEqual(await after(10_000), ['clear http://p', 'reload']);
    broken.stop();
    assert.deepEqual(await after(3_600_000), []);
    assert.equal(clock.pending, 0);
  });
});
