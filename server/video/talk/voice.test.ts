import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { parseRtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { SilenceCheck, VoiceStream } from './voice.ts';

const G711 = { clockRate: 8_000, packetBytes: 160 };

/** A stream, and what it has sent, each with its time. */
function voiceOf(format: { clockRate: number; packetBytes: number | undefined } = G711) {
  const clock = new FakeClock();
  const stream = new VoiceStream(format, clock);
  const sent: { at: number; marker: boolean; timestamp: number; sequence: number; payload: Buffer }[] = [];
  const begin = clock.now();
  const open = () =>
    stream.open(8, (packet) => sent.push({ ...parseRtpPacket(packet)!, at: clock.now() - begin }));
  /** A packet of 20 ms each 20 ms. */
  const speak = async (packets: number, from = 0, length = 160) => {
    for (let index = from; index < from + packets; index++) {
      stream.push({ timestamp: (0xffff_ff00 + index * length) >>> 0, payload: Buffer.alloc(length, index) });
      await clock.advance(20);
    }
  };
  return { clock, stream, sent, open, speak };
}

const steps = (values: readonly number[], bits: 16 | 32) =>
  values.slice(1).map((value, at) => (value - values[at]!) & (bits === 16 ? 0xffff : -1));

test('should send what comes at once, as one stream with the marker on its first packet', async () => {
  const { sent, open, speak, clock } = voiceOf();
  open();
  await speak(5);
  assert.deepEqual(
    sent.map(({ at, marker }) => `${at} ${marker}`),
    ['0 true', '20 false', '40 false', '60 false', '80 false'],
  );
  assert.deepEqual(
    new Set(
      steps(
        sent.map(({ sequence }) => sequence),
        16,
      ),
    ),
    new Set([1]),
  );
  assert.deepEqual(
    new Set(
      steps(
        sent.map(({ timestamp }) => timestamp),
        32,
      ),
    ),
    new Set([160]),
  );
  assert.equal(clock.pending, 0);
});

test('should hold back at most a second of voice, and send it at twice the pace', async () => {
  const { clock, stream, sent, open, speak } = voiceOf();
  await speak(75);
  open();
  await clock.advance(1_000);
  // The last second, 50 packets of 20 ms.
  assert.deepEqual([sent.length, sent[0]!.payload[0], sent.at(-1)!.payload[0]], [50, 25, 74]);
  assert.deepEqual(
    new Set(
      steps(
        sent.map(({ at }) => at),
        32,
      ),
    ),
    new Set([10]),
  );
  await speak(2, 75);
  assert.equal(sent.length, 52);
  stream.stop();
  assert.equal(clock.pending, 0);
});

test('should bound what waits, however small or large the packets are', async () => {
  const { stream, sent, open, clock } = voiceOf();
  for (let at = 0; at < 20_000; at++) stream.push({ timestamp: at, payload: Buffer.from([1]) });
  for (let at = 0; at < 100; at++)
    stream.push({ timestamp: 20_000 + at * 1_400, payload: Buffer.alloc(1_400) });
  open();
  await clock.advance(10_000);
  assert.ok(sent.length <= 51, `${sent.length} packets`);
});

for (const packetBytes of [160, 320, 1_024])
  test(`should group to ${packetBytes} bytes, and send the rest at the end`, async () => {
    const { sent, open, speak, clock } = voiceOf({ clockRate: 8_000, packetBytes });
    open();
    await speak(10);
    await clock.advance(200);
    const whole = Math.floor(1_600 / packetBytes);
    assert.deepEqual(
      sent.map(({ payload }) => payload.length),
      [
        ...Array.from({ length: whole }, () => packetBytes),
        ...(1_600 % packetBytes ? [1_600 % packetBytes] : []),
      ],
    );
    for (const step of steps(
      sent.map(({ timestamp }) => timestamp),
      32,
    ))
      assert.equal(step, packetBytes);
    assert.equal(Buffer.concat(sent.map(({ payload }) => payload)).length, 1_600);
    assert.equal(clock.pending, 0);
  });

test('should split larger packets, and leave those of Opus as they are', async () => {
  const g711 = voiceOf();
  g711.open();
  await g711.speak(1, 0, 480);
  await g711.clock.advance(100);
  assert.deepEqual(
    g711.sent.map(({ payload }) => payload.length),
    [160, 160, 160],
  );
  const opus = voiceOf({ clockRate: 48_000, packetBytes: undefined });
  opus.open();
  await opus.speak(3, 0, 77);
  assert.deepEqual(
    opus.sent.map(({ payload }) => payload.length),
    [77],
  );
});

test('should keep the time of pauses, and go on by the clock after a new stream of the page', async () => {
  const { stream, sent, open, clock } = voiceOf();
  open();
  const push = (timestamp: number) => stream.push({ timestamp, payload: Buffer.alloc(160) });
  push(1_000);
  await clock.advance(500);
  push(1_000 + 4_000);
  await clock.advance(1_000);
  push(0x7000_0000);
  // Late, or twice.
  push(0x7000_0000);
  await clock.advance(100);
  assert.deepEqual(
    steps(
      sent.map(({ timestamp }) => timestamp),
      32,
    ),
    [4_000, 160 + 8_000],
  );
});

test('should tell digital silence from voice in each codec', () => {
  const check = (rtpmap: string, ...payloads: Buffer[]) => {
    const silence = new SilenceCheck(rtpmap);
    return payloads.map((payload) => silence.isSilent(payload));
  };
  assert.deepEqual(
    check('PCMU/8000', Buffer.alloc(160, 0xff), Buffer.from([0xff, 0x7f]), Buffer.from([0xff, 0x7e])),
    [true, true, false],
  );
  assert.deepEqual(check('PCMA/8000', Buffer.from([0xd5, 0x55]), Buffer.from([0xd5, 0x54])), [true, false]);
  // What Chromium sends of a microphone that is off, and a step that a voice takes.
  const rest = Buffer.from('fafafafafafaf5f8dff6faf8f5f5f4f4fbdff4f8dcdcfbdff7fbdbf4f3d9f7da', 'hex');
  assert.deepEqual(check('G722/8000', rest, rest, Buffer.alloc(20, 0xc4), rest), [true, true, false, false]);
  const quiet = Buffer.from('6807c979c8c9', 'hex');
  assert.deepEqual(
    check('opus/48000/2', Buffer.from('780be4c1', 'hex'), quiet, quiet, Buffer.from('f8fffe', 'hex')),
    [false, false, true, true],
  );
});
