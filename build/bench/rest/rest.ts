import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kiosk, openKiosk } from '../../../e2e/bare/bareBrowser.ts';
import type { TestScreen } from '../../../server/kiosk/testing/testScreen.ts';
import type { Bench, Round } from '../bench.ts';
import { painted, Touches } from '../pages/touches.ts';
import { callsOf } from '../panelCalls.ts';
import { cpuOfAll } from '../processCpu.ts';
import { ownMemoryOf, processesOfLayers } from './layerProcesses.ts';

/** Each state of the screen is entered once for these rounds, which follow each other in it; a photo stays for 15 s. */
const ROUNDS = 3;
const ROUND_MS = 3_500;
/** What a change of the saver, or of the light, does is over by then. */
const CALM_MS = 3_000;
const MIDDLE = [640, 300] as const;
const [PAGE_COLOUR, DARK, KEY, ALARM] = ['#00AA00', '#000000', '#212A35', '#A50E1F'];
const PHOTO_COLOURS = ['#3060C0', '#C06030', '#30C060'];
const PAGE = `<body style="margin:0;background:${PAGE_COLOUR}">
<input style="position:absolute;left:40px;top:20px;width:500px;height:60px">`;

export const restBench: Bench = {
  name: 'rest',
  about: 'a panel that nobody uses, with a page that stands, on a virtual X screen of 1280x800',
  rows: [
    { key: 'dark', label: 'service and browser, dark, of one core', unit: '%', goal: { atMost: 2 } },
    {
      key: 'photos',
      label: 'the same, saver of photos between changes',
      unit: '%',
      goal: { atMost: 5 },
    },
    { key: 'lit', label: 'the same, page shown', unit: '%', goal: { atMost: 1 } },
    {
      key: 'layers',
      label: 'renderer of glass and keyboard, its own memory',
      unit: 'MiB',
      goal: { atMost: 35 },
    },
  ],
  ratios: [],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const photos = await mkdtemp(join(tmpdir(), 'faceplate-photos-'));
    stack.defer(() => rm(photos, { recursive: true }));
    await chmod(photos, 0o755);
    for (const [number, colour] of PHOTO_COLOURS.entries())
      execFileSync('convert', ['-size', '4000x3000', `xc:${colour}`, join(photos, `${number}.png`)]);
    // The port is for the processes of the layers alone: nothing is attached while anything is measured.
    const kiosk = stack.use(
      await openKiosk({ debugPort: true, env: { FACEPLATE_KEYBOARD_ENABLED: 'true' } }),
    );
    await useLayers(kiosk);
    const layers = await processesOfLayers(await kiosk.service.devtoolsUrl);
    const ending = stack.move();
    let left: Round[] = [];
    return {
      async round() {
        if (left.length === 0) left = await roundsOf(kiosk, photos, layers);
        return left.shift()!;
      },
      tearDown: () => ending.disposeAsync(),
    };
  },
};

/** Shows a message and the keyboard once, as any panel has done that runs for a day. */
async function useLayers({ screen, service, site }: Kiosk): Promise<void> {
  void site.show(PAGE);
  await painted(screen, MIDDLE, PAGE_COLOUR);
  // The keyboard opens its window after the page.
  await sleep(CALM_MS);
  const { post, remove } = callsOf(service);
  await post('remote/message', {
    id: 'x',
    text: 'Leave the house.',
    level: 'alarm',
    style: 'full',
    seconds: 0,
  });
  await painted(screen, [20, 780], ALARM);
  await remove('remote/message/x');
  await painted(screen, MIDDLE, PAGE_COLOUR);
  const touches = new Touches(screen);
  await touches.click(290, 50);
  await painted(screen, [230, 575], KEY);
  await sleep(CALM_MS);
  await touches.click(1220, 767);
  await painted(screen, [230, 575], PAGE_COLOUR);
  // A field that has the focus blinks its caret, which draws the screen twice a second in any browser.
  await touches.click(...MIDDLE);
  await touches.end();
}

async function roundsOf(kiosk: Kiosk, photos: string, layers: readonly number[]): Promise<Round[]> {
  const memory = layers.reduce((sum, pid) => sum + ownMemoryOf(pid), 0) / 2 ** 20;
  const lit = await cpuOf(kiosk);
  const shares = { lit, photos: await cpuOfPhotos(kiosk, photos), dark: await cpuOfDark(kiosk) };
  return shares.lit.map((share, at) => ({
    lit: share,
    photos: shares.photos[at]!,
    dark: shares.dark[at]!,
    layers: memory,
  }));
}

/** Shares of one core, of the service and all of its browser. */
async function cpuOf({ service }: Kiosk): Promise<number[]> {
  await sleep(CALM_MS);
  const shares: number[] = [];
  for (let n = 0; n < ROUNDS; n++)
    shares.push(await cpuOfAll([service.pid!, ...service.descendants.map(({ pid }) => pid)], ROUND_MS));
  return shares;
}

async function cpuOfDark(kiosk: Kiosk): Promise<number[]> {
  const { post } = callsOf(kiosk.service);
  await post('remote/display', { on: false });
  await painted(kiosk.screen, MIDDLE, DARK);
  const shares = await cpuOf(kiosk);
  await post('remote/display', { on: true });
  await painted(kiosk.screen, MIDDLE, PAGE_COLOUR);
  return shares;
}

async function cpuOfPhotos(kiosk: Kiosk, folder: string): Promise<number[]> {
  const { patch } = callsOf(kiosk.service);
  await patch('manage/settings', { idle: { saver: 'photos', photos: folder, saverAfter: 1 } });
  await photoShown(kiosk.screen);
  const shares = await cpuOf(kiosk);
  await patch('manage/settings', { idle: { saver: null, photos: null, saverAfter: null } });
  await painted(kiosk.screen, MIDDLE, PAGE_COLOUR);
  return shares;
}

/** Resolves once a photo is on the screen. @throws Error when none comes */
async function photoShown(screen: TestScreen): Promise<void> {
  for (const began = performance.now(); performance.now() - began < 60_000; await sleep(50)) {
    const shown = screen.colourAt(...MIDDLE);
    if (PHOTO_COLOURS.some((colour) => isAbout(colour, shown))) return;
  }
  throw new Error('No photo is shown.');
}

/** A photo is scaled, and a bit darker for it. */
function isAbout(colour: string, shown: string): boolean {
  const parts = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  const others = parts(shown);
  return parts(colour).every((part, at) => Math.abs(part - others[at]!) < 16);
}
