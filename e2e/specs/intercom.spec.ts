import { readFile } from 'node:fs/promises';
import { type Baresip, startBaresip } from '../../server/testing/sip/baresip.ts';
import { test as base, expect } from '../fixtures.ts';
import { SipPanel } from '../sipPanel.ts';

interface Fixtures {
  /** Rings when it is called; sends 440 Hz and pictures. */
  door: Baresip;
}
interface WorkerFixtures {
  hall: SipPanel;
}

const LOOPBACK = '127.0.0.1';

const test = base.extend<Fixtures, WorkerFixtures>({
  hall: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const hall = await SipPanel.start({
        deviceName: 'Hall',
        doors: [{ name: 'Front door', peer: LOOPBACK, dtmf: '1#', gapMs: 100 }],
      });
      await use(hall);
      await hall.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  door: async ({}, use) => {
    const door = await startBaresip({
      video: true,
      accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=manual;audio_codecs=pcmu'],
    });
    await use(door);
    await door.remove();
  },
});

const keysOf = ({ events }: Baresip) =>
  events.filter(({ type }) => type === 'CALL_DTMF_START').map(({ param }) => param);

/** Loudness of a recording (16 bits per sample), 0 to 1. */
async function loudness(file: string): Promise<number> {
  const wav = await readFile(file);
  const start = wav.indexOf('data') + 8;
  let sum = 0;
  for (let at = start; at + 1 < wav.length; at += 2) sum += (wav.readInt16LE(at) / 32_768) ** 2;
  return Math.sqrt(sum / Math.max(1, (wav.length - start) / 2));
}

test('should show the visitor while it rings, talk, open the door and hang up', async ({ hall, door }) => {
  await hall.rest();
  await door.command('dial', `sip:panel@${LOOPBACK}:${hall.port}`);
  await hall.becomes('incoming...');
  expect(await hall.heard('incomingCall')).toMatchObject([
    { callerName: 'Front door', isBroadcast: false, hasVideo: true },
  ]);
  await hall.sip('showVideo', { target: 'remote', divId: 'box' });
  await expect.poll(() => hall.frames('remote')).toBeGreaterThan(5);
  // The bell: 659 and 784 Hz, then 523 and 659 Hz.
  await expect.poll(() => hall.hertz()).toBeGreaterThan(500);
  expect((await hall.sip('getStatus')).callStatus).toBe('incoming...');

  expect(await hall.sip('answer')).toMatchObject({ callStatus: 'connected (incoming)' });
  await expect.poll(() => hall.hertz().then((hertz) => Math.abs(hertz - 440))).toBeLessThan(10);
  const seen = await hall.frames('remote');
  await expect.poll(() => hall.frames('remote')).toBeGreaterThan(seen + 5);
  await hall.sip('showVideo', { target: 'local', rect: { x: 0.75, y: 0.75, w: 0.25, h: 0.25 } });
  await expect.poll(() => hall.frames('local')).toBeGreaterThan(5);
  await expect
    .poll(async () => Number(/vidisp: .* frames=(\d+)/.exec(await door.command('video_debug'))?.[1] ?? 0))
    .toBeGreaterThan(5);

  await hall.sip('setCallVolume', 0);
  await expect.poll(() => hall.hertz()).toBe(0);
  await hall.sip('setCallVolume', 10);
  await expect.poll(() => hall.hertz()).toBeGreaterThan(0);

  expect(await hall.sip('openDoor')).toMatchObject({ lastError: null });
  await expect.poll(() => keysOf(door)).toEqual(['1', '#']);

  await door.command('hangup');
  await hall.becomes('idle');
  expect(await hall.heard('callEnded')).toMatchObject([{ reason: 'remote_bye' }]);
  await expect.poll(() => hall.hertz()).toBe(0);
  await expect(hall.page.locator('[data-faceplate-stream]')).toHaveCount(0);
  await door.stop();
  const [file] = await door.recordings('dec');
  // The browser's fake microphone beeps.
  expect(await loudness(file!)).toBeGreaterThan(0.005);
});
