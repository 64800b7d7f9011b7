import { FaceplateError } from '../../contract/errors.ts';
import type { CallAction, CallOnGlass, GlassEvent } from '../../kiosk/glass/contract.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';
import type { SipStatus } from '../sipContract.ts';
import type { SipService } from './service.ts';

interface CallSheetOptions {
  readonly intercom: Pick<
    SipService,
    | 'incomingCall'
    | 'onIgnored'
    | 'getStatus'
    | 'answer'
    | 'ignore'
    | 'hangup'
    | 'openDoor'
    | 'pictureForGlass'
  >;
  /** Where the sheet is shown: the layer above the kiosk page. */
  readonly screen: {
    /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
    show(call: CallOnGlass | null): Promise<void>;
    /** @returns the function that ends it */
    onEvent(listener: (event: GlassEvent) => void): () => void;
  };
  /** What may cover the kiosk page, and what that page draws. */
  readonly cover: { readonly isOpen: boolean; onCover(listener: () => void): void };
  readonly holders: Pick<ResourceScopes, 'hold'>;
  readonly events: Pick<EventBus, 'onAny'>;
  readonly log: Logger;
}

/** What a person did with a call, and what came of it. */
interface Did {
  readonly callId: string;
  isAnswering: boolean;
  door: Exclude<CallOnGlass['door'], null>;
  /** Its picture cannot be had: another try does not help, and wrong passwords can lock a camera. */
  isBlind: boolean;
}
const FINAL = ['INVALID_REQUEST', 'FORBIDDEN', 'UNSUPPORTED_CODEC', 'CAMERA_UNAUTHORIZED'];

/**
 * Shows a call that came in above every page, with all that a person does with it. A page that draws calls itself claims
 * them; while something covers that page, the sheet is shown all the same.
 */
export class CallSheet {
  readonly #options: CallSheetOptions;
  /** Documents that draw calls themselves. */
  readonly #claims = new Set<object>();
  /** What a person did, of this call alone. */
  #did: Did | undefined;
  #picture: CallOnGlass['picture'] = null;
  #shown = 'null';
  #ends: (() => void)[] = [];

  constructor(options: CallSheetOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { intercom, screen, cover, events } = this.#options;
    cover.onCover(() => this.#look());
    this.#ends = [
      events.onAny((name) => name === 'sip' && this.#look()),
      intercom.onIgnored(() => this.#look()),
      screen.onEvent((event) => this.#hear(event)),
    ];
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    this.#options.cover.onCover(() => {});
  }

  /** The calling page draws calls itself, until it is left. @throws FaceplateError SIP_DISABLED, SHUTTING_DOWN */
  async claim(_params: unknown, { identity }: { readonly identity: object }): Promise<SipStatus> {
    const status = await this.#options.intercom.getStatus();
    if (!this.#claims.has(identity)) {
      this.#claims.add(identity);
      this.#options.holders.hold(identity, () => {
        this.#claims.delete(identity);
        this.#look();
      });
      this.#look();
    }
    return status;
  }

  /** Shows the call as it is now, or nothing. */
  #look(): void {
    const { intercom, cover, screen, log } = this.#options;
    const call = intercom.incomingCall;
    if (this.#did?.callId !== call?.id) {
      this.#did = call && { callId: call.id, isAnswering: false, door: 'closed', isBlind: false };
      this.#picture = null;
    }
    const isDrawn = this.#claims.size > 0 && !cover.isOpen;
    let content: CallOnGlass | null = null;
    if (call !== undefined && this.#did !== undefined && !isDrawn) {
      const { isAnswering, door, isBlind } = this.#did;
      const { id, caller, isConnected, isBroadcast, hasVideo, mayOpenDoor } = call;
      content = {
        id,
        phase: isConnected ? 'connected' : isAnswering ? 'answering' : 'ringing',
        caller,
        isBroadcast,
        hasVideo: hasVideo && !isBlind,
        door: mayOpenDoor ? door : null,
        picture: this.#picture,
      };
    }
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    this.#shown = shown;
    screen.show(content).catch((error: unknown) => {
      log.info({ err: error }, 'intercom: could not show the call');
    });
  }

  #hear(event: GlassEvent): void {
    const call = this.#options.intercom.incomingCall;
    if (event.slot !== 'call' || event.id !== call?.id) return;
    if (event.did === 'offered') void this.#connect(event.offer, event.sdp);
    else
      this.#do(event.did).catch((error: unknown) =>
        this.#options.log.warn({ err: error, did: event.did }, 'intercom: the sheet of a call failed'),
      );
  }

  async #do(action: CallAction): Promise<void> {
    const { intercom } = this.#options;
    const did = this.#did;
    if (action === 'ignored') await intercom.ignore();
    else if (action === 'hungUp') await intercom.hangup();
    else if (did === undefined) return;
    else if (action === 'answered') await this.#answer(did);
    else if (did.door !== 'opening') await this.#openDoor(did);
  }

  async #answer(did: Did): Promise<void> {
    did.isAnswering = true;
    this.#look();
    try {
      await this.#options.intercom.answer();
    } finally {
      did.isAnswering = false;
      this.#look();
    }
  }

  async #openDoor(did: Did): Promise<void> {
    did.door = 'opening';
    this.#look();
    try {
      const { lastError } = await this.#options.intercom.openDoor({});
      did.door = lastError === null ? 'opened' : 'failed';
    } catch (error) {
      did.door = 'failed';
      throw error;
    } finally {
      this.#look();
    }
  }

  /** The page asks again when there is no picture yet. */
  async #connect(offer: number, sdp: string): Promise<void> {
    const { intercom, log } = this.#options;
    const did = this.#did;
    if (did === undefined) return;
    const answer = await intercom.pictureForGlass(sdp).catch((error: unknown) => {
      log.debug({ err: error }, 'intercom: no picture for the sheet of a call');
      did.isBlind ||= error instanceof FaceplateError && FINAL.includes(error.code);
      return null;
    });
    if (this.#did !== did) return;
    this.#picture = { offer, sdp: answer };
    this.#look();
  }
}
