import { FaceplateError } from '../../contract/errors.ts';
import type { PanelEntry } from '../../contract/sip.ts';
import type { CallWorld } from './callSession.ts';
import type { CallMedia, CallTarget, MediaFactory, MediaOptions, Signalling } from './driver.ts';
import { OutgoingSession } from './outgoingSession.ts';

interface PagingOptions {
  /** Names the page, the same on all its calls. */
  readonly id: string;
  readonly world: CallWorld;
  readonly media: MediaFactory;
  readonly signalling: Signalling;
  readonly muted: boolean;
  /** Number of panels that hear the page, whenever it changes. */
  onActive(count: number): void;
  /**
   * Told once.
   * @param heard whether any panel took the page.
   * @param problem a sentence why the last one that failed did not.
   */
  onOver(heard: boolean, problem: string | undefined): void;
}

type PagedMedia = Awaited<ReturnType<MediaFactory['openPage']>>;

/** One page to many panels: a call to each, with one microphone stream. Panels that are busy are left out. */
export class Paging {
  readonly id: string;
  readonly #options: PagingOptions;
  readonly #legs = new Set<OutgoingSession>();
  readonly #all: OutgoingSession[] = [];
  #opening: Promise<PagedMedia> | undefined;
  #active = 0;
  #heard = false;
  #problem: string | undefined;
  #over = false;
  #muted: boolean;

  constructor(options: PagingOptions) {
    this.id = options.id;
    this.#options = options;
    this.#muted = options.muted;
  }

  get active(): number {
    return this.#active;
  }

  /** Begins to call the panels. */
  start(panels: readonly PanelEntry[]): void {
    const { media, world } = this.#options;
    this.#opening = media.openPage();
    // Each leg meets the failure itself.
    this.#opening.catch(() => undefined);
    const legWorld: CallWorld = {
      ...world,
      openMedia: (options) => this.#openLeg(options),
      // The one who speaks hears none of the panels' tones.
      play: async () => true,
    };
    for (const panel of panels) this.#call(panel, legWorld);
    if (panels.length === 0) this.#finish();
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    for (const leg of this.#legs) leg.setMuted(muted);
  }

  hangup(): void {
    for (const leg of [...this.#legs]) leg.hangup();
  }

  /** Resolves when all that the page held is released. */
  async released(): Promise<void> {
    await Promise.all(this.#all.map((leg) => leg.released()));
    const page = await this.#opening?.catch(() => undefined);
    await page?.stop();
  }

  #call(panel: PanelEntry, world: CallWorld): void {
    const leg: OutgoingSession = new OutgoingSession(
      world,
      {
        connected: () => {
          this.#heard = true;
          this.#count(1);
        },
        over: (outcome) => {
          if (outcome.kind === 'failed') this.#problem = outcome.sentence;
          this.#legs.delete(leg);
          if (leg.wasConnected) this.#count(-1);
          if (this.#legs.size === 0) this.#finish();
        },
      },
      'calling',
      this.#muted,
    );
    this.#legs.add(leg);
    this.#all.push(leg);
    const { signalling } = this.#options;
    const target: CallTarget = { kind: 'address', host: panel.host, port: panel.port };
    const secure = signalling.isSecure(target);
    leg.start({
      signalling,
      target,
      headers: { autoAnswer: true, pageId: this.id },
      media: { video: false, direction: 'sendonly', secure, peerHost: panel.host },
    });
  }

  async #openLeg(options: MediaOptions): Promise<CallMedia> {
    const page = await this.#opening;
    if (page === undefined) throw new FaceplateError('CONFLICT');
    return page.open(options);
  }

  #count(change: number): void {
    this.#active += change;
    this.#options.onActive(this.#active);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.onOver(this.#heard, this.#problem);
  }
}
