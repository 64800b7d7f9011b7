import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  H264_SDP,
  rtpPacket,
  type ScriptedCamera,
  type ScriptedReply,
  type ScriptedRequest,
  usualReply,
} from '../../testing/scriptedCamera.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { openAccess } from '../testing/openAccess.ts';
import { clientFor, fails, startCamera } from '../testing/rtspClient.ts';
import { CameraHabits } from './habits.ts';

/** Long enough for the answers of a busy machine. */
const SHORT_MS = 1_000;
const SOUND = 'm=audio 0 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\na=control:trackID=1\r\n';

/** As a camera answers, but for the methods of the table. */
const reply =
  (answers: Record<string, (request: ScriptedRequest) => ScriptedReply>, sdp = H264_SDP) =>
  (request: ScriptedRequest): ScriptedReply =>
    answers[request.method] === undefined ? usualReply(request, sdp) : answers[request.method]!(request);

const challenge = (algorithm: string, nonce = 'n') =>
  `WWW-Authenticate: Digest realm="r", nonce="${nonce}", algorithm="${algorithm}", stale="FALSE"`;

test('should play a camera that does not answer OPTIONS, and not ask it again', async (t) => {
  const camera = await startCamera(t, reply({ OPTIONS: () => undefined }));
  const access = { ...openAccess, habits: new CameraHabits() };
  for (const methods of [
    ['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY'],
    ['DESCRIBE', 'SETUP', 'PLAY'],
  ]) {
    camera.requests.length = 0;
    const { client } = clientFor(t, camera.url(), SHORT_MS, access);
    await client.play((await client.describe()).media);
    assert.deepEqual(camera.methods(), methods);
    assert.deepEqual([...client.findings], ['noOptions']);
    await client.close();
  }
});

test('should play a camera that closes the connection at OPTIONS', async (t) => {
  const camera: ScriptedCamera = await startCamera(
    t,
    reply({
      OPTIONS: () => {
        camera.hangUp();
        return undefined;
      },
    }),
  );
  const { client } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  assert.deepEqual([camera.connections.all, [...client.findings]], [2, ['noOptions']]);
});

test('should name the methods of Allow as those of Public', async (t) => {
  const camera = await startCamera(
    t,
    reply({
      OPTIONS: () => ({ status: 200, headers: ['Allow: OPTIONS, GET_PARAMETER'] }),
      SETUP: (request) => ({
        status: 200,
        headers: ['Session: 1;timeout=4', `Transport: ${request.headers.get('transport')}`],
      }),
    }),
  );
  const { client } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  await until(() => camera.methods().includes('GET_PARAMETER'));
  assert.equal(camera.requests[0]!.headers.get('user-agent'), 'Faceplate');
});

for (const header of [[], ['Connection: close']])
  test(`should log in to a camera that closes the connection with its 401 ${header.join()}`, async (t) => {
    const camera: ScriptedCamera = await startCamera(t, (request) => {
      if (request.method === 'OPTIONS' || request.headers.has('authorization')) return usualReply(request);
      setImmediate(() => camera.hangUp());
      return { status: 401, headers: [challenge('MD5'), ...header] };
    });
    const { client, closed } = clientFor(t, camera.url('/live', 'cam:pass'));
    await client.play((await client.describe()).media);
    assert.deepEqual([camera.connections.all, [...client.findings]], [2, ['closesAtLogin']]);
    assert.match(camera.requests.at(-1)!.headers.get('authorization')!, /nonce="n"/);
    assert.deepEqual(closed, []);
  });

test('should end at a camera that closes each connection at the login', async (t) => {
  const camera: ScriptedCamera = await startCamera(t, (request) => {
    if (request.method === 'OPTIONS') return usualReply(request);
    setImmediate(() => camera.hangUp());
    return { status: 401, headers: [challenge('MD5', String(camera.requests.length))] };
  });
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await assert.rejects(client.describe(), fails('CAMERA_UNAUTHORIZED', /401/));
  assert.ok(camera.connections.all <= 4, `${camera.connections.all} connections`);
});

test('should log in to a camera that asks for it from SETUP on', async (t) => {
  const camera = await startCamera(t, (request) =>
    ['SETUP', 'PLAY'].includes(request.method) && !request.headers.has('authorization')
      ? { status: 401, headers: [challenge('MD5')] }
      : usualReply(request),
  );
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await client.play((await client.describe()).media);
  assert.deepEqual(camera.methods(), ['OPTIONS', 'DESCRIBE', 'SETUP', 'SETUP', 'PLAY']);
});

for (const nonce of ['one', 'new'])
  test(`should log in with MD5 where the offered SHA-256 does not work, with ${nonce} nonce`, async (t) => {
    const camera: ScriptedCamera = await startCamera(t, (request) => {
      if (/algorithm=MD5/.test(request.headers.get('authorization') ?? '')) return usualReply(request);
      const value = nonce === 'one' ? 'n' : String(camera.requests.length);
      const headers = [
        challenge('SHA-256', value),
        challenge('MD5', value),
        'WWW-Authenticate: Basic realm="r"',
      ];
      return { status: 401, headers };
    });
    const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
    await client.play((await client.describe()).media);
    assert.deepEqual(camera.methods(), ['OPTIONS', 'OPTIONS', 'OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY']);
    assert.deepEqual([...client.findings], ['weakerLogin']);
  });

test('security: should not send the password in Basic to a camera that refuses its Digest', async (t) => {
  const camera = await startCamera(t, () => ({
    status: 401,
    headers: [challenge('MD5'), 'WWW-Authenticate: Basic realm="r"'],
  }));
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await assert.rejects(client.describe(), fails('CAMERA_UNAUTHORIZED', /401/));
  for (const { headers } of camera.requests) assert.doesNotMatch(headers.get('authorization') ?? '', /Basic/);
});

test('should play the picture of a camera that refuses the sound', async (t) => {
  for (const refusal of [{ status: 404 }, { status: 461 }, undefined]) {
    const camera = await startCamera(
      t,
      reply(
        { SETUP: (request) => (request.uri.endsWith('1') ? refusal : usualReply(request)) },
        H264_SDP + SOUND,
      ),
    );
    const { client, packets } = clientFor(t, camera.url(), SHORT_MS);
    await client.play((await client.describe()).media);
    camera.sendFrame(0, Buffer.from([0x80, 1]));
    await until(() => packets.length === 1);
    assert.deepEqual(
      [client.sends(0), client.sends(1), [...client.findings]],
      [true, false, ['soundRefused']],
    );
    await client.close();
  }
});

test('should play the picture of a camera that closes the connection over the sound', async (t) => {
  const camera: ScriptedCamera = await startCamera(
    t,
    reply(
      {
        SETUP: (request) => {
          if (request.uri.endsWith('0')) return usualReply(request);
          camera.hangUp();
          return undefined;
        },
      },
      H264_SDP + SOUND,
    ),
  );
  const { client, closed } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  assert.deepEqual([client.sends(0), client.sends(1), closed], [true, false, []]);
});

test('should tell two tracks on one channel apart by their payload types', async (t) => {
  const transport = 'Transport: RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=4317f';
  const camera = await startCamera(
    t,
    reply({ SETUP: () => ({ status: 200, headers: ['Session: 1', transport] }) }, H264_SDP + SOUND),
  );
  const { client, packets } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  const video = rtpPacket(1, 1, true, Buffer.from([1]));
  const audio = rtpPacket(1, 1, false, Buffer.from([2]), 8);
  audio.writeUInt32BE(0x99, 8);
  const report = Buffer.from('80c800060000009900000001000000020000000300000004000000ff', 'hex');
  for (const packet of [video, audio]) camera.sendFrame(0, packet);
  camera.sendFrame(1, report);
  camera.sendFrame(2, audio);
  camera.sendFrame(0, rtpPacket(2, 1, true, Buffer.from([3]), 50));
  await until(() => packets.length === 5);
  assert.deepEqual(
    packets.map((text) => text.slice(0, 6).trim()),
    ['rtp 0', 'rtp 1', 'rtcp 1', 'rtp 1', 'rtp 0'],
  );
  assert.ok(client.findings.has('sharedChannel'));
});

test('should take Transport answers in the spellings of cameras', async (t) => {
  for (const answer of [
    'RTP/AVP/TCP;ssrc=22345684;interleaved=0-1',
    'RTP/AVP/TCP;unicast;interleaved=0-1;ssrc= d6d6627',
    'RTP/AVP;unicast;mode=play;interleaved=0-1',
    'RTP/AVP/TCP;unicast',
    'RTP/AVP/TCP;unicast;interleaved="0-1"',
    'RTP/AVP/TCP;unicast;interleaved=0',
  ]) {
    const headers = ['Session: l0TtlUFSR', `Transport: ${answer}`];
    const camera = await startCamera(t, reply({ SETUP: () => ({ status: 200, headers }) }));
    const { client, packets } = clientFor(t, camera.url());
    await client.play((await client.describe()).media);
    camera.sendFrame(0, Buffer.from([0x80, 1]));
    camera.sendFrame(1, Buffer.from([0x80, 200]));
    await until(() => packets.length === 2);
    assert.deepEqual(packets, ['rtp 0 8001', 'rtcp 0 80c8'], answer);
    await client.close();
  }
});

test('should try the other addresses that a track may have', async (t) => {
  const sdp = H264_SDP.replace('trackID=0', '/trackID=0');
  const camera: ScriptedCamera = await startCamera(
    t,
    reply(
      {
        SETUP: (request) => (request.uri.endsWith('/live/trackID=0') ? usualReply(request) : { status: 404 }),
      },
      sdp,
    ),
  );
  const { client } = clientFor(t, camera.url('/live'));
  await client.play((await client.describe()).media);
  assert.deepEqual([...client.findings], ['oddControl']);
});

test('should start a camera that takes no slash at the end of an address, or no range', async (t) => {
  const base = (request: ScriptedRequest): ScriptedReply => ({
    status: 200,
    headers: [`Content-Base: ${request.uri}/`],
    body: H264_SDP,
  });
  for (const PLAY of [
    (request: ScriptedRequest) => (request.uri.endsWith('/') ? { status: 405 } : usualReply(request)),
    (request: ScriptedRequest) => (request.headers.has('range') ? { status: 457 } : usualReply(request)),
  ]) {
    const camera = await startCamera(t, reply({ DESCRIBE: base, PLAY }));
    const { client } = clientFor(t, camera.url('/live'));
    await client.play((await client.describe()).media);
    assert.deepEqual(camera.methods().slice(-2), ['PLAY', 'PLAY']);
  }
});

test('should take a description whose Content-Length is too long', async (t) => {
  const camera = await startCamera(
    t,
    reply({
      DESCRIBE: ({ headers }) =>
        Buffer.from(
          `RTSP/1.0 200 OK\r\nCseq: ${headers.get('cseq')}\r\nContent-Length: ${H264_SDP.length + 2}\r\n\r\n${H264_SDP}`,
        ),
    }),
  );
  const { client } = clientFor(t, camera.url());
  assert.equal((await client.describe()).media.length, 1);
  assert.deepEqual([...client.findings], ['wrongLength']);
});

test('should ignore answers to what was not asked, such as a 400 to a report', async (t) => {
  const camera = await startCamera(t, reply({ SETUP: () => undefined }));
  const { client } = clientFor(t, camera.url());
  const playing = client.describe().then(({ media }) => client.play(media));
  await until(() => camera.methods().includes('SETUP'));
  camera.send('RTSP/1.0 400 Bad Request\r\nCSeq: 0\r\n\r\nRTSP/1.0 500 x\r\nCSeq: 77\r\n\r\n');
  camera.send('rtsp/1.0 200 ok\nCSEQ:3 \nsession:1\n\n');
  await until(() => camera.methods().includes('PLAY'));
  await playing;
});

test('should report what has come on each channel for reports, with the sender', async (t) => {
  const camera = await startCamera(t, reply({}, H264_SDP + SOUND));
  const received: Buffer[] = [];
  let run = (): void => {};
  const clock = {
    now: () => 0,
    after: (ms: number, call: () => void) => {
      if (ms === 5_000) run = call;
      return () => {};
    },
  };
  const { client, packets } = clientFor(t, camera.url(), 5_000, {}, 10_000, clock);
  camera.onFrame = (channel, packet) => received.push(Buffer.concat([Buffer.from([channel]), packet]));
  await client.play((await client.describe()).media);
  camera.sendFrame(0, rtpPacket(65_535, 1, true, Buffer.from([1])));
  camera.sendFrame(0, rtpPacket(0, 1, true, Buffer.from([1])));
  camera.sendFrame(1, Buffer.from('80c8000611223344aaaa0001000200000000000300000004000000ff', 'hex'));
  await until(() => packets.length === 3);
  run();
  await until(() => received.length === 2);
  const [video, audio] = received as [Buffer, Buffer];
  // RFC 3550 section 6.4.2: the sender, the highest sequence number with its cycles, the middle of its NTP time.
  assert.deepEqual(
    [video[0], video[1], video[2], video.readUInt32BE(9), video.readUInt32BE(17), video.readUInt32BE(25)],
    [1, 0x81, 201, 0x11223344, 65_536, 0x00010002],
  );
  // A source description follows (RFC 3550 section 6.1).
  assert.equal(video[34], 202);
  assert.deepEqual([audio[0], audio[1], audio[2]], [3, 0x80, 201]);
  await letPass(0);
});
