import { mkdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { pythonWith, runProgram } from '../../server/testing/python.ts';
import { expect, test } from '../fixtures.ts';

const VERSION = '1.16.0';
const VIEWER = join(import.meta.dirname, '../peers/aiortcViewer.py');
const WEBRTCBIN = join(import.meta.dirname, '../peers/webrtcbinViewer.py');

test('should play to aiortc, with its sound rejected, and say goodbye to it', async ({
  startFaceplate,
  cameras,
}, info) => {
  test.setTimeout(300_000);
  const folder = info.outputPath();
  const bin = await pythonWith(
    folder,
    [`aiortc==${VERSION}`, 'aiohttp'],
    'NO viewer that is no browser was tried',
  );
  test.skip(bin === undefined, 'pip has no network');
  const service = await startFaceplate({ args: ['--host', 'none', '--board', 'simulated'] });
  const camera = encodeURIComponent(cameras.url('h264'));
  const viewer = await runProgram(folder, `${bin}/python`, [
    VIEWER,
    `${await service.url}/api/stream/whep/aiortc?url=${camera}`,
  ]);
  expect(viewer.code, viewer.output).toBe(0);
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
    const viewer = await runProgram(folder, '/usr/bin/python3', [WEBRTCBIN, address]);
    expect(viewer.code, viewer.output).toBe(0);
    const seen = JSON.parse(viewer.out) as { pictures: number; audio: number; failures: string[] };
    expect(seen).toMatchObject({ failures: [], status: 200 });
    expect(seen.pictures).toBeGreaterThanOrEqual(25);
    expect(seen.audio > 0).toBe(hasSound);
  });
