import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { until } from '../../testing/waiting.ts';
import { WeriftViewer } from '../../video/testing/weriftViewer.ts';
import type { CallMedia, MediaOptions } from '../ports.ts';
import { CALL, description, RemoteParty, startFactory } from '../testing/media/remoteParty.ts';
import type { WeriftPage } from '../testing/media/weriftPage.ts';

const EVENTS = ['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15'];

interface Started {
  readonly call: CallMedia;
  readonly far: RemoteParty;
  readonly page: WeriftPage;
  readonly clock: FakeClock;
  /** The remote party's description with other lines. */
  readonly sdp: (lines?: readonly string[], session?: readonly string[]) => string;
}

/** An answered call on a clock that stands still; packets still travel. */
async function startCall(t: TestContext, media: Partial<MediaOptions> = {}): Promise<Started> {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const far = await RemoteParty.open(t);
  const sdp = (lines: readonly string[] = [], session?: readonly string[]): string =>
    description({ port: far.port, formats: '0 101', lines: [...EVENTS, ...lines] }, undefined, session);
  const call = await factory.open({ ...CALL, ...media });
  far.aimAt(await call.answer(sdp()));
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  return { call, far, page, clock, sdp };
}

/** Advances the clock in steps of one packet and waits until all sent packets have arrived. */
async function run(clock: FakeClock, far: RemoteParty, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 20) await clock.advance(20);
  let before = -1;
  await until(() => {
    const isSame = far.received.length === before;
    before = far.received.length;
    return isSame;
  });
}

/** Sequence numbers and timestamps continue without a gap. */
function assertContinuous(far: RemoteParty): void {
  for (const [index, packet] of far.received.slice(1).entries()) {
    const before = far.received[index]!;
    assert.equal((packet.sequence - before.sequence) & 0xffff, 1, `sequence at ${index}`);
    assert.ok(((packet.timestamp - before.timestamp) | 0) >= 0, `timestamp at ${index}`);
  }
}

test('should send silence while the page sends nothing, in one stream with its sound', async (t) => {
  const { call, far, page, clock } = await startCall(t);
  await run(clock, far, 200);
  assert.ok(far.received.length >= 10);
  assert.ok(far.received.every(({ payload }) => payload.equals(Buffer.alloc(160, 0xff))));
  page.latest.send('audio', 77_000, Buffer.alloc(160, 1));
  await until(() => far.received.some(({ payload }) => payload[0] === 1), 'the microphone');
  call.setMicMuted(true);
  page.latest.send('audio', 77_160, Buffer.alloc(160, 2));
  const count = far.received.length;
  await until(() => far.received.length === count + 1, 'silence in its place');
  assert.ok(far.received.at(-1)!.payload.equals(Buffer.alloc(160, 0xff)));
  call.setMicMuted(false);
  page.latest.send('audio', 77_320, Buffer.alloc(160, 3));
  await until(() => far.received.at(-1)!.payload[0] === 3, 'the microphone again');
  const [first, second, third] = far.received.slice(-3);
  assert.deepEqual(
    [(second!.timestamp - first!.timestamp) | 0, (third!.timestamp - second!.timestamp) | 0],
    [160, 160],
  );
  assertContinuous(far);
  assert.equal(new Set(far.received.map(({ ssrc }) => ssrc)).size, 1);
});

test('should send digits as events in the stream, with the requested gap', async (t) => {
  const { call, far, page, clock } = await startCall(t);
  await run(clock, far, 40);
  const done = call.sendDtmf('5#', 200);
  await clock.advance(20);
  page.latest.send('audio', 9_000, Buffer.alloc(160, 9));
  await run(clock, far, 1_000);
  assert.equal(await done, true);
  const events = far.received.filter(({ payloadType }) => payloadType === 101);
  const times = [...new Set(events.map(({ timestamp }) => timestamp))];
  assert.equal(times.length, 2);
  for (const [index, code] of [5, 11].entries()) {
    const ofDigit = events.filter(({ timestamp }) => timestamp === times[index]);
    assert.deepEqual(
      ofDigit.map(({ payload }) => payload[0]),
      Array(10).fill(code),
    );
    assert.deepEqual(
      ofDigit.map(({ marker }) => marker),
      [true, ...Array(9).fill(false)],
    );
    assert.deepEqual(
      ofDigit.map(({ payload }) => payload.readUInt16BE(2)),
      [160, 320, 480, 640, 800, 960, 1120, 1280, 1280, 1280],
    );
    assert.deepEqual(
      ofDigit.map(({ payload }) => payload[1]! >> 7),
      [...Array(7).fill(0), 1, 1, 1],
    );
  }
  // 160 ms of the first digit, and the gap.
  assert.ok(times[1]! - times[0]! >= (160 + 200 - 20) * 8, `${times}`);
  assertContinuous(far);
});

test('should refuse anything but digits, and say so when the remote party takes no events', async (t) => {
  const { call, far, clock } = await startCall(t);
  for (const bad of ['', 'x', '1 2', '1'.repeat(65)]) {
    await assert.rejects(
      call.sendDtmf(bad, 0),
      (error) => error instanceof FaceplateError && error.code === 'INVALID_REQUEST',
    );
  }
  const done = call.sendDtmf('12', 100);
  await clock.advance(20);
  await call.stop();
  assert.equal(await done, false);
  assert.equal(clock.pending, 0);
  const plain = await startCall(t);
  await plain.call.answer(description({ port: far.port, formats: '0' }));
  assert.equal(await plain.call.sendDtmf('1', 0), false);
});

test('should report each digit of the remote party once', async (t) => {
  const { call, far, page } = await startCall(t);
  const digits: string[] = [];
  call.onDtmf = (digit) => digits.push(digit);
  for (const [timestamp, code] of [
    [800, 1],
    [1_600, 1],
    [2_400, 15],
  ] as const) {
    for (let i = 1; i <= 5; i++) far.send(101, timestamp, Buffer.from([code, i > 2 ? 0x8a : 0x0a, 0, i]));
  }
  far.send(101, 800, Buffer.from([1, 0x8a, 0, 9]));
  far.send(101, 3_200, Buffer.from([1, 0x8a]));
  far.send(101, 4_000, Buffer.from([77, 0x8a, 0, 9]));
  far.send(0, 4_160, Buffer.alloc(160, 4));
  await until(() => page.latest.received.audio.length === 1, 'the sound behind them');
  assert.deepEqual(digits, ['1', '1', 'D']);
});

test('should send and expect nothing while the remote party holds the call, and continue afterwards', async (t) => {
  const { call, far, page, clock, sdp } = await startCall(t);
  let silences = 0;
  call.onSilent = () => silences++;
  await call.answer(sdp([], ['c=IN IP4 0.0.0.0']));
  await run(clock, far, 100);
  const before = far.received.length;
  page.latest.send('audio', 1_000, Buffer.alloc(160, 1));
  await clock.advance(60_000);
  assert.deepEqual([far.received.length, silences], [before, 0]);
  await call.answer(sdp(['a=sendonly']));
  await clock.advance(29_500);
  assert.equal(silences, 0);
  await clock.advance(2_000);
  assert.equal(silences, 1);
  await call.answer(sdp());
  await run(clock, far, 40);
  assert.ok(far.received.length > before);
  assert.equal(page.asked.length, 1);
});

test('should report each 30 s in which the remote party sends nothing although it should send sound', async (t) => {
  const { call, far, page, clock } = await startCall(t);
  let silences = 0;
  call.onSilent = () => silences++;
  await clock.advance(25_000);
  far.send(0, 0, Buffer.alloc(160));
  await until(() => page.latest.received.audio.length === 1, 'sound');
  await clock.advance(28_000);
  assert.equal(silences, 0);
  await clock.advance(3_000);
  assert.equal(silences, 1);
  await clock.advance(28_000);
  assert.equal(silences, 1);
  await clock.advance(3_000);
  assert.equal(silences, 2);
});

test('should count reports and messages of a silent door as life', async (t) => {
  const { call, far, clock } = await startCall(t);
  let silences = 0;
  call.onSilent = () => silences++;
  // A receiver report with nothing in it, as doors with voice detection send it.
  const dropped = (): number => (call as unknown as { dropped: number }).dropped;
  for (let i = 0; i < 3; i++) {
    await clock.advance(25_000);
    far.sendRtcp(Buffer.from('80c9000100000007', 'hex'));
    // What follows it was read too.
    far.sendRtcp(Buffer.from('00', 'hex'));
    await until(() => dropped() === i + 1, 'the report');
  }
  assert.equal(silences, 0);
  await clock.advance(20_000);
  call.noteLife();
  await clock.advance(29_000);
  assert.equal(silences, 0);
  await clock.advance(2_000);
  assert.equal(silences, 1);
});

test('security: should accept packets only from the negotiated address and its first port', async (t) => {
  const { call, far, page } = await startCall(t);
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'sound');
  const stranger = await RemoteParty.open(t);
  stranger.aimAt(await call.answer(description({ port: far.port, formats: '0 101', lines: EVENTS })));
  const digits: string[] = [];
  call.onDtmf = (digit) => digits.push(digit);
  stranger.send(0, 160, Buffer.alloc(160, 66));
  stranger.send(101, 160, Buffer.from([1, 0x8a, 0, 9]));
  stranger.sendRtcp(Buffer.from('80c900011111111181ce00021111111100000000', 'hex'));
  const dropped = (): number => (call as unknown as { dropped: number }).dropped;
  await until(() => dropped() >= 2, 'dropped packets');
  far.send(0, 320, Buffer.alloc(160, 2), { ssrc: 0x7777, sequence: 9 });
  await until(() => page.latest.received.audio.length === 2, 'the remote party with another SSRC');
  assert.deepEqual(
    page.latest.received.audio.map(({ payload }) => payload[0]),
    [1, 2],
  );
  assert.deepEqual(digits, []);
});

test('security: should continue with the caller alone when it describes a third host', async (t) => {
  const { call, far, page, clock } = await startCall(t);
  const third = description({ port: far.port, formats: '0 101' }, undefined, ['c=IN IP4 127.0.0.2']);
  await call.answer(third);
  const before = far.received.length;
  await run(clock, far, 200);
  assert.ok(far.received.length > before, 'the caller is still sent to');
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'the caller is still heard');
});

test('security: should accept nothing from an address other than the described one', async (t) => {
  const { call, far, page } = await startCall(t);
  const sdp = description({ port: far.port, formats: '0' }, undefined, ['c=IN IP4 127.0.0.2']);
  await call.answer(sdp, { from: { host: '127.0.0.1', mayBeElsewhere: true } });
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => (call as unknown as { dropped: number }).dropped === 1, 'a dropped packet');
  assert.equal(page.latest.received.audio.length, 0);
});

test('security: should show a caller before the call is answered, but pass no sound and not open the camera', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  const offer = description(
    { port: far.port, formats: '0 101', lines: EVENTS },
    { port: video.port, formats: '96', lines: ['a=rtpmap:96 H264/90000'] },
  );
  const digits: string[] = [];
  call.onDtmf = (digit) => digits.push(digit);
  const early = await call.answer(offer, { early: true });
  assert.equal([...early.matchAll(/a=recvonly/g)].length, 2);
  far.aimAt(early);
  video.aimAt(early, 'video');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const { received } = page.latest;
  page.latest.send('audio', 0, Buffer.alloc(160, 1));
  page.latest.send('video', 0, idrSlice(), true);
  far.send(0, 0, Buffer.alloc(160, 1));
  far.send(101, 160, Buffer.from([1, 0x8a, 0, 9]));
  // When these have arrived, so have the earlier ones.
  for (let i = 1; i < 4; i++) {
    video.send(96, 3_000 * i, deltaSlice(), { marker: true });
    await until(() => received.video.length === i, 'the caller in the page');
  }
  const final = await call.answer(offer);
  assert.equal([...final.matchAll(/a=sendrecv/g)].length, 2);
  await until(() => page.asked.length === 2, 'the camera');
  await until(() => {
    page.latest.send('audio', 160, Buffer.alloc(160, 2));
    far.send(0, 320, Buffer.alloc(160, 2));
    return far.received.some(({ payload }) => payload[0] === 2) && received.audio.length > 0;
  }, 'both to hear the other');
  assert.ok([...far.received, ...received.audio].every(({ payload }) => payload[0] !== 1));
  assert.deepEqual([video.received.length, digits], [0, []]);
  assert.deepEqual(
    page.asked.map(({ camera }) => camera),
    [false, true],
  );
  assert.equal(new Set(page.asked.map(({ connection }) => connection)).size, 1);
  await until(() => {
    page.latest.send('video', 3_000, idrSlice(), true);
    return video.received.length > 0;
  }, 'the camera at the remote party');
});

test('should keep a call whose intercom page dies, and return it when the page is back', async (t) => {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const far = await RemoteParty.open(t);
  page.isMissing = true;
  const call = await factory.open(CALL);
  far.aimAt(await call.answer(description({ port: far.port, formats: '0' })));
  await run(clock, far, 100);
  assert.ok(far.received.length >= 5, 'silence meanwhile');
  page.isMissing = false;
  factory.resetPage();
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  await page.crash();
  factory.resetPage();
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page that is back');
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'sound in the page');
  page.latest.send('audio', 0, Buffer.alloc(160, 2));
  await until(() => far.received.at(-1)!.payload[0] === 2, 'the microphone');
  assertContinuous(far);
});

test('should make a new connection with the page when the remote party changes the codec', async (t) => {
  const { call, far, page } = await startCall(t);
  const answer = await call.answer(description({ port: far.port, formats: '9' }));
  assert.match(answer, /RTP\/AVP 9\r/);
  await until(() => page.asked.length === 2 && page.connections.size === 1, 'the new connection');
  await until(() => page.latest.isConnected, 'the page');
  far.send(9, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'sound in the page');
  assert.equal(page.latest.received.audio[0]!.header.payloadType, 9);
});

test('should continue unchanged after an offer that it cannot accept', async (t) => {
  const { call, far, page } = await startCall(t);
  await assert.rejects(
    call.answer(description({ port: far.port, formats: '18' })),
    (error) => error instanceof FaceplateError && error.code === 'UNSUPPORTED_CODEC',
  );
  await assert.rejects(
    call.answer(description({ port: far.port, formats: '0' }, undefined, ['c=IN IP4 224.0.0.1'])),
  );
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'sound in the page');
});

test('should show either picture of a call to the kiosk page', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  const lines = ['a=rtpmap:96 H264/90000', 'a=fmtp:96 packetization-mode=1'];
  const answer = await call.answer(
    description({ port: far.port, formats: '0' }, { port: video.port, formats: '96', lines }),
  );
  video.aimAt(answer, 'video');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  for (const which of ['remote', 'local'] as const) {
    const viewer = new WeriftViewer();
    t.after(() => viewer.close());
    await viewer.accept(await call.showVideo(which, await viewer.offer()));
    let time = 0;
    const send = (payload: Buffer): void => {
      time += 3_000;
      if (which === 'remote') video.send(96, time, payload, { marker: true });
      else page.latest.send('video', time, payload, true);
    };
    await until(() => {
      for (const payload of [SPS, PPS, idrSlice(), deltaSlice()]) send(payload);
      return viewer.received.video.length > 3;
    }, `the ${which} picture`);
  }
  await assert.rejects(call.showVideo('remote', 'v=0'), FaceplateError);
  const sound = await factory.open(CALL);
  await sound.answer(description({ port: far.port, formats: '0' }));
  await assert.rejects(sound.showVideo('remote', ''), /no picture/);
});

test('should ask a remote party without RTCP feedback for a key frame by other means', async (t) => {
  const { factory } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  let asked = 0;
  call.onKeyFrameNeeded = () => asked++;
  await call.answer(
    description(
      { port: far.port, formats: '0' },
      { port: video.port, formats: '96', lines: ['a=rtpmap:96 H264/90000'] },
    ),
  );
  await until(() => asked > 0, 'the request for a key frame');
});

test('should copy one microphone to many panels, each with its own numbers', async (t) => {
  const { factory, page } = await startFactory(t);
  const broadcast = await factory.openPage();
  const panels = await Promise.all(Array.from({ length: 3 }, () => RemoteParty.open(t)));
  for (const panel of panels) {
    const call = await broadcast.open(CALL);
    const offer = await call.offer();
    assert.match(offer, /m=audio \d+ RTP\/AVP 0 101[\s\S]*a=sendonly/);
    await call.accept(description({ port: panel.port, formats: '0', lines: ['a=recvonly'] }));
  }
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  assert.deepEqual(
    page.asked.map(({ microphone, camera }) => [microphone, camera]),
    [[true, false]],
  );
  await until(() => {
    page.latest.send('audio', 160, Buffer.alloc(160, 5));
    return panels.every(({ received }) => received.some(({ payload }) => payload[0] === 5));
  }, 'the microphone at every panel');
  assert.equal(new Set(panels.map(({ received }) => received[0]!.ssrc)).size, 3);
  await broadcast.stop();
  await broadcast.stop();
  assert.equal(factory.size, 0);
});

test('should release every port, timer and connection over fifty calls', async (t) => {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const far = await RemoteParty.open(t);
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length;
  const before = sockets();
  for (let i = 0; i < 50; i++) {
    const call = await factory.open({ ...CALL, video: i % 2 === 0, takesKeys: i % 3 === 0 });
    if (i % 5 > 0) await call.answer(description({ port: far.port, formats: '0' }));
    await Promise.all([call.stop(), call.stop()]);
    await assert.rejects(call.offer(), FaceplateError);
  }
  assert.deepEqual([factory.size, clock.pending, page.connections.size], [0, 0, 0]);
  await until(() => sockets() <= before, 'closed sockets');
  await factory.stop();
  await factory.stop();
  await assert.rejects(factory.open(CALL), /stopping/);
});
