import { FaceplateError } from '../../contract/errors.ts';
import type { CallMedia, CallTarget, MediaFactory, MediaOptions, Signalling } from '../ports.ts';
import type { PanelEntry, SipEvent, SipStatus } from '../sipContract.ts';
import type { FailureNotice } from './callFeedback.ts';
import { type CallHistory, newRecord } from './callHistory.ts';
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
class Announcement {
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
    // Each leg handles its failure.
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

  /** Resolves when the announcement has released everything. */
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

interface PagingDeskOptions {
  readonly context: SessionContext;
  readonly media: MediaFactory;
  readonly signalling: Signalling;
  readonly history: CallHistory;
  readonly failure: FailureNotice;
  /** Takes work that no caller waits for. */
  readonly inBackground: (work: Promise<unknown>) => void;
  emit(event: SipEvent): void;
}

/** The announcement that is under way: its texts, its entry in the history, and its events to pages. */
export class AnnouncementController {
  readonly #options: PagingDeskOptions;
  #announcement: Announcement | undefined;

  constructor(options: PagingDeskOptions) {
    this.#options = options;
  }

  /** The announcement's id, while it lasts. */
  get id(): string | undefined {
    return this.#announcement?.id;
  }

  /** Number of panels that hear it. */
  get active(): number {
    return this.#announcement?.active ?? 0;
  }

  /** Its text in the status, while it lasts. */
  get words(): SipStatus['callStatus'] | undefined {
    if (this.#announcement === undefined) return undefined;
    return this.active === 0 ? 'paging...' : `paging (${this.active} active)`;
  }

  /** Starts to speak to these panels; there must be no announcement yet. */
  start(panels: readonly PanelEntry[], muted: boolean): void {
    const { context, media, signalling, history, inBackground } = this.#options;
    const record = newRecord('outgoing', { name: '', address: '', isBroadcast: true });
    const startedAt = context.clock.now();
    const announcement: Announcement = new Announcement({
      id: record.id,
      context,
      media,
      signalling,
      muted,
      onActive: (count) => this.#tell(count),
      onOver: (heard, problem) => {
        if (this.#announcement !== announcement) return;
        this.#announcement = undefined;
        inBackground(announcement.released());
        const seconds = heard ? Math.round((context.clock.now() - startedAt) / 1000) : 0;
        const outcome = heard ? 'answered' : 'failed';
        history.add(record, { outcome, seconds, hasVideo: false, viaPbx: false });
        if (heard) return;
        // For example, an untrusted certificate can be accepted on the settings page.
        this.#options.failure.problem = ['No other panel took the page.', problem].join(' ').trim();
        this.#tell(0);
      },
    });
    this.#announcement = announcement;
    announcement.start(panels);
  }

  setMuted(muted: boolean): void {
    this.#announcement?.setMuted(muted);
  }

  hangup(): void {
    this.#announcement?.hangup();
  }

  #tell(activeCount: number): void {
    this.#options.emit({ event: 'pagingStatusChanged', payload: { activeCount } });
  }
}
