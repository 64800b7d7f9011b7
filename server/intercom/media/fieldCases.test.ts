import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FaceplateError } from '../../contract/errors.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { until } from '../../testing/waiting.ts';
import { aggregate } from '../../webrtc/rtp/h264.ts';
import type { CallMedia } from '../ports.ts';
import { decodeG711, toneShare } from '../testing/media/g711.ts';
import { CALL, description, RemoteParty, startFactory } from '../testing/media/remoteParty.ts';
import type { WeriftPage } from '../testing/media/weriftPage.ts';
import { AUDIO_CODECS } from './codecs.ts';
import { Negotiation } from './negotiation.ts';
import { parseDescription } from './sdp/description.ts';
import { agree, type Terms, type Wishes } from './sdp/terms.ts';

/** A key frame in one packet, with its parameter sets. */
const PICTURE = aggregate([SPS, PPS, idrSlice()]);

// Descriptions of real devices and PBXs, and packets that do not keep to them.

const WISHES: Wishes = { video: true, direction: 'sendrecv', secure: false, codecs: AUDIO_CODECS };
const KEY = Buffer.alloc(30, 7).toString('base64');

/** A description at 10.0.0.5. @param media its lines from the first m= on */
const sip = (...media: string[]): string =>
  ['v=0', 'o=- 1 1 IN IP4 10.0.0.5', 's=x', 'c=IN IP4 10.0.0.5', 't=0 0', ...media, ''].join('\r\n');

function offering(video: boolean): Negotiation {
  const call = new Negotiation({
    address: '192.0.2.1',
    ports: { audio: 20_000, video: video ? 20_002 : undefined },
    wishes: { ...WISHES, video },
    mustBeSecure: false,
  });
  call.offer();
  return call;
}

const summary = ({ audio, video }: Terms): string =>
  `${audio.rtpmap} pt ${audio.payloadType} at ${audio.rtp?.port}, video ${video ? `pt ${video.payloadType}` : '-'}`;

test('should take the lines of an answer that were offered, whatever else it has', () => {
  const dahua = [
    'm=audio 20000 RTP/AVP 8',
    'm=video 20001 RTP/AVP 105',
    'a=framerate:15.000000',
    'a=rtpmap:105 H264/90000',
    'a=sendrecv',
  ];
  const rows: readonly (readonly [video: boolean, media: readonly string[], terms: string])[] = [
    [false, dahua, 'PCMA/8000 pt 8 at 20000, video -'],
    [true, dahua, 'PCMA/8000 pt 8 at 20000, video pt 105'],
    [true, ['m=audio 20000 RTP/AVP 0'], 'PCMU/8000 pt 0 at 20000, video -'],
    // In another order, with a refused line first, and with a line of a third kind between.
    [true, [...dahua.slice(1), dahua[0]!], 'PCMA/8000 pt 8 at 20000, video pt 105'],
    [false, ['m=audio 0 RTP/AVP 111', 'm=audio 4000 RTP/AVP 0'], 'PCMU/8000 pt 0 at 4000, video -'],
    [
      true,
      [dahua[0]!, 'm=application 9 UDP/BFCP *', ...dahua.slice(1)],
      'PCMA/8000 pt 8 at 20000, video pt 105',
    ],
    [true, [dahua[0]!, 'm=video 0 RTP/AVP'], 'PCMA/8000 pt 8 at 20000, video -'],
    [
      true,
      [dahua[0]!, 'm=X-door 0 RTP/AVP 255', 'm=video 0 RTP/AVP 255'],
      'PCMA/8000 pt 8 at 20000, video -',
    ],
  ];
  for (const [video, media, terms] of rows)
    assert.equal(summary(offering(video).accept(sip(...media))), terms, media.join(' | '));
});

test('should know the codecs in the spellings of devices, and answer in theirs', () => {
  const rows: readonly (readonly [formats: string, rtpmaps: readonly string[], answer: string])[] = [
    ['96 99', ['96 PCM/16000', '99 telephone-event/8000'], '96 PCM/16000'],
    ['96', ['96 L16/16000/1'], '96 L16/16000'],
    ['97', ['97 L16/8000'], '97 L16/8000'],
    ['110', ['110 G722/16000'], '110 G722/16000'],
    ['110', ['110 G722/16000/1'], '110 G722/16000'],
    ['9', ['9 G722/8000/1'], '9 G722/8000'],
    ['107', ['107 opus/48000'], '107 OPUS/48000'],
    ['107', ['107 OPUS/48000/2'], '107 opus/48000/2'],
    ['8', ['8 PCMA/8000/1'], '8 PCMA/8000'],
    ['8', ['8 PCMA'], '8 PCMA'],
    ['98', ['98 G711A/8000'], '98 G711A/8000'],
    ['101 0', ['0 PCMU/8000', '101 telephone-event/8000'], '0 PCMU/8000'],
    // What browsers have before what has to be converted.
    ['96 8', ['96 PCM/16000', '8 PCMA/8000'], '8 PCMA/8000'],
    ['9 8 0 101', ['101 telephone-event/8000'], '9 G722/8000'],
  ];
  for (const [formats, rtpmaps, answer] of rows) {
    const offer = sip(`m=audio 4000 RTP/AVP ${formats}`, ...rtpmaps.map((map) => `a=rtpmap:${map}`));
    const { audio } = agree(parseDescription(offer), WISHES, false);
    assert.equal(`${audio.payloadType} ${audio.rtpmap}`, answer, rtpmaps.join(' | '));
  }
  for (const bad of ['96 L16/16000/2', '96 L16/44100', '96 PCMU/8000/2', '96 speex/16000', '96 L16']) {
    const offer = sip('m=audio 4000 RTP/AVP 96', `a=rtpmap:${bad}`);
    assert.throws(() => agree(parseDescription(offer), WISHES, false), { code: 'UNSUPPORTED_CODEC' }, bad);
  }
});

test('security: should encrypt what must be, leave keys beside plain lines alone, and take keys in clear text by setting', () => {
  const keys = [
    `a=crypto:5 AES_256_CM_HMAC_SHA1_80 inline:${Buffer.alloc(46, 1).toString('base64')}`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
  ];
  const plain = sip('m=audio 4000 RTP/AVP 8');
  const both = sip('m=audio 4000 RTP/AVP 8', ...keys);
  const savp = sip('m=audio 4000 RTP/SAVP 8', ...keys);
  const withoutKey = sip('m=audio 4000 RTP/SAVP 8');
  const how = (sdp: string, secure: boolean, mustBeSecure: boolean): string => {
    try {
      const call = new Negotiation({
        address: '192.0.2.1',
        ports: { audio: 20_000, video: undefined },
        wishes: { ...WISHES, secure },
        mustBeSecure,
      });
      return /^m=.* (\S+) 8\r\n(?:.*\r\n)*?(a=crypto:\d+)?/m.exec(call.answer(sdp, false).answer)![1]!;
    } catch (error) {
      return (error as FaceplateError).code;
    }
  };
  const none = 'UNSUPPORTED_CODEC';
  assert.deepEqual(
    [plain, both, savp, withoutKey].map((sdp) => how(sdp, false, false)),
    ['RTP/AVP', 'RTP/AVP', none, none],
  );
  assert.deepEqual(
    [plain, both, savp, withoutKey].map((sdp) => how(sdp, true, false)),
    ['RTP/AVP', 'RTP/AVP', 'RTP/SAVP', none],
  );
  // Over TLS nothing is ever in the clear.
  assert.deepEqual(
    [plain, both, savp, withoutKey].map((sdp) => how(sdp, true, true)),
    [none, 'RTP/AVP', 'RTP/SAVP', none],
  );
  assert.equal(agree(parseDescription(both), { ...WISHES, secure: true }, false).audio.crypto, undefined);
  assert.equal(agree(parseDescription(both), { ...WISHES, secure: true }, true).audio.crypto?.tag, 1);
});

interface Called {
  readonly call: CallMedia;
  readonly far: RemoteParty;
  readonly page: WeriftPage;
  readonly digits: readonly string[];
  readonly clock: FakeClock;
}

/** An outgoing call that is answered with these formats. */
async function callAnswered(t: TestContext, formats: string, lines: readonly string[]): Promise<Called> {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const far = await RemoteParty.open(t);
  const call = await factory.open(CALL);
  const digits: string[] = [];
  call.onDtmf = (digit) => digits.push(digit);
  far.aimAt(await call.offer());
  await call.accept(description({ port: far.port, formats, lines }));
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  return { call, far, page, digits, clock };
}

test('should hear the payload types of its own offer and those of the answer, and send those of the answer', async (t) => {
  const lines = ['a=rtpmap:107 opus/48000/2', 'a=rtpmap:97 telephone-event/8000'];
  const { far, page, digits } = await callAnswered(t, '107 97', lines);
  for (const [index, payloadType] of [111, 107].entries()) {
    far.send(payloadType, 960 * index, Buffer.alloc(60, payloadType));
    await until(() => page.latest.received.audio.length === index + 1, `payload type ${payloadType}`);
  }
  // 99 was never named by anybody.
  for (const [index, payloadType] of [101, 97, 99].entries())
    far.send(payloadType, 9_600 * (index + 1), Buffer.from([index + 1, 0x0a, 0, 9]));
  far.send(111, 48_000, Buffer.alloc(60, 1));
  await until(() => page.latest.received.audio.length === 3, 'the sound behind them');
  assert.deepEqual(digits, ['1', '2', '3']);
  page.latest.send('audio', 0, Buffer.alloc(60, 5));
  await until(() => far.received.some(({ payload }) => payload[0] === 5), 'the microphone');
  assert.equal(far.received.find(({ payload }) => payload[0] === 5)!.payloadType, 107);
});

test('should tell sound from digits when the two descriptions give one number to both', async (t) => {
  const lines = ['a=rtpmap:101 opus/48000/2', 'a=rtpmap:111 telephone-event/48000'];
  const { far, page, digits } = await callAnswered(t, '101 111', lines);
  far.send(101, 0, Buffer.alloc(60, 1));
  far.send(101, 960, Buffer.from([5, 0x0a, 0, 9]));
  far.send(111, 1_920, Buffer.alloc(60, 2));
  far.send(111, 2_880, Buffer.from([6, 0x0a, 0, 9]));
  far.send(111, 3_840, Buffer.alloc(60, 3));
  await until(() => page.latest.received.audio.length === 3, 'the sound');
  assert.deepEqual(digits, ['5', '6']);
});

test('should take pictures of either payload type', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  const offer = await call.offer();
  const lines = ['a=rtpmap:105 H264/90000', 'a=fmtp:105 packetization-mode=1'];
  await call.accept(
    description({ port: far.port, formats: '0' }, { port: video.port, formats: '105', lines }),
  );
  video.aimAt(offer, 'video');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  for (const [index, payloadType] of [99, 105, 97].entries()) {
    const before = page.latest.received.video.length;
    video.send(payloadType, 3_000 * (index + 1), PICTURE, { marker: true });
    await until(() => page.latest.received.video.length > before, `payload type ${payloadType}`);
  }
});

test('should follow a remote party to another codec of its answer, but not for a few packets', async (t) => {
  const { far, page } = await callAnswered(t, '9 8 0 101', ['a=rtcp:7079', 'a=ptime:30']);
  for (let i = 0; i < 9; i++) far.send(8, 160 * i, Buffer.alloc(160, 8));
  far.send(9, 1_440, Buffer.alloc(160, 9));
  await until(() => page.latest.received.audio.length === 1, 'G.722');
  for (let i = 10; i < 20; i++) far.send(8, 160 * i, Buffer.alloc(160, 8));
  await until(() => page.asked.length === 2 && page.connections.size === 1, 'the new connection');
  await until(() => page.latest.isConnected, 'the page');
  far.send(8, 3_200, Buffer.alloc(160, 8));
  await until(() => page.latest.received.audio.length > 0, 'PCMA');
  assert.equal(page.latest.received.audio[0]!.header.payloadType, 8);
  page.latest.send('audio', 0, Buffer.alloc(160, 1));
  await until(() => far.received.some(({ payload }) => payload[0] === 1), 'the microphone');
  assert.equal(far.received.find(({ payload }) => payload[0] === 1)!.payloadType, 8);
});

test('should convert L16 of a door for the page, and the microphone for the door', async (t) => {
  const { far, page, clock, call } = await callAnswered(t, '96', ['a=rtpmap:96 PCM/16000']);
  const samples = (index: number): Buffer => {
    const packet = Buffer.alloc(640);
    for (let i = 0; i < 320; i++) {
      const at = (index * 320 + i) / 16_000;
      packet.writeInt16BE(Math.round(8_000 * Math.sin(2 * Math.PI * 440 * at)), 2 * i);
    }
    return packet;
  };
  for (let index = 0; index < 10; index++) far.send(96, 320 * index, samples(index));
  await until(() => page.latest.received.audio.length === 10, 'the door in the page');
  const packets = page.latest.received.audio;
  assert.ok(packets.every(({ header, payload }) => header.payloadType === 0 && payload.length === 160));
  const steps = packets.slice(1).map(({ header }, at) => header.timestamp - packets[at]!.header.timestamp);
  assert.deepEqual([...new Set(steps.map((step) => step >>> 0))], [160]);
  const heard = packets.flatMap(({ payload }) => [...payload].map((byte) => decodeG711('PCMU', byte)));
  assert.ok(toneShare(heard, 440, 8000) > 0.95);
  // The same bytes back from the microphone.
  for (const [index, { payload }] of packets.entries()) page.latest.send('audio', 160 * index, payload);
  const sound = () => far.received.filter(({ payload }) => payload.some((byte) => byte !== 0));
  await until(() => sound().length === 10, 'the microphone at the door');
  assert.ok(sound().every(({ payloadType, payload }) => payloadType === 96 && payload.length === 640));
  assert.equal((sound()[1]!.timestamp - sound()[0]!.timestamp) >>> 0, 320);
  const back = sound().flatMap(({ payload }) =>
    Array.from({ length: 320 }, (_, at) => payload.readInt16BE(2 * at)),
  );
  assert.ok(toneShare(back, 440, 16_000) > 0.95);
  call.setMicMuted(true);
  const before = far.received.length;
  page.latest.send('audio', 1_600, packets[0]!.payload);
  await until(() => far.received.length > before, 'silence');
  assert.ok(far.received.at(-1)!.payload.equals(Buffer.alloc(640)));
  await clock.advance(400);
  await until(() => far.received.length > before + 3, 'silence of our own');
  assert.ok(far.received.at(-1)!.payload.equals(Buffer.alloc(640)));
});

test('should hear what is sent before the answer, and open the microphone with the answer only', async (t) => {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const far = await RemoteParty.open(t);
  const call = await factory.open(CALL);
  far.aimAt(await call.offer());
  const sdp = description({ port: far.port, formats: '0' });
  // A PBX that has nothing to say yet.
  await assert.rejects(call.accept(description({ port: 0, formats: '0' }), { early: true }), {
    code: 'UNSUPPORTED_CODEC',
  });
  await call.accept(sdp, { early: true });
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'the early sound');
  await clock.advance(1_000);
  assert.deepEqual([far.received, page.asked.map(({ microphone }) => microphone)], [[], [false]]);
  await call.accept(sdp);
  await until(() => page.asked.length === 2, 'the microphone');
  await until(() => {
    page.latest.send('audio', 0, Buffer.alloc(160, 2));
    return far.received.some(({ payload }) => payload[0] === 2);
  }, 'its sound');
  assert.deepEqual(
    page.asked.map(({ microphone }) => microphone),
    [false, true],
  );
});

test('should keep a call whose sound a PBX removes for a while', async (t) => {
  const { call, far, page, clock } = await callAnswered(t, '0', []);
  let silences = 0;
  call.onSilent = () => silences++;
  const without = await call.answer(description({ port: 0, formats: '0' }));
  assert.match(without, /^m=audio 0 RTP\/AVP 0\r$/m);
  await clock.advance(100);
  const before = far.received.length;
  page.latest.send('audio', 0, Buffer.alloc(160, 1));
  await clock.advance(60_000);
  assert.deepEqual([far.received.length, silences], [before, 0]);
  // With another codec; packets of the old one still arrive.
  far.aimAt(await call.answer(description({ port: far.port, formats: '8' })));
  await until(
    () => page.connections.size === 1 && page.latest.isConnected && page.asked.length > 1,
    'the page',
  );
  far.send(0, 0, Buffer.alloc(160, 1));
  far.send(8, 160, Buffer.alloc(160, 2));
  await until(() => page.latest.received.audio.length === 1, 'the new codec');
  assert.equal(page.latest.received.audio[0]!.payload[0], 2);
});

test('should judge an offer before it rings: whether it can be taken, and whether it has a picture', async (t) => {
  const { factory } = await startFactory(t);
  const judge = (options: { secure?: boolean; takesKeys?: boolean }, ...media: string[]): string => {
    try {
      const from = { host: '10.0.0.5', mayBeElsewhere: true };
      return `video ${factory.judge(sip(...media), { secure: false, from, ...options }).hasVideo}`;
    } catch (error) {
      return (error as FaceplateError).code;
    }
  };
  const [sound, none] = ['m=audio 4000 RTP/AVP 8', 'UNSUPPORTED_CODEC'];
  const key = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`;
  assert.equal(judge({}, 'm=audio 4000 RTP/SAVP 8', key), none);
  assert.equal(judge({ takesKeys: true }, 'm=audio 4000 RTP/SAVP 8', key), 'video false');
  assert.equal(judge({ secure: true }, sound), none);
  assert.equal(judge({ secure: true }, sound, key), 'video false');
  assert.equal(judge({}, 'm=audio 4000 RTP/AVP 97', 'a=rtpmap:97 speex/8000'), none);
  assert.equal(judge({}, 'm=audio 0 RTP/AVP 8', 'm=video 4002 RTP/AVP 96', 'a=rtpmap:96 H264/90000'), none);
  assert.equal(judge({}, 'c=IN IP4 239.1.1.1', sound, 'c=IN IP4 239.1.1.1'), 'INVALID_REQUEST');
  const video = (line: string, ...more: string[]): string => judge({}, sound, line, ...more);
  assert.equal(video('m=video 4002 RTP/AVP 96', 'a=rtpmap:96 H264/90000'), 'video true');
  assert.equal(video('m=video 4002 RTP/AVP 96', 'a=rtpmap:96 VP8/90000'), 'video false');
  assert.equal(video('m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000'), 'video false');
  assert.equal(video('m=video 4002 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'a=recvonly'), 'video false');
  assert.equal(video('m=video 4002 RTP/SAVP 96', 'a=rtpmap:96 H264/90000'), 'video false');
});
