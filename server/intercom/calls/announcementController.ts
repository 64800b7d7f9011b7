import type { MediaFactory, Signalling } from '../ports.ts';
import type { PanelEntry, SipEvent, SipStatus } from '../sipContract.ts';
import { Announcement } from './announcement.ts';
import type { BackgroundWork } from './backgroundWork.ts';
import type { CallHistory } from './callHistory.ts';
import { newRecord } from './callRecord.ts';
import type { SessionContext } from './callSession.ts';
import type { FailureNotice } from './failureNotice.ts';

interface PagingDeskOptions {
  readonly context: SessionContext;
  readonly media: MediaFactory;
  readonly signalling: Signalling;
  readonly history: CallHistory;
  readonly failure: FailureNotice;
  readonly background: BackgroundWork;
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
    const { context, media, signalling, history, background } = this.#options;
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
        background.keep(announcement.released());
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
