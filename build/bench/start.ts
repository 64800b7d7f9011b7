import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openPlain } from '../../e2e/bare/bareBrowser.ts';
import { ReportSite } from '../../e2e/bare/reportSite.ts';
import { TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess, type FaceplateProcessOptions } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';
import { bundled } from './bundled.ts';

const root = join(import.meta.dirname, '../..');
/** A page with something to paint. */
const PAGE = `<body style="background:#0a0"><h1>painted</h1><script>bare.report(${firstPaint})</script>`;

export const startBench: Bench = {
  name: 'start',
  about:
    'from the start of the process to the first painted frame of one page, with a new profile, on a virtual screen',
  rows: [
    { key: 'plain', label: 'plain chromium --kiosk', unit: 'ms', isPeer: true },
    { key: 'bundle', label: 'the bundle', unit: 'ms' },
    { key: 'bundleReady', label: 'the bundle, to its ready line', unit: 'ms' },
    { key: 'sources', label: 'npm start', unit: 'ms' },
    { key: 'sourcesReady', label: 'npm start, to its ready line', unit: 'ms' },
  ],
  ratios: [
    { label: 'bundle / plain', of: 'bundle', by: 'plain', goal: { atMost: 1.3 } },
    { label: 'npm start / plain', of: 'sources', by: 'plain', goal: { atMost: 2 } },
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const program = stack.use(await bundled());
    const round = async () => {
      const bundle = await serviceStart({ main: program.main, env: program.env });
      const sources = await serviceStart({ spawn: async (args, env) => npmStart(args, env) });
      return {
        plain: await plainStart(),
        bundle: bundle.painted,
        bundleReady: bundle.ready,
        sources: sources.painted,
        sourcesReady: sources.ready,
      };
    };
    // The first start of each writes what later ones find: compiled code, Chromium's own files on the disk.
    await round();
    const ending = stack.move();
    return { round, tearDown: () => ending.disposeAsync() };
  },
};

async function plainStart(): Promise<number> {
  let startedAt = 0;
  const browser = await openPlain({
    onStart: () => {
      startedAt = now();
    },
  });
  try {
    return (await browser.site.show<number>(PAGE)) - startedAt;
  } finally {
    await browser[Symbol.asyncDispose]();
  }
}

async function serviceStart(options: FaceplateProcessOptions): Promise<{ painted: number; ready: number }> {
  await using site = await ReportSite.open();
  await using screen = await TestScreen.open({ windowManager: true });
  const service = new FaceplateProcess({
    ...options,
    env: {
      ...options.env,
      FACEPLATE_HOST: 'chromium',
      FACEPLATE_KIOSK_URL: site.home,
      FACEPLATE_KIOSK_DEBUG_PORT: 'off',
      DISPLAY: screen.display,
      WAYLAND_DISPLAY: '',
    },
  });
  try {
    const painted = site.show<number>(PAGE);
    await service.start();
    const ready = await service.timeTo(/^faceplate ready /);
    return { painted: (await painted) - service.startedAtEpochMs, ready };
  } finally {
    await service.stop();
  }
}

async function npmStart(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawn('npm', ['start', '--', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Runs in the page. @returns when it was painted first, in milliseconds since 1970 */
async function firstPaint(): Promise<number> {
  for (;;) {
    const paint = performance.getEntries().find(({ name }) => name === 'first-paint');
    if (paint !== undefined) return performance.timeOrigin + paint.startTime;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
