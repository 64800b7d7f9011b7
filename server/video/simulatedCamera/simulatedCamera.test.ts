import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../../testing/waiting.ts';
import { FastClock } from '../testing/fastClock.ts';
import { RtspTestClient } from '../testing/rtspTestClient.ts';
import { SimulatedCamera } from './simulatedCamera.ts';

describe('SimulatedCamera', { timeout: 60_000 }, () => {
  let clock: FastClock;
  let camera: SimulatedCamera;
  let url: string;
  let clients: RtspTestClient[];

  beforeEach(async () => {
    clock = new FastClock();
    camera = new SimulatedCamera({ clock });
    url = await camera.start();
    clients = [];
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await camera.stop();
  });

  async function open(): Promise<RtspTestClient> {
    const client = await RtspTestClient.open(url);
    clients.push(client);
    return client;
  }

  /** A client that never ends its side. */
  async function openHalf(text: string) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  it('security: should end a connection whose client never ends it', async () => {
    const socket = await openHalf('GET / HTTP/1.1\r\n\r\n');
    await once(socket, 'end');
    await until(() => camera.clients === 0, 'no client');
    socket.destroy();
  });

  it('security: should close the 65th connection at once', async () => {
    const sockets = await Promise.all(Array.from({ length: 64 }, () => openHalf('')));
    await until(() => camera.clients === 64);
    const one = await openHalf('');
    await once(one, 'end');
    assert.equal(camera.clients, 64);
    for (const socket of [...sockets, one]) socket.destroy();
    await until(() => camera.clients === 0);
  });

  it('should offer itself on 127.0.0.1 at /demo', () => {
    assert.match(url, /^rtsp:\/\/127\.0\.0\.1:\d+\/demo$/);
    assert.equal(camera.url, url);
  });

  it('should describe its stream with profile and parameter sets', async () => {
    const client = await open();
    const answer = await client.request('DESCRIBE', url, { Accept: 'application/sdp' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/sdp');
    assert.equal(answer.headers.get('content-base'), `${url}/`);
    assert.match(answer.body, /^m=video 0 RTP\/AVP 96\r$/m);
    assert.match(answer.body, /^a=rtpmap:96 H264\/90000\r$/m);
    const fmtp = /packetization-mode=1;profile-level-id=42c01f;sprop-parameter-sets=(\S+),(\S+)/.exec(
      answer.body,
    );
    assert.equal(Buffer.from(fmtp![1]!, 'base64')[0], 0x67);
    assert.equal(Buffer.from(fmtp![2]!, 'base64')[0], 0x68);
  });

  it('should name its methods, and answer the keep-alive of a playing client', async () => {
    const client = await open();
    const options = await client.request('OPTIONS', '*');
    assert.equal(options.headers.get('public'), 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN');
    const play = await client.play(url);
    const alive = await client.request('GET_PARAMETER', url, { Session: play.headers.get('session')! });
    assert.equal(alive.status, 200);
    assert.equal(alive.headers.get('session'), play.headers.get('session'));
  });

  it('should send gapless packets whose time runs on over the loop, parameter sets before every key frame', async () => {
    const client = await open();
    const play = await client.play(url);
    const pictures = () =>
      client.packets.filter(({ channel, data }) => channel === 0 && data[1]! >= 0x80).length;
    await client.until(() => pictures() > 300);

    const rtp = client.packets.filter(({ channel }) => channel === 0).map(({ data }) => data);
    const info = /seq=(\d+);rtptime=(\d+)/.exec(play.headers.get('rtp-info')!)!;
    let expectedTime = Number(info[2]);
    let beforeKey: number[] = [];
    let keyframes = 0;
    rtp.forEach((packet, index) => {
      assert.equal(packet.readUInt16BE(2), (Number(info[1]) + index) & 0xffff);
      assert.equal(packet.readUInt32BE(4), expectedTime);
      assert.ok(packet.length <= 1212);
      const type = packet[12]! & 31;
      const isKeyStart = type === 5 || (type === 28 && packet[13] === 0x85);
      if (isKeyStart) {
        assert.deepEqual(beforeKey, [7, 8]);
        keyframes++;
      }
      beforeKey = type === 7 || type === 8 ? [...beforeKey, type] : [];
      const endsPicture = (packet[1]! & 0x80) !== 0;
      if (endsPicture) expectedTime = (expectedTime + 3600) >>> 0;
    });
    assert.ok(keyframes >= 12, `${keyframes} keyframes`);
  });

  it('should send a sender report with the first picture and then every 5 s', async () => {
    const client = await open();
    await client.play(url);
    const reports = () => client.packets.filter(({ channel }) => channel === 1).map(({ data }) => data);
    await client.until(() => reports().length >= 3);
    assert.equal(client.packets[0]!.channel, 1);
    const times = reports().map((report) => report.readUInt32BE(16));
    for (const [before, after] of [times.slice(0, 2), times.slice(1, 3)]) {
      const seconds = ((after! - before!) >>> 0) / 90_000;
      assert.ok(seconds >= 5 && seconds < 10, `${seconds} s`);
    }
  });

  it('should play to several clients, each from a key frame on', async () => {
    const [first, second] = [await open(), await open()];
    await first.play(url);
    await first.until(() => first.packets.length > 30);
    await second.play(url);
    await second.until(() => second.packets.length > 30);
    assert.equal(camera.clients, 2);
    assert.equal(second.packets.find(({ channel }) => channel === 0)!.data[12]! & 31, 7);
  });

  it('should refuse what it does not have with the RTSP status for it', async () => {
    const client = await open();
    const status = async (method: string, uri: string, headers?: Record<string, string>) =>
      (await client.request(method, uri, headers)).status;
    const track = `${url}/trackID=0`;
    const base = url.replace('/demo', '');
    assert.equal(await status('DESCRIBE', `${base}/other`), 404);
    assert.equal(await status('SETUP', url, { Transport: 'RTP/AVP/TCP;interleaved=0-1' }), 404);
    assert.equal(await status('PLAY', `${base}/other`), 404);
    assert.equal(await status('DESCRIBE', 'http://127.0.0.1/demo'), 400);
    assert.equal(await status('SETUP', track, { Transport: 'RTP/AVP;unicast;client_port=5000-5001' }), 461);
    assert.equal(await status('SETUP', track, { Transport: 'RTP/AVP/TCP;interleaved=300-301' }), 461);
    assert.equal(await status('SETUP', track), 461);
    assert.equal(await status('PLAY', url), 454);
    assert.equal(await status('PLAY', url, { Session: 'wrong' }), 454);
    assert.equal(await status('TEARDOWN', url), 454);
    assert.equal(await status('GET_PARAMETER', url, { Session: 'wrong' }), 454);
    assert.equal(await status('RECORD', url), 501);
    assert.equal(await status('OPTIONS', url), 200, 'the connection goes on');
  });

  it('should choose the first transport inside the connection from a list, on the requested channels', async () => {
    const client = await open();
    const answer = await client.request('SETUP', `${url}/trackID=0`, {
      Transport: 'RTP/AVP;unicast;client_port=5000-5001,RTP/AVP/TCP;unicast;interleaved=6-9',
    });
    assert.match(answer.headers.get('transport')!, /^RTP\/AVP\/TCP;unicast;interleaved=6-9;/);
    await client.request('PLAY', url, { Session: answer.headers.get('session')!.split(';')[0]! });
    await client.until(() => client.packets.length > 5);
    assert.deepEqual(new Set(client.packets.map(({ channel }) => channel)), new Set([6, 9]));
  });

  it('should not change the transport of a stream that plays', async () => {
    const client = await open();
    await client.play(url);
    const answer = await client.request('SETUP', `${url}/trackID=0`, { Transport: 'RTP/AVP/TCP' });
    assert.equal(answer.status, 455);
  });

  it('should answer 400 to anything but RTSP (such as a browser), close, and keep serving the others', async () => {
    const other = await open();
    await other.play(url);
    const client = await open();
    const answer = await client.raw('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    assert.equal(answer.status, 400);
    await client.untilClosed();
    const before = other.packets.length;
    await other.until(() => other.packets.length > before + 10);
  });

  it('should do nothing while nobody plays', async () => {
    const client = await open();
    assert.equal(clock.pending, 0, 'connected only');
    const play = await client.play(url);
    await client.until(() => client.packets.length > 0);
    assert.equal(clock.pending, 1, 'playing');
    await client.request('TEARDOWN', url, { Session: play.headers.get('session')! });
    assert.equal(clock.pending, 0, 'after TEARDOWN');
    const after = client.packets.length;
    await client.request('OPTIONS', url);
    assert.equal(client.packets.length, after);
  });

  it('should drop a client that vanishes while it plays', async () => {
    const client = await open();
    await client.play(url);
    await client.until(() => client.packets.length > 0);
    client.close();
    await until(() => camera.clients === 0, 'the client to be gone');
    assert.equal(clock.pending, 0);
  });

  it('should leave nothing behind when it stops', async () => {
    const client = await open();
    await client.play(url);
    await camera.stop();
    await camera.stop();
    await client.untilClosed();
    assert.equal(clock.pending, 0);
    assert.equal(camera.clients, 0);
    assert.equal(camera.url, null);
    const probe = connect(Number(new URL(url).port), '127.0.0.1');
    const [error] = await once(probe, 'error');
    assert.equal(error.code, 'ECONNREFUSED');
  });

  it('should stop before and during its start, and start again', async () => {
    const fresh = new SimulatedCamera();
    await fresh.stop();
    const starting = fresh.start();
    await fresh.stop();
    await starting;
    assert.equal(fresh.url, null);
    assert.equal(await fresh.start(), fresh.url);
    await fresh.stop();
  });

  it('should say so when its clip cannot be read', async () => {
    const broken = new SimulatedCamera({ clipFile: import.meta.filename });
    await assert.rejects(broken.start(), /no H\.264 byte stream/);
    await broken.stop();
  });
});
