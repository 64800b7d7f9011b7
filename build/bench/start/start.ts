import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openPlain } from '../../../e2e/bare/bareBrowser.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';
import { type Bundled, bundled } from './bundled.ts';
import { type ElectronHere, electronHost, findElectron, openPlainElectron } from './electronPrograms.ts';
import { chromiumHost, type OpenService, onScreen, serviceOf } from './onScreen.ts';
import { EVENTS } from './startPicture.ts';

const root = join(import.meta.dirname, '../../..');
/** A page with something to paint. */
const PAGE = `<body style="background:#0a0"><h1>painted</h1><script>bare.report(${firstPaint})</script>`;

const NOTES = join(import.meta.dirname, 'startEvents.mjs');

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
    ...EVENTS.map(({ key, label }) => ({ key, label: `the bundle, until ${label}`, unit: 'ms' })),
  ],
  ratios: [
    { label: 'bundle / plain', of: 'bundle', by: 'plain', goal: { atMost: 1.25 } },
    { label: 'npm start / plain', of: 'sources', by: 'plain', goal: { atMost: 1.6 } },
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
        ...(await timeLine(program)),
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
  const start = { at: 0, painted: Promise.resolve(0) };
  await using _browser = await openPlain({
    onStart: (site) => {
      start.painted = site.show<number>(PAGE);
      start.at = now();
    },
  });
  return (await start.painted) - start.at;
}

async function serviceStart(open: OpenService): Promise<{ painted: number; ready: number }> {
  await using shown = await onScreen(open, {}, (site) => site.next);
  const { service, site } = shown;
  const painted = site.show<number>(PAGE);
  await service.start();
  const ready = await service.timeTo(/^faceplate ready /);
  return { painted: (await painted) - service.startedAtEpochMs, ready };
}

/** One more start, for what is noted costs a few milliseconds. @returns its steps, in milliseconds from its beginning */
async function timeLine(program: Bundled): Promise<Record<string, number>> {
  const env = { ...program.env, NODE_OPTIONS: `${program.env.NODE_OPTIONS} --import=${NOTES}` };
  await using shown = await onScreen(chromiumHost({ ...program, env }), {}, (site) => site.next);
  const { service, site } = shown;
  const painted = site.show<number>(PAGE);
  await service.start();
  const at: Record<string, number> = { painted: await painted };
  for (const [, name, time] of service.output.matchAll(/^start event (\S+) (\S+)/gm))
    at[name!] = Number(time);
  return Object.fromEntries(EVENTS.map(({ key }) => [key, at[key]! - service.startedAtEpochMs]));
}

async function electronStarts(electron: ElectronHere, host: OpenService) {
  const { painted, ready } = await serviceStart(host);
  await using plain = await openPlainElectron(electron, (site) => site.next);
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
