import { setTimeout as sleep } from 'node:timers/promises';
import { type Kiosk, openKiosk } from '../../../e2e/bare/bareBrowser.ts';
import { type Bench, median } from '../bench.ts';
import { callsOf } from '../panelCalls.ts';
import { painted, Touches } from './touches.ts';

const TRIES = 4;
/** Colours that nothing else on the screen has: of the page, of the dark, of a key (server/pages/keys/style.css). */
const [PAGE_COLOUR, DARK, KEY] = ['#00AA00', '#000000', '#212A35'];
/** Pixels that tell what is there, and where to press: the middle of the screen, a field, the face of the key "w", keys. */
const MIDDLE = [640, 300] as const;
const FIELD = [290, 50] as const;
const FACE = [230, 575] as const;
const [W, HIDE] = [
  [194, 592],
  [1220, 767],
] as const;
const PAGE = `<body style="margin:0;background:${PAGE_COLOUR}">
<input id="field" style="position:absolute;left:40px;top:20px;width:500px;height:60px">
<script>
  addEventListener('input', () => fetch('/input/' + (performance.timeOrigin + performance.now())));
</script>`;

export const glassBench: Bench = {
  name: 'glass',
  about: `touches of a screen of 1280x800 (virtual, X), median of ${TRIES} each`,
  rows: [
    { key: 'wake', label: 'touch of the dark screen to picture', unit: 'ms', goal: { atMost: 200 } },
    { key: 'slowest', label: 'the slowest of them', unit: 'ms' },
    { key: 'opened', label: 'touch of a field to keyboard painted', unit: 'ms', goal: { atMost: 150 } },
    { key: 'typed', label: 'touch of a key to `input` in the page', unit: 'ms', goal: { atMost: 50 } },
  ],
  ratios: [],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const kiosk = stack.use(await openKiosk({ env: { FACEPLATE_KEYBOARD_ENABLED: 'true' } }));
    const touches = new Touches(kiosk.screen);
    stack.defer(() => touches.end());
    void kiosk.site.show(PAGE);
    await painted(kiosk.screen, MIDDLE, PAGE_COLOUR);
    // The keyboard opens its window after the page.
    await sleep(3_000);
    const ending = stack.move();
    return {
      round: async () => ({ ...(await wakeUps(kiosk, touches)), ...(await keyboards(kiosk, touches)) }),
      tearDown: () => ending.disposeAsync(),
    };
  },
};

async function wakeUps({ screen, service }: Kiosk, touches: Touches) {
  const { post } = callsOf(service);
  const all: number[] = [];
  for (let n = 0; n < TRIES; n++) {
    await post('remote/display', { on: false });
    await painted(screen, MIDDLE, DARK);
    await sleep(700);
    const at = await touches.click(...MIDDLE);
    all.push((await painted(screen, MIDDLE, PAGE_COLOUR)) - at);
    await sleep(500);
  }
  return { wake: median(all), slowest: Math.max(...all) };
}

async function keyboards({ screen, site }: Kiosk, touches: Touches) {
  const [opened, typed]: [number[], number[]] = [[], []];
  for (let n = 0; n < TRIES; n++) {
    const at = await touches.click(...FIELD);
    opened.push((await painted(screen, FACE, KEY)) - at);
    // Keys that have just come up take no touch that was meant for the page.
    await sleep(800);
    const before = site.requests.length;
    const pressedAt = await touches.click(...W);
    typed.push((await inputAfter(site.requests, before)) - pressedAt - performance.timeOrigin);
    await touches.click(...HIDE);
    await painted(screen, FACE, PAGE_COLOUR);
    await sleep(300);
  }
  return { opened: median(opened), typed: median(typed) };
}

/** @returns when the page heard the next `input`, in milliseconds since 1970 @throws Error when it hears none */
async function inputAfter(requests: readonly string[], before: number): Promise<number> {
  for (const began = performance.now(); performance.now() - began < 15_000; await sleep(2)) {
    const [, at] = /\/input\/([\d.]+)$/.exec(requests.slice(before).at(-1) ?? '') ?? [];
    if (at !== undefined) return Number(at);
  }
  throw new Error('The page hears no key.');
}
