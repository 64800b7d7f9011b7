import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { deltaSlice, idrSlice, PPS, rtpPacket, SPS } from '../../testing/scriptedCamera.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { writeSenderReport } from '../../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { parseSessionDescription } from '../rtsp/sdp.ts';
import { chooseTracks } from '../tracks.ts';
import { CameraMedia } from './cameraMedia.ts';

const SETS = `${SPS.toString('base64')},${PPS.toString('base64')}`;
const VIDEO = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', `a=fmtp:96 sprop-parameter-sets=${SETS}`];
const AUDIO = ['m=audio 0 RTP/AVP 8'];
const FRAME = 3_600;

/** What a camera with this description sends, and what comes of it. */
class Watched {
  readonly clock = new FakeClock();
  readonly video: VideoPacket[] = [];
  readonly audio: RtpPacket[] = [];
  readonly media: CameraMedia;

  constructor(...lines: string[]) {
    this.media = new CameraMedia({
      tracks: chooseTracks(parseSessionDescription(lines.join('\r\n'))),
      clock: this.clock,
      onVideo: (packet) => this.video.push(packet),
      onAudio: (packet) => this.audio.push(packet),
    });
  }

  send(track: number, packet: Buffer): number {
    return this.media.onRtp(track, packet);
  }

  /** Pictures of this payload type, a key frame first. */
  async play(payloadType: number, from: number, count: number, track = 0): Promise<void> {
    for (let i = from; i < from + count; i++) {
      const nal = i % 10 === 0 ? idrSlice() : deltaSlice();
      this.send(track, rtpPacket(i, i * FRAME, true, nal, payloadType));
      await this.clock.advance(40);
    }
  }

  get pictures(): number {
    return this.video.filter(({ marker }) => marker).length;
  }
}

test('should take another payload type for the video after five packets, without losing the first', async () => {
  const watched = new Watched(...VIDEO);
  await watched.play(98, 0, 4);
  assert.equal(watched.pictures, 0);
  await watched.play(98, 4, 6);
  assert.equal(watched.pictures, 10);
  assert.deepEqual([watched.video[0]?.startsKeyFrame, watched.media.lost], [true, 0]);
  assert.ok(watched.media.mended.has('payloadType'));
  // And back again.
  await watched.play(96, 10, 10);
  assert.equal(watched.pictures, 20);
});

test('should pass over other payload types without counting them as missing', async () => {
  const watched = new Watched(...VIDEO, ...AUDIO);
  for (let i = 0; i < 40; i++) {
    const sequence = 65_530 + 2 * i;
    watched.send(0, rtpPacket(sequence, i * FRAME, true, i === 0 ? idrSlice() : deltaSlice()));
    // Within the numbers of the video, as retransmissions are, and beside them, as some cameras do while they turn.
    watched.send(0, rtpPacket(sequence + 1, i * FRAME, false, deltaSlice(), 50));
    watched.send(0, rtpPacket(sequence + 1, i * FRAME, false, Buffer.from([1, 2, 3]), 51));
    await watched.clock.advance(40);
  }
  assert.deepEqual([watched.pictures, watched.media.lost, [...watched.media.mended].length], [40, 0, 1]);
  watched.send(0, rtpPacket(65_530 + 83, 41 * FRAME, true, deltaSlice()));
  assert.equal(watched.media.lost, 3);
});

test('should take no foreign payload type where several formats of H.264 are described, and no other codec', async () => {
  const two = ['m=video 0 RTP/AVP 96 97', 'a=rtpmap:96 H264/90000', 'a=rtpmap:97 H264/90000', VIDEO[2]!];
  const watched = new Watched(...two);
  await watched.play(98, 0, 20);
  assert.equal(watched.pictures, 0);
  await watched.play(97, 20, 10);
  assert.equal(watched.pictures, 10);
  const other = new Watched(...VIDEO);
  for (let i = 0; i < 20; i++) other.send(0, rtpPacket(i, i, true, Buffer.from([0xff, 0xd8, 1, 2]), 26));
  assert.deepEqual([other.pictures, [...other.media.mended]], [0, []]);
});

test('should tell two tracks on one channel apart by their payload types', async () => {
  for (const channel of [0, 1]) {
    const watched = new Watched(...VIDEO, ...AUDIO);
    for (let i = 0; i < 10; i++) {
      watched.send(channel, rtpPacket(700 + i, i * 160, false, Buffer.alloc(160), 8));
      await watched.play(96, i, 1, channel);
    }
    assert.deepEqual([watched.pictures, watched.audio.length, watched.media.lost], [10, 10, 0]);
    assert.ok(watched.media.mended.has('sharedChannel'));
  }
  // The same type for both is no mistake: each has its own channel.
  const watched = new Watched(...VIDEO, 'm=audio 0 RTP/AVP 96', 'a=rtpmap:96 PCMA/8000');
  watched.send(1, rtpPacket(1, 1, false, Buffer.alloc(160), 96));
  await watched.play(96, 0, 10);
  assert.deepEqual([watched.pictures, watched.audio.length, watched.media.mended.size], [10, 1, 1]);
});

test('should give each track of a shared channel its own sender reports', async () => {
  const watched = new Watched(...VIDEO, ...AUDIO);
  const point = { ntpSeconds: 1, ntpFraction: 2, timestamp: 4_711 };
  const audioPacket = (sequence: number): Buffer => {
    const packet = rtpPacket(sequence, 160, false, Buffer.alloc(160), 8);
    packet.writeUInt32BE(99, 8);
    return packet;
  };
  watched.send(0, audioPacket(1));
  watched.send(0, audioPacket(2));
  await watched.play(96, 0, 2);
  watched.media.onRtcp(1, writeSenderReport(99, point, { packets: 1, octets: 1 }, 'c'));
  assert.equal(watched.media.report('video'), undefined);
  assert.deepEqual(watched.media.report('audio'), point);
  watched.media.onRtcp(1, writeSenderReport(0x11223344, point, { packets: 1, octets: 1 }, 'c'));
  assert.deepEqual(watched.media.report('video'), point);
});

test('should forget a sender report when the clock of the camera jumps, of the sound too', async () => {
  const watched = new Watched(...VIDEO, ...AUDIO);
  const report = (timestamp: number): Buffer =>
    writeSenderReport(1, { ntpSeconds: 1, ntpFraction: 2, timestamp }, { packets: 1, octets: 1 }, 'c');
  await watched.play(96, 0, 5);
  watched.send(1, rtpPacket(1, 0, false, Buffer.alloc(160), 8));
  watched.media.onRtcp(0, report(FRAME));
  watched.media.onRtcp(1, report(160));
  await watched.clock.advance(20);
  const jump = 3_600 * 8_000;
  watched.send(0, rtpPacket(5, 5 * FRAME + 3_600 * 90_000, true, deltaSlice()));
  watched.send(1, rtpPacket(2, 160 + jump, false, Buffer.alloc(160), 8));
  assert.equal(watched.audio[1]!.timestamp, 160);
  assert.equal(watched.media.report('video'), undefined);
  assert.equal(watched.media.report('audio'), undefined);
  watched.media.onRtcp(1, report(320 + jump));
  assert.equal(watched.media.report('audio')?.timestamp, 320);
});

test('should drop a packet that comes twice, and follow a camera that begins again', async () => {
  const watched = new Watched(...VIDEO);
  await watched.play(96, 40_000, 10);
  await watched.play(96, 40_009, 1);
  assert.equal(watched.pictures, 10);
  await watched.play(96, 10, 10);
  assert.deepEqual([watched.pictures, watched.media.lost], [20, 0]);
});
