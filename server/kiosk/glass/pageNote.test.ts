import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { PageState } from '../contract.ts';
import type { GlassEvent, GlassSlot, GlassSlots, NoteOnGlass } from './contract.ts';
import { PageNote } from './pageNote.ts';

describe('the note about a page that does not work', () => {
  let clock: FakeClock;
  let shown: NoteOnGlass | null;
  let language: string;
  let touch: (event: GlassEvent) => void;
  let note: PageNote;

  beforeEach(() => {
    clock = new FakeClock();
    shown = null;
    language = 'en';
    const glass = {
      async set<S extends GlassSlot>(_slot: S, content: GlassSlots[S] | null) {
        shown = content as NoteOnGlass | null;
      },
      onEvent(listener: (event: GlassEvent) => void) {
        touch = listener;
        return () => {};
      },
    };
    note = new PageNote({
      glass,
      language: () => language,
      manageUrl: () => 'http://10.0.0.5:8080/manage/',
      clock,
      log: silentLogger(),
    });
  });

  const onGlass = () => shown;
  const is = (state: PageState['state']) =>
    note.follow({ url: 'http://p/', title: '', state, since: '', errors: 0, home: true, until: null });

  test('should come after ten seconds of trouble, with the address that says more, and go when all is well', async () => {
    for (const state of ['failed', 'blank'] as const) {
      is(state);
      await clock.advance(9_999);
      assert.equal(onGlass(), null);
      await clock.advance(1);
      assert.equal(onGlass()?.url, 'http://10.0.0.5:8080/manage/');
      is('shown');
      assert.equal(onGlass(), null);
    }
  });

  test('should not come for trouble that passes, nor while the page loads or waits', async () => {
    is('failed');
    await clock.advance(9_000);
    is('shown');
    is('loading');
    await clock.advance(60_000);
    is('waiting');
    await clock.advance(60_000);
    assert.equal(onGlass(), null);
  });

  test('should stay away once it was dismissed, until the page fails again', async () => {
    is('blank');
    await clock.advance(10_000);
    touch({ slot: 'note', did: 'dismissed' });
    assert.equal(onGlass(), null);
    is('blank');
    await clock.advance(60_000);
    assert.equal(onGlass(), null);
    is('shown');
    is('blank');
    await clock.advance(10_000);
    assert.notEqual(onGlass(), null);
  });

  test('should speak the language of the panel', async () => {
    const said = new Set<string>();
    for (language of ['en', 'de', 'es', 'xx']) {
      is('failed');
      await clock.advance(10_000);
      said.add(onGlass()?.text ?? '');
      is('shown');
    }
    assert.equal(said.size, 3);
  });

  test('should leave no timer', async () => {
    is('failed');
    await note.stop();
    assert.equal(clock.pending, 0);
  });
});
