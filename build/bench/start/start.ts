import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openPlain } from '../../../e2e/bare/bareBrowser.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';
import { bundled } from './bundled.ts';
import { type ElectronHere, electronHost, findElectron, openPlainElectron } from './electronPrograms.ts';
import { chromiumHost, type OpenService, onScreen, serviceOf } from './onScreen.ts';

const root = join(import.meta.dirname, '../../..');
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
    { key: 'plainElectron', label: 'plain Electron', unit: 'ms', isPeer: true },
    { key: 'electron', label: 'the bundle in Electron', unit: 'ms' },
    { key: 'electronReady', label: 'the bundle in Electron, to its ready line', unit: 'ms' },
  ],
  ratios: [
    { label: 'bundle / plain', of: 'bundle', by: 'plain', goal: { atMost: 1.3 } },
    { label: 'npm start / plain', of: 'sources', by: 'plain', goal: { atMost: 2 } },
    { label: 'Electron host / plain Electron', of: 'electron', by: 'plainElectron', goal: { atMost: 1.3 } },
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const program = stack.use(await bundled());
    const electron = findElectron();
    const round = async () => {
      const bundle = await serviceStart(chromiumHost(program));
      const sources = await serviceStart(npmStart);
      return {
        plain: await plainStart(),
        bundle: bundle.painted,
        bundleReady: bundle.ready,
        sources: sources.painted,
        sourcesReady: sources.ready,
        ...('program' in electron && (await electronStarts(electron, electronHost(electron, program)))),
      };
    };
    // The first start of each writes what later ones find: compiled code, Chromium's own files on the disk.
    await round();
    const ending = stack.move();
    return {
      notes: 'missing' in electron ? [electron.missing] : [],
      round,
      tearDown: () => ending.disposeAsync(),
    };
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

async function serviceStart(open: OpenService): Promise<{ painted: number; ready: number }> {
  await using shown = await onScreen(open);
  const { service, site } = shown;
  const painted = site.show<number>(PAGE);
  await service.start();
  const ready = await service.timeTo(/^faceplate ready /);
  return { painted: (await painted) - service.startedAtEpochMs, ready };
}

async function electronStarts(electron: ElectronHere, host: OpenService) {
  const { painted, ready } = await serviceStart(host);
  await using plain = await openPlainElectron(electron);
  const plainPainted = await plain.site.show<number>(PAGE);
  return {
    electron: painted,
    electronReady: ready,
    plainElectron: plainPainted - plain.startedAtEpochMs,
  };
}

const npmStart: OpenService = async (settings) =>
  serviceOf(
    new FaceplateProcess({
      env: settings,
      spawn: async (args, env) =>
        spawn('npm', ['start', '--', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env }),
    }),
  );

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
