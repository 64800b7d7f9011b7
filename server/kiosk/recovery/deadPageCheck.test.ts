import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { DeadPageCheck, isOneColour } from './deadPageCheck.ts';

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
