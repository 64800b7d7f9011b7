import type { PanelEntry, SipEvent, SipStatus } from '../../contract/sip.ts';
import type { BackgroundWork } from './backgroundWork.ts';
import type { CallHistory } from './callHistory.ts';
import { newRecord } from './callRecord.ts';
import type { CallWorld } from './callSession.ts';
import type { MediaFactory, Signalling } from './driver.ts';
import type { FailureNotice } from './failureNotice.ts';
import { Paging } from './paging.ts';

interface PagingDeskOptions {
  readonly world: CallWorld;
  readonly media: MediaFactory;
  readonly signalling: Signalling;
  readonly history: CallHistory;
  readonly failure: FailureNotice;
  readonly background: BackgroundWork;
  emit(event: SipEvent): void;
}

/** The page to all panels there is: its words, its place in the history, and what pages are told of it. */
export class PagingDesk {
  readonly #options: PagingDeskOptions;
  #paging: Paging | undefined;

  constructor(options: PagingDeskOptions) {
    this.#options = options;
  }

  /** Its id, while it lasts. */
  get id(): string | undefined {
    return this.#paging?.id;
  }

  /** Number of panels that hear it. */
  get active(): number {
    return this.#paging?.active ?? 0;
  }

  /** What it is called in the status, while it lasts. */
  get words(): SipStatus['callStatus'] | undefined {
    if (this.#paging === undefined) return undefined;
    return this.active === 0 ? 'paging...' : `paging (${this.active} active)`;
  }

  /** Begins to speak to these panels; there must be no page yet. */
  start(panels: readonly PanelEntry[], muted: boolean): void {
    const { world, media, signalling, history, background } = this.#options;
    const record = newRecord('outgoing', { name: '', address: '', isBroadcast: true });
    const startedAt = world.clock.now();
    const paging: Paging = new Paging({
      id: record.id,
      world,
      media,
      signalling,
      muted,
      onActive: (count) => this.#tell(count),
      onOver: (heard, problem) => {
        if (this.#paging !== paging) return;
        this.#paging = undefined;
        background.keep(paging.released());
        const seconds = heard ? Math.round((world.clock.now() - startedAt) / 1000) : 0;
        const outcome = heard ? 'answered' : 'failed';
        history.add(record, { outcome, seconds, hasVideo: false, viaPbx: false });
        if (heard) return;
        // A certificate that nobody trusts, say, is mended on the settings page.
        this.#options.failure.problem = ['No other panel took the page.', problem].join(' ').trim();
        this.#tell(0);
      },
    });
    this.#paging = paging;
    paging.start(panels);
  }

  setMuted(muted: boolean): void {
    this.#paging?.setMuted(muted);
  }

  hangup(): void {
    this.#paging?.hangup();
  }

  #tell(activeCount: number): void {
    this.#options.emit({ event: 'pagingStatusChanged', payload: { activeCount } });
  }
}
