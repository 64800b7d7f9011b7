import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { BuiltInPages } from './builtInPages.ts';
import type { BuiltInPage } from './host.ts';

const sink = { onMessage: () => {}, onPageGone: () => {} };
const hidden: BuiltInPage = {
  name: 'intercom',
  url: 'http://i.localhost/',
  visible: false,
  media: true,
  sink,
};

let clock: FakeClock;
let isReady: boolean;
let fails: boolean;
let opened: { onGone: () => void; closed: number }[];
let uncovered: number;
let pages: BuiltInPages<{ close(): void }>;

beforeEach(() => {
  clock = new FakeClock();
  isReady = true;
  fails = false;
  opened = [];
  uncovered = 0;
  pages = new BuiltInPages({
    isReady: () => isReady,
    openWindow: async (_page, onGone) => {
      if (fails) throw new Error('no');
      const window = { onGone, closed: 0 };
      opened.push(window);
      return { close: () => void window.closed++ };
    },
    settle: async () => {},
    uncover: async () => void uncovered++,
    clock,
    log: silentLogger(),
  });
});

describe('an unseen built-in page', () => {
  test('should be opened again when its window is gone, until it is closed', async () => {
    const { close } = await pages.open(hidden);
    opened[0]!.onGone();
    assert.equal(opened.length, 1);
    await clock.advance(1_000);
    assert.equal(opened.length, 2);
    opened[1]!.onGone();
    await close();
    await clock.advance(60_000);
    assert.deepEqual([opened.length, uncovered], [2, 0]);
  });

  test('should be opened again while it cannot be shown', async () => {
    fails = true;
    await pages.open(hidden);
    fails = false;
    await clock.advance(1_000);
    assert.equal(opened.length, 1);
  });

  test('should wait for a browser, and come with the next one', async () => {
    isReady = false;
    await pages.open(hidden);
    isReady = true;
    await pages.restore();
    await pages.restore();
    assert.deepEqual(
      opened.map(({ closed }) => closed),
      [1, 0],
    );
  });

  test('should not be opened again by a host that stopped', async () => {
    await pages.open(hidden);
    opened[0]!.onGone();
    pages.forget();
    await clock.advance(60_000);
    assert.equal(opened.length, 1);
  });
});

describe('a built-in page over the kiosk page', () => {
  test('should return the screen once, whether it is closed or ends on its own', async () => {
    let gone = 0;
    const page = { ...hidden, name: 'settings', visible: true, onGone: () => void gone++ } as const;
    const first = await pages.open(page);
    await assert.rejects(pages.open(page), /open already/);
    await first.close();
    await first.close();
    assert.deepEqual([uncovered, gone, opened[0]!.closed], [1, 0, 1]);
    await pages.open(page);
    opened[1]!.onGone();
    await clock.advance(60_000);
    assert.deepEqual([uncovered, gone, opened.length], [2, 1, 2]);
  });

  test('should be refused at once when it cannot be shown, and may be tried again', async () => {
    fails = true;
    const page = { ...hidden, name: 'settings', visible: true } as const;
    await assert.rejects(pages.open(page), { code: 'HARDWARE_ERROR' });
    fails = false;
    await pages.open(page);
    assert.equal(opened.length, 1);
  });
});
