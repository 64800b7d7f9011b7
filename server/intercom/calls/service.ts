import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallTarget, CallViewer } from '../ports.ts';
import type { Door } from '../settingsContract.ts';
import type { SipEvent } from '../sipContract.ts';
import { CALL_MAX_VOLUME, parseAddress, type SipStatus } from '../sipContract.ts';
import { CallController } from './callController.ts';
import { CallHistory } from './callHistory.ts';
import { incomingFacts, type ShownCall, showVideo } from './currentCall.ts';
import { Doors } from './doors.ts';
import type { Intercom } from './intercom.ts';
import { Preferences } from './preferences.ts';

interface SipServiceOptions {
  /** null while `sip.enabled` is off. */
  readonly intercom: Intercom | null;
  readonly deviceName: string;
  readonly autoAnswer: boolean;
  readonly doors: readonly Door[];
  readonly dataDir: string;
  readonly events: EventBus;
  /** Called for an incoming call: a sleeping panel has to light up. */
  readonly onRing: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Milliseconds until a port in use is tried again. */
export const RETRY_MS = 10_000;

type Status = Promise<SipStatus>;

/**
 * The intercom as pages see it: every method of `container.sip`. A method that needs a call and has none changes
 * nothing.
 */
export class SipService {
  readonly #options: SipServiceOptions;
  readonly #preferences: Preferences;
  readonly #history: CallHistory;
  readonly #doors: Doors;
  #controller: CallController | undefined;
  #isStarted = false;
  #registrationError: string | null = null;
  #cancelRetry: () => void = () => {};
  #starting: Promise<void> | undefined;
  readonly #onIgnored = new Set<(callId: string) => void>();

  constructor(options: SipServiceOptions) {
    const { dataDir, log, doors } = options;
    this.#options = options;
    this.#preferences = new Preferences(dataDir, log);
    this.#history = new CallHistory(dataDir, log);
    this.#doors = new Doors(doors);
  }

  /** Registers and accepts calls from then on. Does nothing while the intercom is off. */
  async start(): Promise<void> {
    const { intercom } = this.#options;
    if (intercom === null || this.#isStarted) return;
    this.#isStarted = true;
    const { signalling, media, page, discovery, panels } = intercom;
    await this.#preferences.start();
    await this.#history.start();
    const controller = new CallController({
      ...this.#options,
      intercom,
      doors: this.#doors,
      preferences: this.#preferences,
      history: this.#history,
      emit: (event) => this.#emit(event),
    });
    this.#controller = controller;
    signalling.onIncoming = (call) => controller.incoming(call);
    signalling.onRegistration = (registered, lastError) => {
      this.#registrationError = lastError;
      this.#emit({ event: 'registrationChanged', payload: { registered, lastError } });
    };
    page.onReset = () => {
      media.resetPage();
      controller.pageCameBack();
    };
    await media.start();
    controller.open();
    if (discovery !== null) {
      discovery.onFound = (panel) => {
        const entry = panels.add(panel);
        if (entry !== undefined) this.#emit({ event: 'panelFound', payload: entry });
      };
      discovery.onLost = (panel) => {
        const name = panels.remove(panel.id);
        if (name !== undefined) this.#emit({ event: 'panelLost', payload: { name } });
      };
    }
    await this.#listen(intercom);
  }

  /** An intercom that cannot listen must not stop the start of the panel: it retries until it can. */
  async #listen(intercom: Intercom): Promise<void> {
    const { clock, log, deviceName } = this.#options;
    try {
      await intercom.signalling.start();
    } catch (error) {
      log.error({ err: error }, 'intercom: could not listen');
      this.#registrationError = (error as Error).message;
      this.#cancelRetry = clock.after(RETRY_MS, () => {
        this.#starting = this.#listen(intercom).catch((failure: unknown) =>
          log.error({ err: failure }, 'intercom: could not start'),
        );
      });
      return;
    }
    this.#registrationError = null;
    const own = { id: this.#preferences.values.panelId, name: deviceName, port: intercom.port() };
    await intercom.discovery?.start(own);
  }

  /**
   * Hangs up (BYE), unregisters, and sends the mDNS goodbye to the other panels. Safe to call twice, and before
   * `start`.
   */
  async stop(): Promise<void> {
    const { intercom, log } = this.#options;
    if (intercom === null || !this.#isStarted) return;
    this.#isStarted = false;
    const controller = this.#controller;
    this.#controller = undefined;
    const failed = (error: unknown) => log.warn({ err: error }, 'intercom: could not stop cleanly');
    controller?.close();
    this.#cancelRetry();
    await this.#starting;
    await Promise.all([
      intercom.discovery?.stop().catch(failed),
      intercom.signalling.stop().catch(failed),
      intercom.preview.close().catch(failed),
    ]);
    await controller?.released().catch(failed);
    await intercom.media.stop().catch(failed);
    intercom.panels.clear();
    await this.#history.stop();
    await this.#preferences.stop();
  }

  /** @throws FaceplateError SIP_DISABLED, as every method below. */
  async getStatus(): Status {
    return this.#status(this.#open());
  }

  /** Whether there is a call, or one rings: nothing restarts then by itself. @throws FaceplateError SHUTTING_DOWN */
  async isInCall(): Promise<boolean> {
    if (this.#options.intercom === null) return false;
    const { callStatus } = this.#status(this.#open());
    return callStatus !== 'idle' && callStatus !== 'failed';
  }

  /** Everything that a caller outside the page wants to see at once. */
  async overview(): Promise<ResultOf<'intercom.state'>> {
    const status = this.#status(this.#open());
    return {
      status,
      panels: this.#options.intercom?.panels.list() ?? [],
      doors: this.#doors.names.map((name) => ({ name })),
      history: this.#history.list(),
      doNotDisturb: this.#preferences.values.doNotDisturb,
    };
  }

  /** Calls an address, or the extension that has this name. */
  async placeCall({ peer }: ParamsOf<'intercom.call'>): Status {
    const address = parseAddress(peer);
    return this.#call(address ? { kind: 'address', ...address } : { kind: 'extension', extension: peer });
  }

  async placeCallToIp({ ip }: ParamsOf<'sip.placeCallToIp'>): Status {
    const address = parseAddress(ip);
    if (address === undefined) throw new FaceplateError('INVALID_REQUEST', undefined, { field: 'ip' });
    return this.#call({ kind: 'address', ...address });
  }

  async placeCallToExtension({ extension }: ParamsOf<'sip.placeCallToExtension'>): Status {
    return this.#call({ kind: 'extension', extension });
  }

  /** Resolves when the call is connected or has failed. */
  async answer(): Status {
    const controller = this.#open();
    await controller.answer();
    return this.#status(controller);
  }

  /** Calls back with the id of a call that was ignored, which no event reports. @returns the function that ends it */
  onIgnored(listener: (callId: string) => void): () => void {
    this.#onIgnored.add(listener);
    return () => this.#onIgnored.delete(listener);
  }

  async reject(): Status {
    return this.#do((controller) => controller.reject());
  }

  async ignore(): Status {
    return this.#do((controller) => {
      const id = controller.current?.record.id;
      controller.ignore();
      if (id === undefined || controller.current !== undefined) return;
      for (const listener of this.#onIgnored) listener(id);
    });
  }

  async hangup(): Status {
    return this.#do((controller) => controller.hangup());
  }

  async pageAll(): Status {
    return this.#do((controller) => controller.pageAll());
  }

  async hangupPageAll(): Status {
    return this.#do((controller) => controller.hangupPageAll());
  }

  async setAutoAnswer({ enabled }: ParamsOf<'sip.setAutoAnswer'>): Status {
    return this.#do((controller) => {
      controller.autoAnswer = enabled;
    });
  }

  async setMicMuted({ muted }: ParamsOf<'sip.setMicMuted'>): Status {
    return this.#do((controller) => controller.setMicMuted(muted));
  }

  async setCallVolume({ volume }: ParamsOf<'sip.setCallVolume'>): Status {
    return this.#do((controller) => controller.setVolume(volume));
  }

  async setDoNotDisturb({ enabled }: ParamsOf<'sip.setDoNotDisturb'>): Status {
    return this.#do(() => this.#preferences.change({ doNotDisturb: enabled }));
  }

  /** Resolves when the keys have been sent. */
  async sendDtmf({ digits }: ParamsOf<'sip.sendDtmf'>): Status {
    const controller = this.#open();
    await controller.sendDtmf(digits);
    return this.#status(controller);
  }

  /** @throws FaceplateError INVALID_REQUEST for a name that no door has. A failure at the door becomes `lastError`. */
  async openDoor({ name }: ParamsOf<'sip.openDoor'>): Status {
    const controller = this.#open();
    if (name !== undefined && this.#doors.named(name) === undefined) {
      throw new FaceplateError('INVALID_REQUEST', 'The setting sip.doors has no door of this name.', {
        field: 'name',
      });
    }
    await controller.openDoor(name);
    return this.#status(controller);
  }

  async history(): Promise<ResultOf<'sip.history'>> {
    this.#open();
    return this.#history.list();
  }

  async listPanels(): Promise<ResultOf<'sip.listPanels'>> {
    this.#open();
    return this.#options.intercom?.panels.list() ?? [];
  }

  /** @throws FaceplateError NOT_FOUND if there is no such picture now. */
  async showVideo({ target, sdp }: ParamsOf<'sip.showVideo'>): Promise<ResultOf<'sip.showVideo'>> {
    return { sdp: await this.#picture(target, sdp) };
  }

  /** The remote party's picture for the glass. @throws FaceplateError NOT_FOUND if there is none now */
  async pictureForGlass(sdp: string): Promise<string> {
    return this.#picture('glass', sdp);
  }

  /** The call that came in and is not over. */
  get incomingCall(): ShownCall | undefined {
    return incomingFacts(this.#controller?.current, this.#doors);
  }

  async hideVideo({ target }: ParamsOf<'sip.hideVideo'>): Status {
    const controller = this.#open();
    if (target !== 'local') await this.#options.intercom?.preview.close('remote');
    return this.#status(controller);
  }

  #picture(viewer: CallViewer, sdp: string): Promise<string> {
    const { current } = this.#open();
    return showVideo(current, this.#options.intercom!.preview, viewer, sdp);
  }

  #open(): CallController {
    if (this.#options.intercom === null) throw new FaceplateError('SIP_DISABLED');
    if (this.#controller === undefined) throw new FaceplateError('SHUTTING_DOWN');
    return this.#controller;
  }

  #do(work: (controller: CallController) => void): SipStatus {
    const controller = this.#open();
    work(controller);
    return this.#status(controller);
  }

  #call(target: CallTarget): SipStatus {
    return this.#do((controller) => controller.call(target));
  }

  #status(controller: CallController): SipStatus {
    const { micMuted, callVolume } = this.#preferences.values;
    const { deviceName, intercom } = this.#options;
    return {
      ...controller.state(),
      registered: intercom?.signalling.registered ?? false,
      deviceName,
      micMuted,
      callVolume,
      callMaxVolume: CALL_MAX_VOLUME,
      lastError: controller.problem ?? this.#registrationError,
    };
  }

  #emit(event: SipEvent): void {
    if (event.event === 'incomingCall') this.#options.onRing();
    this.#options.events.emit('sip', event);
  }
}
