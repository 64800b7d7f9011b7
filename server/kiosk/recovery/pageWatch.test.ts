import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { PageState } from '../contract.ts';
import { type LookedAtPage, PageWatch } from './pageWatch.ts';

const URL_OF_PAGE = 'http://p1.localhost/';

/** A PNG of two pixels; the check sums are left out, which nobody looks at. */
function png(...pixels: number[]): Uint8Array {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const data = deflateSync(Buffer.from([0, ...pixels]));
  return Buffer.concat([Buffer.alloc(8), chunk('IHDR', head), chunk('IDAT', data)]);
}
const ONE_COLOUR = png(1, 2, 3, 1, 2, 3);
const PICTURE = png(1, 2, 3, 1, 2, 4);

describe('what the page does', () => {
  let clock: FakeClock;
  let watch: PageWatch;
  let content: string;
  let screenshot: Uint8Array;
  let page: LookedAtPage | undefined;
  let changes: [PageState, boolean][];

  beforeEach(() => {
    clock = new FakeClock();
    content = '0 hello';
    screenshot = PICTURE;
    page = { content: async () => content, screenshot: async () => screenshot };
    changes = [];
    watch = new PageWatch({
      clock,
      date: () => new Date(clock.now()),
      page: () => page,
      onChange: (state, isNew) => changes.push([state, isNew]),
    });
    watch.begun(URL_OF_PAGE);
  });
  const state = () => watch.state.state;

  test('should be loading until it draws or has loaded', () => {
    assert.equal(state(), 'loading');
    watch.drawn();
    assert.equal(state(), 'shown');
    watch.begun(URL_OF_PAGE);
    assert.equal(state(), 'loading');
    watch.loaded();
    assert.equal(state(), 'shown');
  });

  test('should let those who wait for it go on once it has drawn, after three seconds, and when it stops', async () => {
    let settled = 0;
    const wait = () => watch.settled().then(() => settled++);
    const passed = async (ms: number) => {
      await clock.advance(ms);
      return settled;
    };
    wait();
    assert.equal(await passed(2_999), 0);
    assert.equal(await passed(1), 1);
    wait();
    watch.drawn();
    assert.equal(await passed(0), 2);
    wait();
    assert.equal(await passed(0), 3);
    watch.begun(URL_OF_PAGE);
    wait();
    assert.equal(await passed(0), 3);
    watch.stop();
    assert.equal(await passed(0), 4);
  });

  test('should announce each state at once, and count and title within half a second, in one', async () => {
    watch.drawn();
    assert.deepEqual(
      changes.map(([{ state }, isNew]) => [state, isNew]),
      [
        ['loading', false],
        ['shown', true],
      ],
    );
    for (let i = 0; i < 1_000; i++) watch.titled(`title ${i}`);
    watch.rejected();
    assert.equal(changes.length, 2);
    await clock.advance(500);
    assert.equal(changes.length, 3);
    assert.deepEqual([changes[2]![0].title, changes[2]![0].errors, changes[2]![1]], ['title 999', 1, false]);
    watch.titled('title 999');
    await clock.advance(500);
    assert.equal(changes.length, 3);
  });

  test('should say since when', async () => {
    watch.drawn();
    const { since } = watch.state;
    await clock.advance(5_000);
    watch.titled('later');
    assert.equal(watch.state.since, since);
    watch.waiting();
    assert.equal(Date.parse(watch.state.since) - Date.parse(since), 5_000);
  });

  test('should have failed when it throws before it drew, not after', () => {
    watch.threw();
    assert.equal(state(), 'failed');
    watch.drawn();
    watch.loaded();
    assert.equal(state(), 'failed');
    watch.begun(URL_OF_PAGE);
    assert.deepEqual([state(), watch.state.errors], ['loading', 0]);
    watch.drawn();
    watch.threw();
    assert.deepEqual([state(), watch.state.errors], ['shown', 1]);
  });

  test('should have failed when a script is missing before its load ends, not later', () => {
    watch.drawn();
    watch.scriptMissing();
    assert.equal(state(), 'failed');
    watch.begun(URL_OF_PAGE);
    watch.loaded();
    watch.scriptMissing();
    assert.deepEqual([state(), watch.state.errors], ['shown', 1]);
  });

  test('should only count rejected promises', () => {
    watch.rejected();
    assert.deepEqual([state(), watch.state.errors], ['loading', 1]);
  });

  test('should stay failed while it shows the same', async () => {
    watch.threw();
    watch.loaded();
    await clock.advance(60_000);
    assert.equal(state(), 'failed');
  });

  test('should be shown again when it shows something else, without another exception', async () => {
    watch.threw();
    watch.loaded();
    await clock.advance(3_000);
    content = '0 an answer';
    watch.threw();
    await clock.advance(2_000);
    assert.equal(state(), 'failed');
    await clock.advance(4_000);
    assert.equal(state(), 'failed');
    content = '1 another answer';
    await clock.advance(2_000);
    assert.deepEqual([state(), watch.state.errors], ['shown', 2]);
    watch.threw();
    assert.equal(state(), 'shown');
    assert.equal(clock.pending, 1);
  });

  test('should stay failed while it shows nothing at all', async () => {
    watch.threw();
    watch.loaded();
    await clock.advance(3_000);
    content = '';
    await clock.advance(10_000);
    assert.equal(state(), 'failed');
  });

  test('should be shown again even when its load never ends', async () => {
    watch.threw();
    await clock.advance(10_000);
    content = '1 an answer';
    await clock.advance(2_000);
    assert.equal(state(), 'shown');
  });

  test('should be blank 10 s after its load, and shown once there is something', async () => {
    content = '';
    screenshot = ONE_COLOUR;
    watch.loaded();
    await clock.advance(9_999);
    assert.equal(state(), 'shown');
    await clock.advance(1);
    assert.equal(state(), 'blank');
    await clock.advance(10_000);
    assert.equal(state(), 'blank');
    screenshot = PICTURE;
    await clock.advance(2_000);
    assert.equal(state(), 'shown');
    assert.equal(clock.pending, 0);
  });

  test('should not be blank with text, or with more than one colour', async () => {
    screenshot = ONE_COLOUR;
    watch.loaded();
    await clock.advance(10_000);
    assert.equal(state(), 'shown');
    watch.begun(URL_OF_PAGE);
    content = '';
    screenshot = PICTURE;
    watch.loaded();
    await clock.advance(10_000);
    assert.equal(state(), 'shown');
  });

  test('should not be blank unseen: asleep, covered, or without an answer', async () => {
    content = '';
    screenshot = ONE_COLOUR;
    const empty = page;
    page = undefined;
    watch.loaded();
    await clock.advance(30_000);
    assert.equal(state(), 'shown');
    page = { content: () => Promise.reject(new Error('gone')), screenshot: async () => screenshot };
    await clock.advance(30_000);
    assert.equal(state(), 'shown');
    page = empty;
    await clock.advance(2_000);
    assert.equal(state(), 'blank');
  });

  test('should wait for its server, and hear nothing of the page that says so', async () => {
    watch.waiting();
    watch.drawn();
    watch.loaded();
    watch.threw();
    watch.titled('waiting');
    assert.deepEqual([state(), watch.state.errors, watch.state.title], ['waiting', 0, '']);
    watch.begun(URL_OF_PAGE);
    watch.drawn();
    assert.equal(state(), 'shown');
  });

  test('should be loading while it is brought back', () => {
    watch.drawn();
    watch.lost();
    watch.drawn();
    assert.equal(state(), 'loading');
  });

  test('security: should show no login of its address, and at most 500 characters of a title', () => {
    watch.wanted('http://admin:hunter2@p1.localhost/?password=hunter3');
    assert.equal(watch.state.url, 'http://p1.localhost/?password=***');
    watch.titled('x'.repeat(100_000));
    assert.equal(watch.state.title.length, 500);
  });

  test('should know why it does not work: refused, a script missing, an exception, or nothing', async () => {
    watch.threw();
    assert.equal(watch.fault, 'exception');
    watch.scriptMissing();
    assert.equal(watch.fault, 'script');
    watch.begun(URL_OF_PAGE, true);
    assert.equal(watch.fault, 'refused');
    content = '';
    screenshot = ONE_COLOUR;
    for (const isMissing of [false, true]) {
      watch.begun(URL_OF_PAGE);
      watch.loaded();
      watch.rejected(isMissing);
      assert.equal(watch.fault, undefined);
      await clock.advance(10_000);
      assert.deepEqual([state(), watch.fault], ['blank', isMissing ? 'script' : undefined]);
    }
    watch.lost();
    assert.equal(watch.fault, undefined);
  });

  test('should leave no timer when it stops', () => {
    watch.loaded();
    watch.titled('a');
    watch.stop();
    assert.equal(clock.pending, 0);
  });
});
