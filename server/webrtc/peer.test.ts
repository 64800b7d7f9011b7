import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { classes, Message, methods, parseMessage } from 'werift';
import { letPass, timeToGoWrong, until } from '../testing/waiting.ts';
import { corpusOf } from '../video/testing/corpus.ts';
import { WeriftViewer } from '../video/testing/weriftViewer.ts';
import { createCertificate, type DtlsCertificate } from './dtls/dtls.ts';
import { LoopbackSocket, type Path } from './ice/loopbackSocket.ts';
import { chooseH264, parseOffer } from './offer.ts';
import { WebRtcPeer } from './peer.ts';
import { PLAYOUT_DELAY } from './rtp/rtpPacket.ts';

/** Drops every tenth SRTP packet the first time it is sent, and counts what goes out. */
class LossySocket extends LoopbackSocket {
  #count = 0;
  dropped = 0;

  override sendMedia(datagram: Buffer, path: Path, endsPicture: boolean): void {
    if (++this.#count % 10 === 0 && this.dropped < 10) this.dropped++;
    else super.sendMedia(datagram, path, endsPicture);
  }
}

interface Connected {
  readonly peer: WebRtcPeer;
  readonly viewer: WeriftViewer;
  readonly answer: string;
  readonly closed: string[];
}

async function startSocket<S extends LoopbackSocket>(t: TestContext, socket: S): Promise<S> {
  await socket.start();
  t.after(() => socket.stop());
  return socket;
}

async function connect(
  t: TestContext,
  socket: LoopbackSocket,
  certificate: DtlsCertificate,
  prepare: (viewer: WeriftViewer) => void = () => {},
): Promise<Connected> {
  const viewer = new WeriftViewer(false);
  t.after(() => viewer.close());
  const offer = parseOffer(await viewer.offer());
  prepare(viewer);
  const closed: string[] = [];
  const peer = new WebRtcPeer({
    socket,
    certificate,
    offer,
    video: chooseH264(offer.media[offer.videoIndex]!, undefined),
    audio: undefined,
    events: {
      onReady: () => {},
      onKeyFrameWanted: () => {},
      onOverrun: () => {},
      onClosed: (reason) => closed.push(reason),
    },
  });
  t.after(() => peer.connection.close());
  const answer = peer.open();
  await viewer.accept(answer);
  await until(() => peer.connection.isReady, 'the connection');
  return { peer, viewer, answer, closed };
}

test('should send lost packets again when the viewer asks for them', async (t) => {
  const socket = await startSocket(t, new LossySocket());
  const { peer, viewer } = await connect(t, socket, await createCertificate());
  for (let i = 0; i < 100; i++) {
    const payload = Buffer.concat([Buffer.from([0x41, 0x9a]), Buffer.alloc(500, i)]);
    peer.connection.sendMedia('video', i * 3_600, true, payload);
    await letPass(2);
  }
  assert.equal(socket.dropped, 10);
  await until(() => viewer.received.video.length >= 99, 'the lost packets');
  const contents = new Set(viewer.received.video.map((packet) => packet.payload[2]));
  assert.ok(contents.size >= 99, `only ${contents.size} of 100 arrived`);
});

test('should send to a viewer that knows nothing better than AES-128-CM, and hear it', async (t) => {
  const socket = await startSocket(t, new LossySocket());
  const prepare = (viewer: WeriftViewer): void => viewer.knowAesCmOnly();
  const { peer, viewer } = await connect(t, socket, await createCertificate(), prepare);
  for (let i = 0; i < 25; i++) {
    peer.connection.sendMedia(
      'video',
      i * 3_600,
      true,
      Buffer.concat([Buffer.from([0x41, i]), Buffer.alloc(500 + i, i)]),
    );
    await letPass(2);
  }
  assert.equal(socket.dropped, 2);
  // Two of them were asked for again, by its reports.
  // On a busy machine it asks twice for one, and gets it twice.
  const numbers = () => new Set(viewer.received.video.map(({ payload }) => payload[1]));
  await until(() => numbers().size === 25, 'all packets');
  for (const { payload } of viewer.received.video) {
    const [, i = 0] = payload;
    assert.ok(payload.equals(Buffer.concat([Buffer.from([0x41, i]), Buffer.alloc(500 + i, i)])));
  }
});

test('security: should not end a connection for an alert that the viewer did not encrypt', async (t) => {
  const socket = await startSocket(t, new LoopbackSocket());
  const { peer, closed } = await connect(t, socket, await createCertificate());
  // close_notify, DTLS 1.2, epoch 0: any program could have written it.
  peer.connection.onDtls(Buffer.from('15fefd000000000000000900020100', 'hex'));
  // The same with the epoch of encrypted records; a warning; and a record of an unknown type.
  for (const record of [
    '15fefd000100000000000900020200',
    '15fefd000100000000000900020100',
    '18fefd0001000000000009000100',
  ])
    peer.connection.onDtls(Buffer.from(record, 'hex'));
  peer.connection.onDtls(Buffer.from('16fefd0000', 'hex'));
  peer.connection.onDtls(Buffer.from([20]));
  assert.deepEqual([peer.connection.isReady, closed], [true, []]);
});

test('security: should not take forged RTCP as a sign of life', async (t) => {
  const socket = await startSocket(t, new LoopbackSocket());
  const { peer } = await connect(t, socket, await createCertificate());
  // Time passes, so that a new sign of life would show.
  await letPass(20);
  const before = peer.connection.heardAt;
  const forged = Buffer.alloc(64, 1);
  forged[0] = 0x80;
  forged[1] = 201;
  peer.connection.onSrtcp(forged);
  peer.connection.onSrtcp(forged.subarray(0, 3));
  assert.equal(peer.connection.heardAt, before);
  assert.equal(peer.reportedLost, 0);
});

test('should survive any datagram, encrypted for it or not', async (t) => {
  const socket = await startSocket(t, new LoopbackSocket());
  const { peer, closed } = await connect(t, socket, await createCertificate());
  // Encrypted like the viewer's reports, so that the changed bytes get as far as possible.
  const report = Buffer.from('80c90001000000017fe0b0c0d0e0f00011223344556677888000000100112233', 'hex');
  const datagram = fc.oneof(
    fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.nat(report.length - 1), fc.nat(255)).map(([at, byte]) => {
      const changed = Buffer.from(report);
      changed[at] = byte;
      return changed;
    }),
    // DTLS records with broken contents.
    fc
      .tuple(fc.integer({ min: 20, max: 63 }), fc.nat(1), fc.uint8Array({ maxLength: 80 }))
      .map(([type, epoch, body]) =>
        Buffer.concat([
          Buffer.from([type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 9, 0, body.length]),
          Buffer.from(body),
        ]),
      ),
  );
  for (const { data } of corpusOf('srtcp')) peer.connection.onSrtcp(data);
  fc.assert(
    fc.property(datagram, (data) => {
      peer.connection.onSrtcp(data);
      peer.connection.onDtls(data);
    }),
    { numRuns: 1_000 },
  );
  await timeToGoWrong(50);
  assert.deepEqual([peer.connection.isReady, closed], [true, []]);
});

test('security: should answer connectivity checks with the right password only', async (t) => {
  const socket = await startSocket(t, new LoopbackSocket());
  const { peer } = await connect(t, socket, await createCertificate());
  const stranger = createSocket('udp4');
  stranger.bind(0, '127.0.0.1');
  await once(stranger, 'listening');
  t.after(() => stranger.close());
  const answers: Buffer[] = [];
  stranger.on('message', (data) => answers.push(data));
  const ask = (username: string, password: string): void => {
    const request = new Message(methods.BINDING, classes.REQUEST).setAttribute('USERNAME', username);
    stranger.send(
      request.addMessageIntegrity(Buffer.from(password)).addFingerprint().bytes,
      socket.port,
      '127.0.0.1',
    );
  };
  const right = `${peer.connection.localUfrag}:${peer.connection.remoteUfrag}`;
  ask(right, 'guessed');
  ask(`${peer.connection.localUfrag}:other`, peer.connection.localPassword);
  ask('nobody:here', peer.connection.localPassword);
  stranger.send(Buffer.from([0x16, 1, 2]), socket.port, '127.0.0.1');
  ask(right, peer.connection.localPassword);
  await until(() => answers.length > 0);
  assert.equal(answers.length, 1);
  assert.ok(parseMessage(answers[0]!, Buffer.from(peer.connection.localPassword)) !== undefined);
});

test('should say goodbye once, then leave the socket and send nothing more', async (t) => {
  const sent: Buffer[] = [];
  const socket = await startSocket(
    t,
    new (class extends LoopbackSocket {
      override send(datagram: Buffer, path: Path): void {
        sent.push(Buffer.from(datagram));
        super.send(datagram, path);
      }
    })(),
  );
  const { peer, viewer, closed } = await connect(t, socket, await createCertificate());
  assert.equal(socket.size, 1);
  sent.length = 0;
  peer.connection.sayGoodbye();
  peer.connection.close();
  peer.connection.sayGoodbye();
  peer.connection.close();
  peer.connection.sendMedia('video', 0, true, Buffer.alloc(100, 0x41));
  // An alert of DTLS 1.2 in the epoch of encrypted records: eight bytes of nonce, two of alert, sixteen of tag.
  assert.deepEqual(
    sent.map((datagram) => [datagram.toString('hex', 0, 5), datagram.readUInt16BE(11), datagram.length]),
    [['15fefd0001', 26, 39]],
  );
  await until(() => viewer.hasHeardGoodbye, 'the goodbye at the viewer');
  await timeToGoWrong(50);
  assert.equal(socket.size, 0);
  assert.deepEqual([viewer.received.video.length, closed.length, sent.length], [0, 0, 1]);
});

test('should send no goodbye to a viewer that never connected', async (t) => {
  const socket = await startSocket(t, new LoopbackSocket());
  const viewer = new WeriftViewer(false);
  t.after(() => viewer.close());
  const offer = parseOffer(await viewer.offer());
  const peer = new WebRtcPeer({
    socket,
    certificate: await createCertificate(),
    offer,
    video: chooseH264(offer.media[offer.videoIndex]!, undefined),
    audio: undefined,
    events: { onReady() {}, onKeyFrameWanted() {}, onOverrun() {}, onClosed() {} },
  });
  peer.open();
  peer.connection.sayGoodbye();
  peer.connection.close();
  assert.equal(socket.size, 0);
});

test('should have pictures shown at once where the browser offers that, and none must wait for sound', async () => {
  const viewer = new WeriftViewer();
  const sdp = (await viewer.offer()).replaceAll('\r\nm=', `\r\na=extmap:9 ${PLAYOUT_DELAY}\r\nm=`);
  await viewer.close();
  const offer = parseOffer(`${sdp}a=extmap:9 ${PLAYOUT_DELAY}\r\n`);
  const certificate = await createCertificate();
  const [video, sound] = [offer.videoIndex, offer.audioIndex!].map((index) => offer.media[index]!);
  const events = { onReady() {}, onKeyFrameWanted() {}, onOverrun() {}, onClosed() {} };
  const extensionsOf = (audio: boolean, talk: boolean): string[] => {
    const socket = new LoopbackSocket();
    const peer = new WebRtcPeer({
      socket,
      certificate,
      offer,
      video: chooseH264(video!, undefined),
      audio: audio ? sound!.formats[0] : undefined,
      talk: talk ? sound!.formats[0] : undefined,
      events,
    });
    const answer = peer.open();
    peer.connection.close();
    return answer.split('\r\n').filter((line) => line.startsWith('a=extmap'));
  };
  assert.deepEqual(extensionsOf(false, false), [`a=extmap:9 ${PLAYOUT_DELAY}`]);
  assert.deepEqual([extensionsOf(true, false), extensionsOf(false, true)], [[], []]);
});
