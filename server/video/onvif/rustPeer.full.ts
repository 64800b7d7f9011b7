import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { runProgram } from '../../testing/python.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import { namedCameraUrl } from '../rtsp/cameraUrl.ts';
import { openAccess } from '../testing/openAccess.ts';
import { CameraEvents } from './events.ts';
import { OnvifCameras } from './service.ts';

/** The smallest camera of crates.io's onvif-server, with events. It has no Renew, and tells subscriptions apart by a header. */
const RUST_CAMERA = `
use async_trait::async_trait;
use onvif_server::{DeviceInfo, DeviceService, EventService, MediaService, OnvifError, OnvifServer};

#[derive(Clone)]
struct Camera;

#[async_trait]
impl DeviceService for Camera {
    async fn get_device_information(&self) -> Result<DeviceInfo, OnvifError> {
        let text = || "peer".to_string();
        Ok(DeviceInfo { manufacturer: text(), model: text(), firmware_version: text(), serial_number: text(), hardware_id: text() })
    }
}

#[async_trait]
impl MediaService for Camera {
    async fn get_stream_uri(&self, _profile: &str) -> Result<String, OnvifError> {
        Ok("rtsp://10.9.8.7:8554/stream".to_string())
    }
}

impl EventService for Camera {}

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).unwrap().parse().unwrap();
    OnvifServer::builder().port(port).advertised_host("127.0.0.1").auth("panel", "s3cret")
        .device_service(Camera).media_service(Camera).event_service(Camera)
        .build().unwrap().run().await.unwrap();
}
`;

const MANIFEST = `
[package]
name = "peer"
version = "0.1.0"
edition = "2021"
[dependencies]
onvif-server = "=0.1.1"
async-trait = "0.1"
tokio = { version = "1", features = ["full"] }
`;

/** Builds it once for this machine, outside the repository. @returns undefined where there is no cargo that can */
async function buildPeer(): Promise<string | undefined> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'faceplate-bench');
  const sum = createHash('sha256').update(MANIFEST).update(RUST_CAMERA).digest('hex');
  const path = join(cache, `onvif-server-${sum.slice(0, 12)}`);
  if (existsSync(path)) return path;
  const found = await runProgram('/', 'cargo', ['--version']).catch(() => ({ out: '' }));
  const [, minor = '0'] = /^cargo 1\.(\d+)/.exec(found.out) ?? [];
  if (Number(minor) < 85) return undefined;
  const folder = temporaryFolder('rust');
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'Cargo.toml'), MANIFEST);
  await writeFile(join(folder, 'src/main.rs'), RUST_CAMERA);
  const { code, output } = await runProgram(folder, 'cargo', ['build', '--quiet']);
  assert.equal(code, 0, output);
  await mkdir(cache, { recursive: true });
  await copyFile(join(folder, 'target/debug/peer'), path);
  return path;
}

/** Passes calls on to a port, with its own in the answers. @returns its port, and the calls with their status */
async function relayTo(t: TestContext, port: number): Promise<{ port: number; calls: string[] }> {
  const calls: string[] = [];
  const relay = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
      method: 'POST',
      headers: { 'Content-Type': request.headers['content-type']! },
      body,
    });
    calls.push(`${/Body><\w+:(\w+)/.exec(body)?.[1]} ${answer.status}`);
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type')! });
    response.end((await answer.text()).replaceAll(`:${port}/`, `:${own}/`));
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.after(() => {
    relay.closeAllConnections();
    relay.close();
  });
  const own = (relay.address() as AddressInfo).port;
  return { port: own, calls };
}

test('should subscribe to the events of crates.io onvif-server', { timeout: 900_000 }, async (t) => {
  const program = await buildPeer();
  if (program === undefined) return t.skip('needs cargo of Rust 1.85 or newer');
  const port = await freeTcpPort();
  const peer = spawn(program, [String(port)], { stdio: 'ignore' });
  const ended = once(peer, 'exit');
  const { port: relayed, calls } = await relayTo(t, port);
  const clock = Object.assign(new FakeClock(), { wall: () => Date.now() });
  const onvif = new OnvifCameras({ access: openAccess, clock, log: silentLogger() });
  const camera: NamedCamera = {
    name: 'Yard',
    url: `onvif://127.0.0.1:${relayed}/`,
    talk: 'auto',
    talkBytes: 160,
    login: { user: 'panel', password: 's3cret' },
    events: ['motion'],
  };
  const events = new CameraEvents({
    cameras: () => [camera],
    urlOf: (one) => namedCameraUrl(one, []),
    onvif,
    emit: () => {},
    clock,
    log: silentLogger(),
  });
  t.after(async () => {
    await events.stop();
    await onvif.stop();
    peer.kill();
    await ended;
  });
  await until(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null, 'the peer');
  const described = await onvif.describe(namedCameraUrl(camera, []), AbortSignal.timeout(20_000));
  assert.deepEqual(
    described.profiles.map(({ codec, width, height, url }) => [codec, width, height, url]),
    [['H264', 1920, 1080, 'rtsp://127.0.0.1:8554/stream']],
  );
  await events.start();
  const count = (call: string) => calls.filter((one) => one === call).length;
  for (let seconds = 0; seconds < 200 && count('CreatePullPointSubscription 200') < 3; seconds++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // It grants a minute; half of it is over for each of the first two.
  assert.equal(count('CreatePullPointSubscription 200'), 3);
  assert.ok(count('PullMessages 200') > 20, calls.join());
  // It has no Renew, and knows Unsubscribe in another namespace than the standard's.
  assert.deepEqual(
    new Set(calls.filter((one) => !one.endsWith(' 200'))),
    new Set(['GetSnapshotUri 500', 'GetAudioOutputs 500', 'Renew 500', 'Unsubscribe 500']),
  );
});
