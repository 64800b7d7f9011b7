import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { until } from '../../testing/waiting.ts';
import { WeriftViewer } from '../../video/testing/weriftViewer.ts';
import { CALL, description, RemoteParty, startFactory } from '../testing/media/remoteParty.ts';

test('should carry sound both ways with its own numbers', async (t) => {
  const { factory, page } = await startFactory(t);
  const far = await RemoteParty.open(t);
  const call = await factory.open(CALL);
  const answer = await call.answer(description({ port: far.port, formats: '8 0' }));
  assert.match(answer, /^m=audio \d+ RTP\/AVP 8\r$/m);
  far.aimAt(answer);
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const connection = page.latest;
  for (let i = 0; i < 5; i++) far.send(8, 160 * i, Buffer.alloc(160, i));
  await until(() => connection.received.audio.length === 5, 'sound in the page');
  const heard = connection.received.audio;
  assert.deepEqual(
    heard.map(({ payload }) => payload[0]),
    [0, 1, 2, 3, 4],
  );
  assert.deepEqual(
    heard.map(({ header }) => (header.timestamp - heard[0]!.header.timestamp) >>> 0),
    [0, 160, 320, 480, 640],
  );
  assert.equal(heard[0]!.header.payloadType, 8);

  connection.send('audio', 5_000, Buffer.alloc(160, 0x11));
  connection.send('audio', 5_160, Buffer.alloc(160, 0x12));
  const spoken = (): typeof far.received => far.received.filter(({ payload }) => payload[0]! >> 4 === 1);
  await until(() => spoken().length === 2, 'sound at the remote party');
  const [first, second] = spoken();
  assert.deepEqual([first!.payloadType, second!.timestamp - first!.timestamp], [8, 160]);
  assert.ok(far.received.every(({ ssrc }) => ssrc === first!.ssrc));
  await call.stop();
  assert.equal(page.connections.size, 0);
  assert.equal(factory.size, 0);
});

test('should let the page connect before its answer has arrived', async (t) => {
  const { factory, page } = await startFactory(t);
  const far = await RemoteParty.open(t);
  const connect = page.connect.bind(page);
  page.connect = async (offer) => {
    const answer = await connect(offer);
    await until(() => page.latest.hasPath, 'the path to the panel');
    return answer;
  };
  const call = await factory.open(CALL);
  await call.answer(description({ port: far.port, formats: '0' }));
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  await call.stop();
  assert.equal(factory.size, 0);
});

test('should carry H.264 both ways, with the parameter sets of the description before key frames', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, farVideo] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  const sets = `${SPS.toString('base64')},${PPS.toString('base64')}`;
  const answer = await call.answer(
    description(
      { port: far.port, formats: '0' },
      {
        port: farVideo.port,
        formats: '96 97',
        lines: [
          `a=rtcp:${farVideo.rtcpPort}`,
          'a=rtpmap:96 H264/90000',
          'a=fmtp:96 profile-level-id=42c01e',
          'a=rtpmap:97 H264/90000',
          `a=fmtp:97 profile-level-id=42c01e;packetization-mode=1;sprop-parameter-sets=${sets}`,
          'a=rtcp-fb:97 nack pli',
        ],
      },
    ),
  );
  assert.match(answer, /^m=video \d+ RTP\/AVP 97\r$/m);
  assert.match(answer, /profile-level-id=42c01e;packetization-mode=1/);
  assert.equal(call.hasVideo, true);
  farVideo.aimAt(answer, 'video');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const connection = page.latest;
  assert.match(connection.offers[0]!, /packetization-mode=1/);
  // The first key frame is usually gone by then, so the panel requests another.
  await until(
    () => farVideo.rtcp.some((data) => data.includes(Buffer.from([0x81, 206]))),
    'PLI at the remote party',
  );
  const idr = idrSlice();
  farVideo.send(97, 90_000, idr, { marker: true });
  farVideo.send(97, 93_000, deltaSlice(), { marker: true });
  await until(() => connection.received.video.length === 3, 'the picture in the page');
  const types = connection.received.video.map(({ payload }) => payload[0]! & 0x1f);
  assert.deepEqual(types, [24, 5, 1]);
  assert.ok(connection.received.video[0]!.payload.includes(SPS));

  connection.send('video', 1_000, idr, true);
  await until(() => farVideo.received.length === 1, 'the picture at the remote party');
  assert.deepEqual([farVideo.received[0]!.payloadType, farVideo.received[0]!.marker], [97, true]);
  assert.ok(farVideo.received[0]!.payload.equals(idr));
  const pli = Buffer.from('80c900011111111181ce00021111111100000000', 'hex');
  pli.writeUInt32BE(farVideo.received[0]!.ssrc, 16);
  const before = connection.keyFramesWanted;
  await until(() => {
    farVideo.sendRtcp(pli);
    return connection.keyFramesWanted > before;
  }, 'PLI in the page');
});

test('should show a late page the picture since the last key frame', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  page.isMissing = true;
  const call = await factory.open({ ...CALL, video: true });
  const lines = ['a=rtpmap:96 H264/90000', 'a=fmtp:96 packetization-mode=1'];
  const answer = await call.answer(
    description({ port: far.port, formats: '0' }, { port: video.port, formats: '96', lines }),
  );
  far.aimAt(answer);
  video.aimAt(answer, 'video');
  for (const [index, payload] of [SPS, PPS, idrSlice(), deltaSlice(31)].entries()) {
    video.send(96, index < 3 ? 3_000 : 6_000, payload, { marker: index > 1 });
  }
  page.isMissing = false;
  factory.resetPage();
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const { received } = page.latest;
  await until(() => received.video.length >= 3, 'what came before');
  video.send(96, 9_000, deltaSlice(32), { marker: true });
  await until(() => received.video.at(-1)!.payload.equals(deltaSlice(32)), 'what comes now');
  assert.deepEqual(
    received.video.map(({ payload }) => payload[0]! & 0x1f),
    [24, 5, 1, 1],
  );
  const [first, , third, last] = received.video.map(({ header }) => header.timestamp);
  assert.deepEqual([(third! - first!) >>> 0, (last! - first!) >>> 0], [3_000, 6_000]);
});

test('should recognise a remote party by the address behind its name', async (t) => {
  const { factory, page } = await startFactory(t);
  const far = await RemoteParty.open(t);
  const call = await factory.open({ ...CALL, peerHost: 'localhost' });
  far.aimAt(await call.answer(description({ port: far.port, formats: '0' })));
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  far.send(0, 0, Buffer.alloc(160, 1));
  await until(() => page.latest.received.audio.length === 1, 'sound in the page');
});

test('security: should survive any media from the remote party and the page', async (t) => {
  const { factory, page } = await startFactory(t);
  const [far, video] = [await RemoteParty.open(t), await RemoteParty.open(t)];
  const call = await factory.open({ ...CALL, video: true });
  const events = ['a=rtpmap:101 telephone-event/8000'];
  const answer = await call.answer(
    description(
      { port: far.port, formats: '0 101', lines: events },
      {
        port: video.port,
        formats: '96',
        lines: ['a=rtpmap:96 H264/90000', 'a=fmtp:96 packetization-mode=1'],
      },
    ),
  );
  far.aimAt(answer);
  video.aimAt(answer, 'video');
  await until(() => page.connections.size === 1 && page.latest.isConnected, 'the page');
  const viewer = new WeriftViewer();
  t.after(() => viewer.close());
  await viewer.accept(await call.showVideo('remote', await viewer.offer()));
  const bytes = fc.uint8Array({ maxLength: 1_800 }).map((data) => Buffer.from(data));
  // NAL unit types that are inspected, and headers with extensions, CSRCs and padding.
  const nal = fc
    .tuple(fc.constantFrom(0, 1, 5, 7, 8, 24, 25, 28, 29), fc.uint8Array({ maxLength: 1_800 }))
    .map(([type, data]) => Buffer.concat([Buffer.from([0x60 | type]), data]));
  for (const [index, payload] of fc.sample(fc.oneof(nal, bytes), 400).entries()) {
    const sequence = index % 7 === 0 ? index * 911 : index;
    video.send(96, index * 3_000, payload, { sequence, ssrc: index % 50 === 0 ? index : 1 });
    far.send(index % 2 === 0 ? 0 : 101, index * 160, payload, { sequence });
    for (const end of [far, video]) {
      end.sendRaw(Buffer.concat([Buffer.from([0x80 | (index % 64)]), payload]));
      end.sendRtcp(Buffer.concat([Buffer.from([0x80, 200 + (index % 7)]), payload]));
    }
    page.latest.send('video', index * 3_000, payload.subarray(0, 1_200));
    page.latest.send('audio', index * 160, payload.subarray(0, 1_200));
    if (index % 20 === 0) await new Promise(setImmediate);
  }
  await until(() => {
    far.send(0, 100_000, Buffer.alloc(160, 77));
    return page.latest.received.audio.some(({ payload }) => payload[0] === 77 && payload.length === 160);
  }, 'sound in the page');
});
