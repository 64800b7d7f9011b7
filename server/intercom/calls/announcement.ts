import { FaceplateError } from '../../contract/errors.ts';
import type { CallMedia, CallTarget, MediaFactory, MediaOptions, Signalling } from '../ports.ts';
import type { PanelEntry } from '../sipContract.ts';
import type { SessionContext } from './callSession.ts';
import { OutgoingSession } from './outgoingSession.ts';

interface AnnouncementOptions {
  /** Id of the announcement, the same on all its calls. */
  readonly id: string;
  readonly context: SessionContext;
  readonly media: MediaFactory;
  readonly signalling: Signalling;
  readonly muted: boolean;
  /** Called with the number of panels that hear the announcement, whenever it changes. */
  onActive(count: number): void;
  /**
   * Called once.
   * @param heard whether any panel took the announcement.
   * @param problem a sentence: why the last panel that failed did not.
   */
  onOver(heard: boolean, problem: string | undefined): void;
}

type PagedMedia = Awaited<ReturnType<MediaFactory['openPage']>>;

/** One announcement to many panels: a call to each, with one microphone stream. Busy panels are skipped. */
export class Announcement {
  readonly id: string;
  readonly #options: AnnouncementOptions;
  readonly #legs = new Set<OutgoingSession>();
  readonly #all: OutgoingSession[] = [];
  #opening: Promise<PagedMedia> | undefined;
  #active = 0;
  #heard = false;
  #problem: string | undefined;
  #over = false;
  #muted: boolean;

  constructor(options: AnnouncementOptions) {
    this.id = options.id;
    this.#options = options;
    this.#muted = options.muted;
  }

  get active(): number {
    return this.#active;
  }

  /** Starts to call the panels. */
  start(panels: readonly PanelEntry[]): void {
    const { media, context } = this.#options;
    this.#opening = media.openPage();
    // Each leg meets the failure on its own.
    this.#opening.catch(() => undefined);
    const legContext: SessionContext = {
      ...context,
      openMedia: (options) => this.#openLeg(options),
      // The speaker hears none of the panels' tones.
      play: async () => true,
    };
    for (const panel of panels) this.#call(panel, legContext);
    if (panels.length === 0) this.#finish();
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    for (const leg of this.#legs) leg.setMuted(muted);
  }

  hangup(): void {
    for (const leg of [...this.#legs]) leg.hangup();
  }

  /** Resolves when all that the announcement held is released. */
  async released(): Promise<void> {
    await Promise.all(this.#all.map((leg) => leg.released()));
    const page = await this.#opening?.catch(() => undefined);
    await page?.stop();
  }

  #call(panel: PanelEntry, context: SessionContext): void {
    const leg: OutgoingSession = new OutgoingSession(
      context,
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
      // Otherwise any device that announces itself as a panel would hear it.
      mustProve: signalling.provesPanels,
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
