import { chromium, type Page } from '@playwright/test';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import {
  judgeView,
  type Playing,
  pauseOf,
  type Viewed,
  type ViewOrder,
  viewInPage,
} from '../../../server/video/testing/fieldCameras/browserView.ts';
import { allFieldCases } from '../../../server/video/testing/fieldCameras/cases.ts';
import { FieldCamera } from '../../../server/video/testing/fieldCameras/fieldCamera.ts';
import type { FieldCase } from '../../../server/video/testing/fieldCameras/fieldCase.ts';
import { realClips } from '../../../server/video/testing/fieldCameras/realClips.ts';
import type { Bench } from '../bench.ts';
import { go2rtc, MediaProxy, mediaMtx } from './mediaProxy.ts';

/** Views at the same time, of all servers together: a browser on two cores decodes them without a loss. */
const AT_ONCE = 8;
const USUAL_MS = 12_000;
/** Two sessions of 10 s. */
const LONG_MS = 25_000;

const cases = allFieldCases.filter(({ besidePeers }) => besidePeers);

/** Where cameras are watched, and those that it was given. */
interface Server {
  readonly name: string;
  readonly cameras: ReadonlyMap<string, FieldCamera>;
  readonly orderOf: (camera: string) => Pick<ViewOrder, 'endpoint' | 'url'>;
  stop(): Promise<void>;
}

/** What became of a case at a server. */
interface Outcome {
  readonly isRight: boolean;
  readonly playing: Playing;
  /** For the table. */
  readonly words: string;
}

export const fieldBench: Bench = {
  name: 'field',
  about: `${cases.length} cameras as the field has them, in Chromium through each server`,
  isLong: true,
  isOnce: true,
  rows: [
    { key: 'wrong', label: 'cameras that do not play as they should', unit: '', goal: { atMost: 0 } },
    {
      key: 'behind',
      label: 'cameras that play in another server, not here',
      unit: '',
      goal: { atMost: 0 },
    },
    { key: 'go2rtc', label: 'that do not play as they should in go2rtc', unit: '', isPeer: true },
    { key: 'MediaMTX', label: 'that do not play as they should in MediaMTX', unit: '', isPeer: true },
  ],
  ratios: [],
  async setUp() {
    const notes: string[] = [];
    await using stack = new AsyncDisposableStack();
    const clips = await realClips();
    const servers: Server[] = [];
    const serve = async (server: Promise<Server>): Promise<void> => {
      const started = await server;
      stack.defer(() => started.stop());
      servers.push(started);
    };
    const cameras = async () => {
      const all = new Map(cases.map(({ name, departs }) => [name, new FieldCamera(departs, clips)]));
      const urls: [string, string][] = [];
      for (const [name, camera] of all) {
        stack.defer(() => camera.stop());
        urls.push([name, await camera.start()]);
      }
      return { all, urls: Object.fromEntries(urls) };
    };
    // The demo of the simulated board is a page that may watch cameras.
    const service = new FaceplateProcess({ kiosk: true, env: { FACEPLATE_LOG_LEVEL: 'silent' } });
    await serve(ourServer(service, await cameras()));
    for (const [name, kind] of Object.entries({ go2rtc, MediaMTX: mediaMtx })) {
      const program = await kind.build().catch((error: Error) => void notes.push(error.message));
      if (program !== undefined)
        await serve(otherServer(name, new MediaProxy(kind, program), await cameras()));
    }
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    stack.defer(() => browser.close());
    const page = browser.contexts()[0]!.pages()[0]!;
    // The panel's page may not call other servers; without this it could not be the viewer of all.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Page.setBypassCSP', { enabled: true });
    await page.reload();
    const ending = stack.move();
    return {
      notes,
      round: async () => {
        const outcomes = await playAll(page, servers);
        notes.push(...tableOf(servers, outcomes));
        return countsOf(servers, outcomes);
      },
      tearDown: () => ending.disposeAsync(),
    };
  },
};

interface GivenCameras {
  readonly all: ReadonlyMap<string, FieldCamera>;
  readonly urls: Readonly<Record<string, string>>;
}

async function ourServer(service: FaceplateProcess, { all, urls }: GivenCameras): Promise<Server> {
  await service.start();
  return {
    name: 'Faceplate',
    cameras: all,
    orderOf: (camera) => ({ endpoint: `/api/stream/whep/${camera}`, url: urls[camera]! }),
    stop: async () => void (await service.stop()),
  };
}

async function otherServer(name: string, proxy: MediaProxy, { all, urls }: GivenCameras): Promise<Server> {
  await proxy.start(urls);
  return {
    name,
    cameras: all,
    orderOf: (camera) => ({ endpoint: proxy.endpoint(camera) }),
    stop: () => proxy.stop(),
  };
}

/** By the name of the case and of the server. */
type Outcomes = ReadonlyMap<string, Outcome>;
const keyOf = (camera: string, server: string): string => `${camera} ${server}`;

interface View {
  readonly one: FieldCase;
  readonly server: Server;
}

/** What is not right is played once more: a busy machine loses pictures too. */
async function playAll(page: Page, servers: readonly Server[]): Promise<Outcomes> {
  const views = cases
    .toSorted((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0))
    .flatMap((one) => servers.map((server) => ({ one, server })));
  const first = await playEach(page, views);
  const again = await playEach(
    page,
    views.filter(({ one, server }) => first.get(keyOf(one.name, server.name))?.playing === 'badly'),
  );
  for (const [key, outcome] of again) if (outcome.isRight) first.set(key, outcome);
  return first;
}

async function playEach(page: Page, views: readonly View[]): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const waiting = [...views];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      outcomes.set(keyOf(next.one.name, next.server.name), await play(page, next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

async function play(page: Page, { server, one }: View): Promise<Outcome> {
  const { name, right, seconds } = one;
  const ms = seconds === undefined ? USUAL_MS : LONG_MS;
  const camera = server.cameras.get(name)!;
  const before = camera.plays;
  const viewed = await page.evaluate(viewInPage, { ...server.orderOf(name), ms });
  const lost = Math.max(0, camera.plays - before - 1);
  const allowed = right.plays ? right.losses : 0;
  const judged = judgeView(viewed, ms, pauseOf(one));
  const playing = judged === 'plays' && lost > allowed ? 'badly' : judged;
  return { isRight: playing === 'plays', playing, words: wordsOf(playing, viewed, ms, lost) };
}

function wordsOf(playing: Playing, viewed: Viewed, ms: number, lost: number): string {
  const { error = '', frames, firstMs, frozenMs } = viewed;
  switch (playing) {
    case 'plays':
      return `plays ${(firstMs / 1_000).toFixed(1)} s`;
    case 'badly': {
      const share = Math.min(100, Math.round((frames / (((ms - firstMs) * 25) / 1_000)) * 100));
      const again = lost > 0 ? `, ${lost} reconnects` : '';
      return `BADLY ${share} %, frozen ${(frozenMs / 1_000).toFixed(1)} s${again}`;
    }
    case 'black':
      return 'BLACK';
    case 'refused': {
      const said = /"error":\s*"([^"]*)/.exec(error)?.[1] ?? error;
      return `REFUSED ${said.trim().slice(0, 44)}`;
    }
  }
}

/** The table: a case in each line, what became of it at each server, and a summary. */
function tableOf(servers: readonly Server[], outcomes: Outcomes): string[] {
  const row = (first: string, others: readonly string[]): string =>
    [first.padEnd(22), ...others.map((text) => text.padEnd(50))].join(' ').trimEnd();
  const rows = cases.map(({ name }) =>
    row(
      name,
      servers.map((server) => outcomes.get(keyOf(name, server.name))!.words),
    ),
  );
  const names = servers.map(({ name }) => name);
  const summary = names.map((server) => `${cases.length - wrongOf(server, outcomes)} of ${cases.length}`);
  return [row('case', names), ...rows, row('as they should be', summary)];
}

const wrongOf = (server: string, outcomes: Outcomes): number =>
  cases.filter(({ name }) => !outcomes.get(keyOf(name, server))!.isRight).length;

function countsOf(servers: readonly Server[], outcomes: Outcomes): Record<string, number> {
  const [ours, ...others] = servers.map(({ name }) => name);
  const isRight = (server: string, { name }: FieldCase) => outcomes.get(keyOf(name, server))!.isRight;
  const behind = cases.filter((one) => !isRight(ours!, one) && others.some((other) => isRight(other, one)));
  return {
    wrong: wrongOf(ours!, outcomes),
    behind: behind.length,
    ...Object.fromEntries(others.map((other) => [other, wrongOf(other, outcomes)])),
  };
}
