import {
  type Entity,
  type EntityContext,
  type EntityHost,
  InvalidPayload,
  mustPress,
  type PartEntities,
} from '../parts/homeAssistant.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { type PageState, shownUrl } from './contract.ts';

/** Longest state that Home Assistant takes, in characters. */
const STATE_LIMIT = 255;
/** What Home Assistant shows as unknown. */
const NONE = 'None';

interface KioskNow {
  readonly page: PageState | undefined;
  /** Of the setting kiosk.pages. */
  readonly pages: readonly { readonly name: string; readonly url: string }[];
}

/** What the kiosk page shows. */
export const homeAssistant = ({ clock, log, picture, show }: EntityHost): PartEntities<KioskNow> => {
  const screenshots = new Screenshots({
    take: picture,
    send: (bytes) => show('screenshot', bytes),
    clock,
    log,
  });
  const withPage = (entities: (context: EntityContext<KioskNow>) => Entity[]) => {
    return (context: EntityContext<KioskNow>) => (context.now.page === undefined ? [] : entities(context));
  };
  return {
    groups: [
      { order: 30, entities: withPage(pageSelect) },
      { order: 50, entities: withPage(address) },
      { order: 70, entities: withPage(page) },
    ],
    heard: { page: () => screenshots.changed(), display: () => screenshots.changed() },
    announced: ({ now, may }) => {
      // Nothing waits for the picture: it may take long.
      if (now.page !== undefined && may('kiosk.screenshot')) screenshots.start();
    },
    stop: () => screenshots.stop(),
  };
};

function pageSelect({ now, word }: EntityContext<KioskNow>): Entity[] {
  if (now.pages.length === 0) return [];
  return [
    {
      key: 'page',
      platform: 'select',
      name: word('Page', 'Seite', 'Página'),
      needs: 'page.show',
      config: {
        options: now.pages.map(({ name }) => name),
        icon: 'mdi:page-next-outline',
      },
      state: pageShown(now),
      set: async (payload, call) => {
        if (!now.pages.some(({ name }) => name === payload))
          throw new InvalidPayload('must be the name of a page of kiosk.pages');
        await call('page.show', { page: payload });
      },
    },
  ];
}

/** The name of the page that is shown. */
function pageShown({ page, pages }: KioskNow): string {
  const shown = pages.find(({ url }) => page !== undefined && sameAddress(url, page.url));
  return shown?.name ?? NONE;
}

function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

function address({ topics, word }: EntityContext<KioskNow>): Entity[] {
  return [
    {
      key: 'url',
      platform: 'text',
      name: word('Address shown', 'Gezeigte Adresse', 'Dirección mostrada'),
      needs: 'page.show',
      config: {
        max: STATE_LIMIT,
        state_topic: topics.state('page'),
        value_template: `{{ value_json.url[:${STATE_LIMIT}] }}`,
        entity_category: 'config',
        icon: 'mdi:link-variant',
      },
      set: async (payload, call) => {
        const url = shownUrl.safeParse(payload);
        if (!url.success) throw new InvalidPayload('must be an http or https address');
        await call('page.show', { url: url.data });
      },
    },
  ];
}

function page({ topics, word }: EntityContext<KioskNow>): Entity[] {
  return [
    {
      key: 'reload',
      platform: 'button',
      name: word('Reload page', 'Seite neu laden', 'Recargar la página'),
      needs: 'kiosk.reload',
      config: { icon: 'mdi:refresh' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('kiosk.reload', {});
      },
    },
    {
      key: 'home',
      platform: 'button',
      name: word('Home page', 'Startseite', 'Página de inicio'),
      needs: 'page.home',
      config: { icon: 'mdi:home' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('page.home', {});
      },
    },
    {
      key: 'screenshot',
      platform: 'image',
      name: word('Screenshot', 'Bildschirmfoto', 'Captura de pantalla'),
      needs: 'kiosk.screenshot',
      config: {
        image_topic: topics.own('screenshot'),
        content_type: 'image/jpeg',
        icon: 'mdi:monitor-screenshot',
      },
    },
    {
      key: 'title',
      platform: 'sensor',
      name: word('Page title', 'Seitentitel', 'Título de la página'),
      config: {
        state_topic: topics.state('page'),
        value_template: `{{ value_json.title[:${STATE_LIMIT}] or '${NONE}' }}`,
        icon: 'mdi:format-title',
      },
    },
  ];
}

/** Two pictures are at least so far apart, in milliseconds. */
const APART_MS = 30_000;
/** A picture is taken at least so often, in milliseconds. */
const EVERY_MS = 600_000;
/** What is shown after a change needs a moment until it is drawn, in milliseconds. */
const DRAWN_MS = 500;

interface ScreenshotsOptions {
  /** @returns a JPEG */
  take(): Promise<Uint8Array>;
  send(picture: Uint8Array): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The pace of pictures of the screen: at a change, every ten minutes, never two within half a minute. */
class Screenshots {
  readonly #options: ScreenshotsOptions;
  #cancel: (() => void) | undefined;
  /** When the timer is due that is set. */
  #dueAt = Number.POSITIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  #last: Uint8Array | undefined;
  #isRunning = false;

  constructor(options: ScreenshotsOptions) {
    this.#options = options;
  }

  /** Sends a picture as soon as the pace allows; until then the last one, which a new connection has not seen. */
  start(): void {
    this.#isRunning = true;
    if (this.#last !== undefined) this.#options.send(this.#last);
    this.changed();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** The screen shows something else. */
  changed(): void {
    if (!this.#isRunning) return;
    const { clock } = this.#options;
    this.#wake(Math.max(clock.now() + DRAWN_MS, this.#lastAt + APART_MS));
  }

  #wake(at: number): void {
    if (at >= this.#dueAt) return;
    this.#cancel?.();
    this.#dueAt = at;
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, at - clock.now()), () => void this.#take());
  }

  async #take(): Promise<void> {
    const { take, send, clock, log } = this.#options;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#cancel = undefined;
    this.#lastAt = clock.now();
    try {
      const picture = await take();
      this.#last = picture;
      if (this.#isRunning) send(picture);
    } catch (error) {
      log.debug({ err: error }, 'kiosk: no picture for Home Assistant');
    }
    if (this.#isRunning) this.#wake(this.#lastAt + EVERY_MS);
  }
}
