import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { BridgeSink, KioskHost, Layer } from '../host.ts';
import type {
  CodedPicture,
  GlassBackdrop,
  GlassContents,
  GlassEvent,
  GlassOrder,
  GlassReply,
  GlassSlot,
  GlassSlots,
} from './contract.ts';
import { GlassPictures } from './pictures.ts';

/** How long the page may take to draw, in milliseconds; after that it is shown as it was. */
const DRAW_MS = 2_000;

interface GlassOptions {
  /** Of what the panel itself says, as it is now. */
  readonly language: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What is on the glass above the kiosk page: messages, dialogs, approvals, calls, notes and savers, in one layer. Each has a slot; the
 * page of the layer draws them together and says how much of the screen that needs. It comes back after a crash.
 */
export class Glass {
  readonly #options: GlassOptions;
  readonly #listeners = new Set<(event: GlassEvent) => void>();
  #onTaken = (_by: GlassSlot): void => {};
  /** What is not drawn for now. */
  #held: readonly GlassSlot[] = [];
  #contents: GlassContents = {
    message: null,
    dialog: null,
    note: null,
    saver: null,
    approval: null,
    call: null,
    visitor: null,
    microphone: null,
  };
  #host: KioskHost | undefined;
  #url = '';
  #layer: Layer | undefined;
  #opening: Promise<void> | undefined;
  #isReady = false;
  #order = 0;
  /** Whether the page behind the dialog of now is shown, or on its way. */
  #hasBackdrop = false;
  /** Pixels below that the keyboard takes. */
  #room = 0;
  /** Of the order that the page has not drawn yet. */
  #drawing: PromiseWithResolvers<void> | undefined;
  #placing: Promise<void> = Promise.resolve();
  readonly #pictures: GlassPictures;

  constructor(options: GlassOptions) {
    this.#options = options;
    const { clock } = options;
    this.#pictures = new GlassPictures({ clock, post: (order) => this.#layer?.post(JSON.stringify(order)) });
  }

  /** Gives the glass its window. Its page is loaded with `prepare`, or with the first thing to show. */
  attach(host: KioskHost, url: string): void {
    this.#host = host;
    this.#url = url;
  }

  /** Loads the page of the layer, so that the first thing shows at once. @throws FaceplateError UNSUPPORTED_HARDWARE */
  prepare(): Promise<void> {
    const host = this.#host;
    if (host === undefined) return Promise.reject(new Error('The glass has no window.'));
    this.#opening ??= host
      .openLayer({
        name: 'glass',
        url: this.#url,
        sink: this.#sink,
        mayFrame: this.#mayFrame,
        onReady: () => void this.#send(),
      })
      .then(
        (layer) => {
          this.#layer = layer;
          void this.#send();
        },
        (error: unknown) => {
          this.#opening = undefined;
          throw error;
        },
      );
    return this.#opening;
  }

  /** Calls back for what a person does on the glass. @returns the function that ends it */
  onEvent(listener: (event: GlassEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back with the uppermost slot that takes the keys or the screen, whenever one does. One listener. */
  onTaken(listener: (by: GlassSlot) => void): void {
    this.#onTaken = listener;
  }

  /** Draws these slots no more until the next call; what is in them waits. */
  hold(slots: readonly GlassSlot[]): void {
    this.#held = slots;
    void this.#send();
  }

  /**
   * Shows this in its slot, or nothing there. Resolves when it is on the screen; while there is no browser it comes
   * with the next one, and this resolves at once.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  async set<S extends GlassSlot>(slot: S, content: GlassSlots[S] | null): Promise<void> {
    if (content === null && this.#contents[slot] === null) return;
    this.#contents = { ...this.#contents, [slot]: content };
    // The window comes last at the start: it shows what waits by then.
    if (this.#host === undefined) return;
    await this.prepare();
    await this.#send();
  }

  /** Makes a JPEG of a camera's picture, unseen. @throws FaceplateError as `GlassPictures.decode` */
  async decode(picture: CodedPicture, signal: AbortSignal): Promise<Uint8Array> {
    const sentence = 'No browser of the panel is there that could decode the picture.';
    if (this.#host === undefined) throw new FaceplateError('UNSUPPORTED_HARDWARE', sentence);
    await this.prepare();
    this.#layer?.hurry?.();
    return this.#pictures.decode(picture, signal);
  }

  /** Keeps so many pixels clear below, for the keyboard. */
  keepClear(height: number): void {
    this.#room = height;
    void this.#send();
  }

  /** The screen has another size. */
  screenChanged(): void {
    void this.#send();
  }

  /** Which slots have something to show now. */
  get filled(): readonly GlassSlot[] {
    const drawn = this.#drawn();
    return (Object.keys(drawn) as GlassSlot[]).filter((slot) => drawn[slot] !== null);
  }

  async stop(): Promise<void> {
    this.#isReady = false;
    this.#drawing?.resolve();
    await this.#opening?.catch(() => {});
    await this.#layer?.close();
    this.#layer = undefined;
  }

  readonly #sink: BridgeSink = {
    onMessage: (_caller, json) => this.#hear(JSON.parse(json) as GlassReply),
    onPageGone: () => {
      this.#isReady = false;
      this.#pictures.gone();
      this.#drawing?.resolve();
    },
  };

  /** Only the saver shows a page of others, and only while it does; that page may lead itself on. */
  readonly #mayFrame = (url: URL) =>
    this.#contents.saver?.kind === 'page' && ['http:', 'https:'].includes(url.protocol);

  async #send(): Promise<void> {
    const [host, layer] = [this.#host, this.#layer];
    if (host === undefined || layer === undefined) return;
    if (!this.#isReady) {
      if (Object.values(this.#contents).some((content) => content !== null)) layer.hurry?.();
      return;
    }
    this.#drawing?.resolve();
    const drawing = Promise.withResolvers<void>();
    this.#drawing = drawing;
    const screen = host.screenSize();
    const order: GlassOrder = {
      order: ++this.#order,
      contents: this.#drawn(),
      screen: { ...screen, height: screen.height - this.#room },
      language: this.#options.language(),
    };
    layer.post(JSON.stringify(order));
    void this.#showBackdrop(order.contents);
    const cancel = this.#options.clock.after(DRAW_MS, () => {
      this.#options.log.warn('glass: does not draw');
      drawing.resolve();
    });
    await drawing.promise;
    cancel();
    await this.#placing;
  }

  /** Takes a picture of the page for what is behind a dialog, once for as long as there is one. */
  async #showBackdrop({ saver, message, dialog, approval, call, visitor }: GlassContents): Promise<void> {
    const isModal =
      approval !== null ||
      visitor !== null ||
      (call !== null && call.phase !== 'connected') ||
      (message !== null && message.style === 'dialog');
    // Below the settings page, or a saver, the page is not what a person saw; one that asks a question itself is blocked.
    if (!isModal || saver !== null || dialog !== null || this.#held.length > 0) {
      this.#hasBackdrop = false;
      return;
    }
    if (this.#hasBackdrop) return;
    this.#hasBackdrop = true;
    try {
      const picture = await this.#host!.screenshot('jpeg');
      if (!this.#hasBackdrop) return;
      const told: GlassBackdrop = {
        backdrop: `data:image/jpeg;base64,${Buffer.from(picture).toString('base64')}`,
      };
      this.#layer?.post(JSON.stringify(told));
    } catch (error) {
      this.#options.log.debug({ err: error }, 'glass: no picture of the page behind the dialog');
    }
  }

  #hear(reply: GlassReply): void {
    if ('ready' in reply) {
      this.#isReady = true;
      this.#hasBackdrop = false;
      void this.#send();
      this.#pictures.ready();
    } else if ('decoded' in reply) {
      this.#pictures.hear(reply);
    } else if ('event' in reply) {
      for (const listener of this.#listeners) listener(reply.event);
    } else if (reply.drawn === this.#order) {
      this.#place(reply);
      this.#drawing?.resolve();
    }
  }

  #drawn(): GlassContents {
    return { ...this.#contents, ...Object.fromEntries(this.#held.map((slot) => [slot, null])) };
  }

  #place({ area, focus }: Extract<GlassReply, { drawn: number }>): void {
    const layer = this.#layer;
    if (layer === undefined) return;
    const { message, ...drawn } = this.#drawn();
    const isModal = message !== null && message.style !== 'banner';
    // Answered it leaves the page its keys.
    const rings = drawn.call !== null && drawn.call.phase !== 'connected';
    if (drawn.approval !== null) this.#onTaken('approval');
    else if (rings) this.#onTaken('call');
    else if (drawn.visitor !== null) this.#onTaken('visitor');
    else if (isModal) this.#onTaken('message');
    else if (drawn.dialog !== null) this.#onTaken('dialog');
    else if (focus || area === 'screen') this.#onTaken('saver');
    this.#placing = this.#placing
      .then(() => (area === null ? layer.hide() : layer.show(area, focus)))
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'glass: could not be placed'));
  }
}
