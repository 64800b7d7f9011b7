import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '../fixtures.ts';

const VERSION = '1.16.0';
const VIEWER = join(import.meta.dirname, '../peers/aiortcViewer.py');
const WEBRTCBIN = join(import.meta.dirname, '../peers/webrtcbinViewer.py');
/** What pip prints when it cannot reach the packages. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|ConnectTimeoutError|Failed to establish a new connection|Network is unreachable/;

async function run(cwd: string, program: string, args: string[]) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, all: out + err };
}

test('should play to aiortc, with its sound rejected, and say goodbye to it', async ({
  startFaceplate,
  cameras,
}, info) => {
  test.setTimeout(300_000);
  const folder = info.outputPath();
  await mkdir(folder, { recursive: true });
  const made = await run(folder, 'python3', ['-m', 'venv', 'venv']);
  expect(made.code, made.all).toBe(0);
  const packages = [`aiortc==${VERSION}`, 'aiohttp'];
  const installed = await run(folder, 'venv/bin/pip', [
    'install',
    '--disable-pip-version-check',
    '--quiet',
    ...packages,
  ]);
  if (installed.code !== 0 && NO_NETWORK.test(installed.all)) {
    process.stderr.write('SKIPPED: pip cannot be reached, so NO viewer that is no browser was tried.\n');
    test.skip(true, 'pip has no network');
  }
  expect(installed.code, installed.all).toBe(0);
  const service = await startFaceplate({ args: ['--host', 'none', '--board', 'simulated'] });
  const camera = encodeURIComponent(cameras.url('h264'));
  const viewer = await run(folder, 'venv/bin/python', [
    VIEWER,
    `${await service.url}/api/stream/whep/aiortc?url=${camera}`,
  ]);
  expect(viewer.code, viewer.all).toBe(0);
  const { pictures, endedMs } = JSON.parse(viewer.out) as { pictures: number; endedMs: number };
  expect(pictures).toBeGreaterThanOrEqual(25);
  // Without the goodbye it would be seconds: until its own checks fail.
  expect(endedMs).toBeLessThan(3_000);
});

for (const [mount, hasSound] of [
  ['h264', false],
  ['h264-opus', true],
] as const)
  test(`should play ${mount} to GStreamer, with audio first as whepsrc offers it`, async ({
    startFaceplate,
    cameras,
  }, info) => {
    const isConnected = Object.values(networkInterfaces())
      .flat()
      .some((entry) => entry?.internal === false);
    test.setTimeout(120_000);
    test.skip(!isConnected, 'libnice looks at network interfaces besides lo alone, and there is none');
    const folder = info.outputPath();
    await mkdir(folder, { recursive: true });
    const service = await startFaceplate({ args: ['--host', 'none', '--board', 'simulated'] });
    const address = `${await service.url}/api/stream/whep/gst?url=${encodeURIComponent(cameras.url(mount))}`;
    const viewer = await run(folder, '/usr/bin/python3', [WEBRTCBIN, address]);
    expect(viewer.code, viewer.all).toBe(0);
    const seen = JSON.parse(viewer.out) as { pictures: number; audio: number; failures: string[] };
    expect(seen).toMatchObject({ failures: [], status: 200 });
    expect(seen.pictures).toBeGreaterThanOrEqual(25);
    expect(seen.audio > 0).toBe(hasSound);
  });
