import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { defaultMediaLimits } from '../limits.ts';
import { openAccess } from '../testing/openAccess.ts';
import type { AudioTrack } from '../tracks.ts';
import { type Talker, Talks } from './talks.ts';

const PCMU: AudioTrack = {
  media: { kind: 'audio', formats: [], borrowed: new Set(), control: 'a' },
  format: {
    payloadType: 0,
    codec: 'PCMU',
    clockRate: 8000,
    channels: 1,
    parameters: new Map(),
    feedback: [],
  },
  rtpmap: 'PCMU/8000',
};

/** Viewers of one camera whose way the test opens and breaks. */
function house() {
  const clock = new FakeClock();
  const talks = new Talks({ access: openAccess, limits: defaultMediaLimits, clock, log: silentLogger() });
  const events: string[] = [];
  const paths: {
    sent: number;
    isClosed: boolean;
    opened: PromiseWithResolvers<AudioTrack>;
    onClosed: (error: FaceplateError) => void;
  }[] = [];
  const join = (name: string, key = 'camera'): Talker =>
    talks.join({
      key,
      track: PCMU,
      packetBytes: 160,
      path: (onClosed) => {
        const path = { sent: 0, isClosed: false, opened: Promise.withResolvers<AudioTrack>(), onClosed };
        paths.push(path);
        return {
          open: () => path.opened.promise,
          send: () => path.sent++,
          close: async () => {
            path.isClosed = true;
          },
        };
      },
      onState: (state, reason) =>
        events.push(reason === null ? `${name} ${state}` : `${name} ${state}: ${reason}`),
    });
  let timestamp = 0;
  /** A packet each 20 ms. */
  const speak = async (talker: Talker, ms: number, byte = 0x40) => {
    for (let at = 0; at < ms; at += 20) {
      const packet = {
        payloadType: 0,
        marker: false,
        sequence: 0,
        timestamp,
        payload: Buffer.alloc(160, byte),
      };
      talker.speak(packet);
      timestamp += 160;
      await clock.advance(20);
    }
  };
  /** What has been announced since the last call. */
  const heard = () => events.splice(0);
  return { clock, talks, paths, join, speak, heard };
}

test('should open the way at the first voice, and close it 3 s after the last', async () => {
  const { clock, paths, join, speak, heard } = house();
  const talker = join('a');
  await speak(talker, 200, 0xff);
  assert.deepEqual([heard(), paths.length], [['a ready'], 0]);
  await speak(talker, 100);
  assert.deepEqual([heard(), talker.state, paths[0]!.sent], [[], 'ready', 0]);
  paths[0]!.opened.resolve(PCMU);
  await speak(talker, 400);
  assert.deepEqual([heard(), paths[0]!.sent], [['a talking'], 25]);
  // Silence goes along, but does not keep it.
  await speak(talker, 2_960, 0xff);
  assert.deepEqual([heard(), paths[0]!.isClosed], [[], false]);
  await speak(talker, 40, 0xff);
  assert.deepEqual([heard(), paths[0]!.isClosed, clock.pending], [['a ready'], true, 0]);
  await speak(talker, 100, 0xff);
  assert.equal(paths.length, 1);
});

test('should let one viewer talk, and say to the others that it is busy', async () => {
  const { clock, paths, join, speak, heard } = house();
  const [a, b] = [join('a'), join('b')];
  const elsewhere = join('c', 'another camera');
  heard();
  await speak(a, 40);
  const busy = 'busy: Somebody else talks to this camera.';
  assert.deepEqual(heard(), [`b ${busy}`]);
  paths[0]!.opened.resolve(PCMU);
  await speak(b, 200);
  assert.deepEqual([heard(), paths.length], [['a talking'], 1]);
  join('d');
  assert.deepEqual(heard(), [`d ${busy}`]);
  await speak(elsewhere, 20);
  assert.equal(paths.length, 2);
  await clock.advance(3_000);
  assert.deepEqual(heard().sort(), ['a ready', 'b ready', 'd ready']);
  await speak(b, 20);
  assert.equal(paths.length, 3);
  // One who leaves hangs up.
  b.leave();
  assert.equal(paths[2]!.isClosed, true);
  elsewhere.leave();
  a.leave();
  await clock.advance(5_000);
  assert.equal(clock.pending, 0);
});

test('should be busy for all while the intercom has a call or an announcement', async () => {
  const { talks, paths, join, speak, heard } = house();
  const [a] = [join('a'), join('b')];
  await speak(a, 40);
  paths[0]!.opened.resolve(PCMU);
  await speak(a, 40);
  heard();
  talks.hearOfCall({
    event: 'callConnected',
    payload: { callId: '1', direction: 'incoming', hasVideo: false, viaPbx: false, legacy: false },
  });
  const busy = 'busy: The intercom has a call.';
  assert.deepEqual([heard(), paths[0]!.isClosed], [[`a ${busy}`, `b ${busy}`], true]);
  await speak(a, 100);
  join('c');
  assert.deepEqual([heard(), paths.length], [[`c ${busy}`], 1]);
  talks.hearOfCall({ event: 'pagingStatusChanged', payload: { activeCount: 2 } });
  talks.hearOfCall({ event: 'callEnded', payload: { callId: '1', reason: 'local' } });
  assert.deepEqual(heard(), []);
  talks.hearOfCall({ event: 'pagingStatusChanged', payload: { activeCount: 0 } });
  assert.deepEqual(heard(), ['a ready', 'b ready', 'c ready']);
});

test('should say why a camera refuses voice, and try again after a pause', async () => {
  const { clock, paths, join, speak, heard } = house();
  const [a] = [join('a'), join('b')];
  heard();
  await speak(a, 20);
  paths[0]!.opened.reject(new FaceplateError('CAMERA_PROTOCOL', 'Refused.'));
  await speak(a, 400);
  assert.deepEqual(
    [heard(), paths.length, paths[0]!.isClosed],
    [['b busy: Somebody else talks to this camera.', 'a failed: Refused.', 'b ready'], 1, true],
  );
  await clock.advance(600);
  await speak(a, 20);
  paths[1]!.opened.resolve(PCMU);
  await speak(a, 20);
  paths[1]!.onClosed(new FaceplateError('CAMERA_UNREACHABLE', 'Gone.'));
  assert.equal(paths[1]!.isClosed, true);
  assert.deepEqual(
    heard().filter((event) => event.startsWith('a')),
    ['a talking', 'a failed: Gone.'],
  );
});

test('security: should not try a refused login again at each press', async () => {
  const { clock, paths, join, speak } = house();
  const talker = join('a');
  await speak(talker, 20);
  paths[0]!.opened.reject(new FaceplateError('CAMERA_UNAUTHORIZED'));
  for (let press = 0; press < 5; press++) {
    await clock.advance(1_000);
    await speak(talker, 20);
  }
  assert.equal(paths.length, 1);
  await clock.advance(60_000);
  await speak(talker, 20);
  assert.equal(paths.length, 2);
});
