import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';
import { until } from '../server/testing/waiting.ts';
import { type Api, apiOf } from './api.ts';
import { readEvents } from './heardEvents.ts';

/** How long a panel may take to be as it was once all is taken back, in milliseconds: its page loads meanwhile. */
const SETTLE_MS = 10_000;
const SERIAL = '/api/remote/serial/close';
/**
 * Ends the camera of the demo, which takes a tenth of a core from the tests beside it, until the page is loaded again. A
 * page that is left while it opens its camera leaves a session for some seconds. @returns whether none is played
 */
const REST = `(() => {
  const [play, url] = ['play', 'url'].map((name) => document.querySelector('[data-testid="camera-' + name + '"]'));
  if (play?.textContent === 'Stop') play.click();
  return play === null || (play.textContent === 'Play' && url.value !== '');
})()`;
/** What stays in the file after the setting kiosk.pin was used: no PIN, as before. */
const NO_PIN = '{"hash":null,"salt":"","wrong":0,"chosenAt":null}';

type Facts = Readonly<Record<string, unknown>>;

/** What tests change in a panel, as its API and its data folder tell it. */
interface State {
  /** Keys that somebody has set. */
  readonly settings: readonly string[];
  readonly tokens: readonly string[];
  readonly projects: readonly string[];
  readonly certificates: readonly Facts[];
  /** Level, pulse and lock of each pin. */
  readonly pins: readonly (readonly unknown[])[];
  /** What the snapshot of the events tells of the board. */
  readonly board: Readonly<Record<string, Facts>>;
  /** Null without a kiosk. */
  readonly page: Facts | null;
  /** No call takes these back. */
  readonly files: readonly (string | null)[];
}

/** What a panel was like when it had started, and what brings it back there. */
export class PanelReset {
  readonly #service: FaceplateProcess;
  readonly #api: Api;
  readonly #atFirst: State;
  /** Time of the newest line of the journal that a reset has seen. */
  #seen = '';

  private constructor(service: FaceplateProcess, api: Api, atFirst: State) {
    this.#service = service;
    this.#api = api;
    this.#atFirst = atFirst;
  }

  /** Notes what a panel is like that has just started. */
  static async of(service: FaceplateProcess): Promise<PanelReset> {
    const api = await apiOf(service);
    const reset = new PanelReset(service, api, await stateOf(service, api));
    await reset.#rest();
    return reset;
  }

  /**
   * Takes back what a test has done: settings, tokens, projects, trust, messages, sound, pins and the rest of the board.
   * @returns what could not be taken back, in words; empty when the panel is as it was
   */
  async run(): Promise<string> {
    const messages = await this.#removeMessages();
    await this.#api('/api/remote/sound', undefined, { method: 'DELETE' });
    let now = await stateOf(this.#service, this.#api);
    if (!isDeepStrictEqual(now, this.#atFirst)) {
      await this.#takeBack(now);
      const isBack = async () => {
        now = await stateOf(this.#service, this.#api);
        return isDeepStrictEqual(now, this.#atFirst);
      };
      const settled = until(isBack, 'the panel', { limitMs: SETTLE_MS, everyMs: 100 });
      await settled.catch(() => undefined);
    }
    await this.#rest();
    return [...differences(now, this.#atFirst), ...messages].join(', ');
  }

  async #rest(): Promise<void> {
    if (this.#atFirst.page === null) return;
    const rests = async () => {
      const { body } = await this.#api('/api/manage/page/evaluate', { expression: REST });
      return body.value === true;
    };
    await until(rests, 'the page', { limitMs: SETTLE_MS, everyMs: 100 }).catch(() => undefined);
  }

  /** A message that has no id of its caller cannot be named. */
  async #removeMessages(): Promise<readonly string[]> {
    const { body } = await this.#api('/api/manage/journal?limit=1000');
    const entries = body.entries as { time: string; command: string; code: string; params: Facts }[];
    const shown = entries.filter(
      ({ time, command, code }) => time > this.#seen && command === 'message.show' && code === 'OK',
    );
    this.#seen = entries[0]?.time ?? this.#seen;
    const ids = new Set(shown.map(({ params }) => params.id as string | undefined));
    for (const id of ids)
      if (id !== undefined)
        await this.#api(`/api/remote/message/${encodeURIComponent(id)}`, undefined, { method: 'DELETE' });
    return ids.has(undefined) ? ['messages'] : [];
  }

  async #takeBack(now: State): Promise<void> {
    const api = this.#api;
    const first = this.#atFirst;
    const remove = (path: string) => api(path, undefined, { method: 'DELETE' });
    const set = now.settings.filter((key) => !first.settings.includes(key));
    if (set.length > 0)
      await api('/api/manage/settings', Object.fromEntries(set.map((key) => [key, null])), {
        method: 'PATCH',
      });
    for (const id of now.tokens) if (!first.tokens.includes(id)) await remove(`/api/manage/tokens/${id}`);
    for (const id of now.projects)
      if (!first.projects.includes(id)) await remove(`/api/manage/projects/${id}`);
    for (const { host, port } of now.certificates)
      await api('/api/manage/certificates/forget', { host, port });
    await this.#takeBackBoard(now);
    if (!isDeepStrictEqual(now.page, first.page)) await api('/api/remote/page/home', {});
  }

  async #takeBackBoard({ pins, board }: State): Promise<void> {
    const api = this.#api;
    const simulate = (part: string, facts: Facts) => api('/api/remote/simulate', { part, ...facts });
    for (const [pin, was] of this.#atFirst.pins.entries()) {
      if (isDeepStrictEqual(pins[pin], was)) continue;
      const [kind, level] = was;
      if (kind === 'relay') await api('/api/remote/gpio/write', { pin, level });
      else await simulate('gpio', { pin, level });
    }
    const { led, climate, rtc, display, serial = [] } = this.#atFirst.board;
    const differs = (part: string) => !isDeepStrictEqual(board[part], this.#atFirst.board[part]);
    if (led !== undefined && differs('led')) {
      const { on, ...color } = led;
      await api('/api/remote/led/color', color);
      await api('/api/remote/led/on', { on });
    }
    if (climate !== undefined && differs('climate')) await simulate('climate', climate);
    if (rtc !== undefined && differs('rtc')) await api('/api/remote/rtc/alarm', rtc);
    if (display !== undefined && differs('display')) {
      const { idle: _, ...set } = display;
      await api('/api/remote/display', set);
      await api('/api/remote/display/activity', {});
    }
    if (differs('serial')) for (const { port } of serial as unknown as Facts[]) await api(SERIAL, { port });
  }
}

/** What is not as it was, by name, with what it is now. */
function differences(now: State, atFirst: State): readonly string[] {
  const parts = ({ board, ...others }: State) => ({ ...others, ...board }) as Facts;
  const [is, was] = [parts(now), parts(atFirst)];
  return Object.keys({ ...was, ...is })
    .filter((name) => !isDeepStrictEqual(is[name], was[name]))
    .map((name) => `${name} ${JSON.stringify(is[name])}`);
}

async function stateOf(service: FaceplateProcess, api: Api): Promise<State> {
  const read = async (path: string) => (await api(path)).body;
  const settings = (await read('/api/manage/settings')).settings as Record<string, { source: string }>;
  const list = async (path: string, name: string) => (await read(path))[name] as Facts[] | undefined;
  const page = await read('/api/remote/page');
  const {
    streams: _streams,
    camera: _camera,
    page: _page,
    gpio: _gpio,
    ...board
  } = await snapshotOf(service);
  return {
    settings: Object.keys(settings).filter((key) => settings[key]!.source === 'file'),
    tokens: (await list('/api/manage/tokens', 'tokens'))!.map(({ id }) => String(id)),
    projects: (await list('/api/manage/projects', 'projects'))!.map(({ id }) => String(id)),
    certificates: (await list('/api/manage/certificates', 'certificates'))!,
    pins: ((await list('/api/remote/gpio', 'pins')) ?? []).map(({ kind, level, pulseUntil, lockedBy }) => [
      kind,
      level,
      pulseUntil,
      lockedBy,
    ]),
    board,
    page: 'url' in page ? { url: page.url, home: page.home, until: page.until } : null,
    files: await Promise.all(
      ['pin.json', 'setup.json'].map((name) =>
        readFile(join(service.dataDir, name), 'utf8').then(
          (text) => (text.includes(NO_PIN) ? null : text),
          () => null,
        ),
      ),
    ),
  };
}

/** The first event that a listener hears. */
async function snapshotOf(service: FaceplateProcess): Promise<Record<string, Facts>> {
  const hangUp = new AbortController();
  const heard = Promise.withResolvers<Record<string, Facts>>();
  const { ended } = await readEvents(service, await service.token(), hangUp.signal, (event, data) => {
    if (event === 'snapshot') heard.resolve(data as Record<string, Facts>);
  });
  void ended.then(() => heard.reject(new Error('The events ended before the snapshot.')));
  const snapshot = await heard.promise;
  hangUp.abort();
  await ended;
  return snapshot;
}
