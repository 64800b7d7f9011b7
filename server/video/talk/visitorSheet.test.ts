import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import type { GlassEvent, VisitorOnGlass } from '../../kiosk/glass/contract.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { VisitorSheet } from './visitorSheet.ts';

/** A panel whose cameras, calls and glass the test plays. */
async function start(t: TestContext) {
  const clock = new FakeClock();
  const bus = new EventBus(silentLogger());
  const did: string[] = [];
  let shown: VisitorOnGlass | null = null;
  let press = (_event: GlassEvent): void => {};
  let answer: () => Promise<{ sdp: string; talk: 'none' | 'ready'; profile: null }> = async () => ({
    sdp: 'answer',
    talk: 'ready',
    profile: null,
  });
  const sheet = new VisitorSheet({
    stream: {
      open: async ({ id, url }) => {
        did.push(`open ${id} ${url}`);
        return answer();
      },
      close: async ({ id }) => {
        did.push(`close ${id}`);
        return { status: 'stopped' };
      },
    },
    screen: {
      show: async (visitor) => {
        shown = visitor;
      },
      onEvent: (listener) => {
        press = listener;
        return () => {};
      },
    },
    ring: async () => did.push('ring'),
    wake: () => did.push('wake'),
    events: bus,
    clock,
    log: silentLogger(),
  });
  await sheet.start();
  t.after(() => sheet.stop());
  const emit = (name: string, payload: object) => bus.emit(name as 'stream', payload as never);
  return {
    clock,
    sheet,
    emit,
    bell: (camera: string, on = true, kind = 'visitor') => emit('camera', { camera, kind, topic: 't', on }),
    shown: () => shown,
    did: () => did.splice(0),
    fail: (error: Error) => {
      answer = () => Promise.reject(error);
    },
    hear: async (
      event: { did: 'ignored' | 'pressed' | 'released' } | { did: 'offered'; offer: number; sdp: string },
    ) => {
      press({ slot: 'visitor', id: shown?.id ?? 'none', ...event } as GlassEvent);
      await settled();
    },
  };
}

test('should show who rings at a camera for 30 s, ring, and wake the screen', async (t) => {
  const { clock, bell, shown, did, hear } = await start(t);
  bell('Front / door', true, 'motion');
  bell('Front / door', false);
  assert.deepEqual([shown(), did()], [null, []]);
  bell('Front / door');
  assert.equal(shown()?.camera, 'Front / door');
  assert.deepEqual(did(), ['wake', 'ring']);
  await hear({ did: 'offered', offer: 7, sdp: 'v=0' });
  assert.deepEqual(did(), ['open visitor.glass camera:Front%20%2F%20door']);
  assert.deepEqual([shown()?.picture, shown()?.talk], [{ offer: 7, sdp: 'answer' }, 'ready']);
  await clock.advance(29_000);
  bell('Front / door');
  await clock.advance(29_000);
  assert.notEqual(shown(), null);
  await clock.advance(1_000);
  assert.deepEqual([shown(), did(), clock.pending], [null, ['wake', 'ring', 'close visitor.glass'], 0]);
});

test('should stay while the button is held, and go at Ignore', async (t) => {
  const { clock, bell, shown, did, hear, emit } = await start(t);
  bell('Door');
  await hear({ did: 'pressed' });
  await clock.advance(120_000);
  emit('talk', {
    session: 'visitor.glass',
    camera: 'Door',
    state: 'busy',
    reason: 'The intercom has a call.',
  });
  emit('talk', { session: 'another', camera: 'Door', state: 'talking', reason: null });
  assert.deepEqual([shown()?.talk, shown()?.reason], ['busy', 'The intercom has a call.']);
  await hear({ did: 'released' });
  await clock.advance(29_000);
  assert.notEqual(shown(), null);
  did();
  await hear({ did: 'ignored' });
  assert.deepEqual([shown(), did()], [null, ['close visitor.glass']]);
});

test('should ring once for a bell that is pressed again and again, and follow the last camera', async (t) => {
  const { clock, bell, shown, did } = await start(t);
  for (let press = 0; press < 20; press++) bell('Door');
  const { id } = shown()!;
  assert.deepEqual(did().filter((what) => what === 'ring').length, 1);
  await clock.advance(5_000);
  bell('Gate');
  assert.notEqual(shown()?.id, id);
  assert.deepEqual([shown()?.camera, did()], ['Gate', ['wake', 'ring']]);
});

test('should give its place to a call of the intercom, and not come while there is one', async (t) => {
  const { bell, shown, emit } = await start(t);
  bell('Door');
  emit('sip', { event: 'incomingCall', payload: {} });
  assert.equal(shown(), null);
  bell('Door');
  assert.equal(shown(), null);
  emit('sip', { event: 'callEnded', payload: {} });
  bell('Door');
  assert.notEqual(shown(), null);
});

test('should say that there is no picture, so that the page tries again', async (t) => {
  const { bell, shown, fail, hear } = await start(t);
  fail(new FaceplateError('CAMERA_UNREACHABLE'));
  bell('Door');
  await hear({ did: 'offered', offer: 1, sdp: 'v=0' });
  assert.deepEqual([shown()?.picture, shown()?.talk], [{ offer: 1, sdp: null }, 'none']);
});
