import { randomUUID } from 'node:crypto';
import type { GlassEvent, VisitorOnGlass } from '../../kiosk/glass/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { StreamService } from '../service.ts';

/** How long the sheet stays without a press, in milliseconds. */
const SHOWN_MS = 30_000;
/** A bell that rings more often than this, in milliseconds, sounds once. */
const RING_MS = 5_000;
const SESSION = 'visitor.glass';

interface VisitorSheetOptions {
  readonly stream: Pick<StreamService, 'open' | 'close'>;
  readonly screen: {
    /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
    show(visitor: VisitorOnGlass | null): Promise<void>;
    /** @returns the function that ends it */
    onEvent(listener: (event: GlassEvent) => void): () => void;
  };
  /** Sounds the bell. */
  readonly ring: () => Promise<unknown>;
  /** Wakes the screen. */
  readonly wake: () => void;
  readonly events: Pick<EventBus, 'onAny'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What cameras announce, as far as it matters here. */
interface CameraNews {
  readonly camera: string;
  readonly kind: string;
  readonly on: boolean;
}

interface TalkNews {
  readonly session: string;
  readonly state: VisitorOnGlass['talk'];
  readonly reason: string | null;
}

/** Shows who rings at a named camera above every page, for 30 s. A call of the intercom takes its place. */
export class VisitorSheet {
  readonly #options: VisitorSheetOptions;
  #shown: VisitorOnGlass | null = null;
  #hasCall = false;
  #rangAt = Number.NEGATIVE_INFINITY;
  #cancel = (): void => {};
  #ends: (() => unknown)[] = [];

  constructor(options: VisitorSheetOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { events, screen } = this.#options;
    this.#ends = [
      events.onAny((name: string, payload) => {
        if (name === 'camera') this.#onCamera(payload as CameraNews);
        else if (name === 'talk') this.#onTalk(payload as TalkNews);
        else if (name === 'sip') this.#onCall((payload as { event: string }).event);
      }),
      screen.onEvent((event) => {
        if (event.slot === 'visitor' && event.id === this.#shown?.id) this.#hear(event);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    this.#hide();
  }

  #onCamera({ camera, kind, on }: CameraNews): void {
    if (kind !== 'visitor' || !on || this.#hasCall) return;
    const { clock, ring, wake, log } = this.#options;
    if (this.#shown?.camera !== camera) {
      // The session of another camera is taken over by the new one.
      this.#show({ id: randomUUID(), camera, talk: 'none', reason: null, picture: null });
    }
    this.#wait();
    wake();
    if (clock.now() - this.#rangAt < RING_MS) return;
    this.#rangAt = clock.now();
    ring().catch((error: unknown) => log.info({ err: error }, 'video: the bell does not sound'));
  }

  #onTalk({ session, state, reason }: TalkNews): void {
    if (session === SESSION && this.#shown !== null) this.#show({ ...this.#shown, talk: state, reason });
  }

  #onCall(event: string): void {
    if (event === 'incomingCall' || event === 'callConnected') {
      this.#hasCall = true;
      this.#hide();
    } else if (event === 'callEnded' || event === 'callFailed') this.#hasCall = false;
  }

  #hear(event: Extract<GlassEvent, { slot: 'visitor' }>): void {
    if (event.did === 'ignored') this.#hide();
    // As long as the button is held, the sheet stays.
    else if (event.did === 'pressed') this.#cancel();
    else if (event.did === 'released') this.#wait();
    else if (event.did === 'offered') void this.#connect(event.id, event.offer, event.sdp);
  }

  async #connect(id: string, offer: number, sdp: string): Promise<void> {
    const { stream, log } = this.#options;
    const { camera } = this.#shown!;
    const url = `camera:${encodeURIComponent(camera)}`;
    const signal = new AbortController().signal;
    const answer = await stream.open({ id: SESSION, url, sdp }, { signal }).catch((error: unknown) => {
      log.debug({ err: error, camera }, 'video: no picture of a visitor');
      return undefined;
    });
    if (this.#shown?.id !== id) {
      if (answer !== undefined && this.#shown === null) this.#close();
      return;
    }
    const picture = { offer, sdp: answer?.sdp ?? null };
    const talk = this.#shown.talk === 'none' ? (answer?.talk ?? 'none') : this.#shown.talk;
    this.#show({ ...this.#shown, talk, picture });
  }

  #wait(): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(SHOWN_MS, () => this.#hide());
  }

  #show(visitor: VisitorOnGlass | null): void {
    this.#shown = visitor;
    this.#options.screen.show(visitor).catch((error: unknown) => {
      this.#options.log.info({ err: error }, 'video: could not show a visitor');
    });
  }

  #hide(): void {
    this.#cancel();
    if (this.#shown === null) return;
    this.#show(null);
    this.#close();
  }

  /** If its viewer has already gone, the session has ended. */
  #close(): void {
    this.#options.stream.close({ id: SESSION }).catch(() => {});
  }
}
