import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { DialogAnswer, PageDialog } from '../host.ts';
import type { DialogOnGlass, GlassEvent, GlassSlot, GlassSlots } from './contract.ts';
import { PageDialogs } from './pageDialogs.ts';

const CANCELLED = { accepted: false, value: '' };

describe('dialogs of the page', () => {
  let clock: FakeClock;
  let shown: DialogOnGlass | null;
  let fails: boolean;
  let touch: (event: GlassEvent) => void;
  let dialogs: PageDialogs;

  beforeEach(() => {
    clock = new FakeClock();
    shown = null;
    fails = false;
    const glass = {
      async set<S extends GlassSlot>(_slot: S, content: GlassSlots[S] | null) {
        if (fails) throw new Error('no window');
        shown = content as DialogOnGlass | null;
      },
      onEvent(listener: (event: GlassEvent) => void) {
        touch = listener;
        return () => {};
      },
    };
    dialogs = new PageDialogs({ glass, clock });
  });

  const onGlass = () => shown;
  const ask = (given: Partial<PageDialog> = {}, gone = new AbortController().signal) =>
    dialogs.ask({ kind: 'confirm', origin: 'http://p.localhost', text: 'Sure?', value: '', ...given }, gone);
  const press = (accepted: boolean, value = '', id = onGlass()?.id ?? '') =>
    touch({ slot: 'dialog', id, accepted, value });

  test('should show who asks what, and answer as the person does', async () => {
    const answer = ask({ kind: 'prompt', text: 'Name?', value: 'Kitchen' });
    assert.deepEqual(onGlass(), {
      id: '1',
      kind: 'prompt',
      origin: 'http://p.localhost',
      text: 'Name?',
      value: 'Kitchen',
    });
    press(true, 'Hall');
    assert.deepEqual(await answer, { accepted: true, value: 'Hall' });
    assert.equal(onGlass(), null);
    assert.equal(clock.pending, 0);
  });

  test('should cancel what nobody answers for five minutes', async () => {
    const answer = ask();
    await clock.advance(5 * 60_000 - 1);
    assert.notEqual(onGlass(), null);
    await clock.advance(1);
    assert.deepEqual(await answer, CANCELLED);
    assert.equal(onGlass(), null);
  });

  test('should take a question away with the page that asked', async () => {
    const page = new AbortController();
    const answer = ask({}, page.signal);
    page.abort();
    assert.deepEqual(await answer, CANCELLED);
    assert.equal(onGlass(), null);
    assert.deepEqual(await ask({}, page.signal), CANCELLED);
  });

  test('should not take a touch of the question before for the next', async () => {
    const first = ask();
    press(false);
    await first;
    const second = ask();
    press(true, '', '1');
    assert.notEqual(onGlass(), null);
    press(false);
    assert.deepEqual(await second, CANCELLED);
  });

  test('should cancel at once where there is no window for it', async () => {
    fails = true;
    assert.deepEqual(await ask(), CANCELLED);
  });

  test('security: should refuse questions in a loop after five in a row, until the page is calm', async () => {
    for (let n = 0; n < 5; n++) {
      const answer = ask();
      await settled();
      press(true);
      assert.equal((await answer).accepted, true);
    }
    for (let n = 0; n < 100; n++) assert.match((await ask()).refused ?? '', /too many/);
    await clock.advance(1_001);
    const answer = ask();
    press(true);
    assert.equal((await answer).accepted, true);
  });

  test('should ask on while a person answers each question', async () => {
    for (let n = 0; n < 12; n++) {
      const answer = ask();
      await clock.advance(300);
      press(true);
      assert.deepEqual(await answer, { accepted: true, value: '' });
    }
  });

  test('security: should not wait five minutes for each question of a loop when nobody is there', async () => {
    const answer = ask();
    await clock.advance(5 * 60_000);
    await answer;
    assert.match((await ask()).refused ?? '', /too many/);
  });

  test('should ask again however long a person thinks', async () => {
    for (let n = 0; n < 20; n++) {
      const answer = ask();
      await clock.advance(2_000);
      press(true);
      assert.equal((await answer).accepted, true);
      await clock.advance(1_500);
    }
  });

  test('security: should bound what a page shows', async () => {
    void ask({
      origin: `http://${'o'.repeat(1_000)}`,
      text: 'x'.repeat(1_000_000),
      value: 'y'.repeat(1_000_000),
    });
    const { origin = '', text = '', value = '' } = onGlass() ?? {};
    assert.ok(origin.length <= 301 && text.length <= 2_001 && value.length <= 10_001);
    press(true, 'z'.repeat(1_000_000));
  });

  test('security: should open one at a time', async () => {
    const first: Promise<DialogAnswer> = ask();
    assert.match((await ask({ origin: 'https://frame.example' })).refused ?? '', /too many/);
    dialogs.cancel();
    assert.deepEqual(await first, CANCELLED);
  });
});
