import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { BridgeSink, FieldFocus, Layer, PageSize, TextField } from '../host.ts';
import {
  type EnterHint,
  enterHints,
  type HiddenKeys,
  type KeyLayout,
  type KeyMode,
  keysMessage,
  type ShownKeys,
} from './contract.ts';
import type { KeyboardWindow, PluggedKeyboards } from './driver.ts';

/** A page may make its field anew with each key: so long the keyboard waits for the new one, in milliseconds. */
const GRACE_MS = 250;
/** A page that moves the focus on and on changes the keys at most this often, in milliseconds. */
const CHANGE_MS = 150;
/** The longest message of the page is far shorter. */
const MAX_MESSAGE = 200;

export interface KeyboardSettings {
  readonly enabled: 'auto' | boolean;
  /** At least one. */
  readonly layouts: readonly KeyLayout[];
}

interface KeyboardOptions {
  readonly window: KeyboardWindow;
  readonly plugged: PluggedKeyboards;
  /** As they are now. */
  readonly settings: () => KeyboardSettings;
  /** It takes so many pixels of the screen from below, and so many fewer are left for what is above the page. */
  readonly onRoom: (height: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The keyboard on the screen: opens it where a person touches a field, passes its keys to the page, and closes it. What is
 * typed is passed on, and neither stored nor logged.
 */
export class KeyboardService {
  readonly #options: KeyboardOptions;
  #layer: Promise<Layer | undefined> | undefined;
  /** The field that has the focus. */
  #focus: FieldFocus | undefined;
  /** The one that had it last: keys that open while the page draws its field anew open for this one. */
  #field: TextField | undefined;
  #isOpen = false;
  #hasStopped = false;
  #cancelClose = (): void => {};
  #cancelChange: (() => void) | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** What is done to the layer, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: KeyboardOptions) {
    this.#options = options;
  }

  /** Makes it ready where it may be needed, so that it opens at once. The window is there by now. */
  async start(): Promise<void> {
    if (await this.#isOffered()) await this.#getLayer();
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#forget();
    await this.#work;
    await (await this.#layer)?.close();
    this.#layer = undefined;
  }

  /** A field got the focus, or was touched again; undefined: none has it any more. */
  focused(focus: FieldFocus | undefined): void {
    this.#cancelClose();
    this.#cancelClose = () => {};
    const mode = focus && modeOf(focus.field);
    this.#focus = mode === undefined ? undefined : focus;
    this.#field = this.#focus?.field ?? this.#field;
    if (this.#focus === undefined) {
      if (this.#isOpen) this.#cancelClose = this.#options.clock.after(GRACE_MS, () => this.#close());
    } else if (this.#isOpen) this.#changeSoon();
    else if (this.#focus.by !== null) void this.#openFor(this.#focus);
  }

  /** Something covers the field, or takes the keys from it: keys that are on their way do not open for it either. */
  covered(): void {
    this.#focus = undefined;
    this.#close();
  }

  /** The screen has another size: open keys go to its lower edge. */
  screenChanged(): void {
    if (this.#isOpen) this.#next(() => this.#show());
  }

  /** Settings have changed. */
  async follow(): Promise<void> {
    if (this.#isOpen && this.#options.settings().enabled === false) this.#close();
    else if (this.#isOpen) this.#changeSoon();
    await this.start();
  }

  async #openFor(focus: FieldFocus): Promise<void> {
    const { settings } = this.#options;
    if (settings().enabled === 'auto' && focus.by !== 'touch') return;
    if (!(await this.#isOffered())) return;
    // The focus may have gone on; what has it now was reached by the same touch.
    if (this.#isOpen || this.#focus === undefined || this.#hasStopped) return;
    this.#isOpen = true;
    this.#next(() => this.#show());
  }

  async #isOffered(): Promise<boolean> {
    const { settings, plugged } = this.#options;
    const { enabled } = settings();
    return enabled === 'auto' ? !(await plugged.isThere()) : enabled;
  }

  async #show(): Promise<void> {
    const layer = await this.#getLayer();
    if (!this.#isOpen || layer === undefined) return;
    const { window, onRoom } = this.#options;
    const { width, height } = window.screenSize();
    const room = keysHeight({ width, height });
    this.#tell(layer, true);
    onRoom(room);
    await Promise.all([
      layer.show({ x: 0, y: height - room, width, height: room }, false),
      window.makeRoom(room),
    ]);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#forget();
    this.#next(async () => {
      // It was opened again meanwhile.
      if (this.#isOpen) return;
      this.#options.onRoom(0);
      const layer = await this.#layer;
      layer?.post(JSON.stringify({ closed: true } satisfies HiddenKeys));
      await Promise.all([layer?.hide(), this.#options.window.makeRoom(0)]);
    });
  }

  #forget(): void {
    this.#isOpen = false;
    this.#cancelClose();
    this.#cancelChange?.();
    this.#cancelChange = undefined;
  }

  #changeSoon(): void {
    const { clock } = this.#options;
    const wait = this.#changedAt + CHANGE_MS - clock.now();
    this.#cancelChange ??= clock.after(Math.max(0, wait), () => {
      this.#cancelChange = undefined;
      this.#changedAt = clock.now();
      void this.#layer?.then((layer) => layer && this.#isOpen && this.#tell(layer, false));
    });
  }

  #tell(layer: Layer, opens: boolean): void {
    const field = this.#focus?.field ?? this.#field;
    const mode = field && modeOf(field);
    if (field === undefined || mode === undefined) return;
    const { layouts } = this.#options.settings();
    const height = keysHeight(this.#options.window.screenSize());
    const shown: ShownKeys = { mode, enter: enterOf(field), layouts, height, opens };
    layer.post(JSON.stringify(shown));
  }

  /** Without a window there is none. */
  #getLayer(): Promise<Layer | undefined> {
    this.#layer ??= this.#options.window
      .openKeys(this.#sink, () => this.#isOpen && this.#next(() => this.#show()))
      .catch((error: unknown) => {
        this.#options.log.debug({ err: error }, 'keyboard: could not show');
        this.#layer = undefined;
        return undefined;
      });
    return this.#layer;
  }

  readonly #sink: BridgeSink = {
    onMessage: (_caller, json) => {
      const message = json.length > MAX_MESSAGE ? undefined : read(json);
      if (message === undefined || !this.#isOpen) return;
      if ('hide' in message) this.#close();
      else void this.#press(message.press);
    },
    onPageGone: () => {},
  };

  async #press(key: string): Promise<void> {
    await this.#options.window.pressKey(key).catch((error: unknown) => {
      // The key itself is never logged: it may be a letter of a password.
      this.#options.log.debug({ err: error }, 'keyboard: a key did not reach the page');
    });
  }

  #next(act: () => Promise<void>): void {
    this.#work = this.#work.then(act).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'keyboard: failed');
    });
  }
}

function read(json: string) {
  try {
    return keysMessage.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** By `inputmode`, which wins over the type (HTML standard, section "Input modalities"). */
const BY_INPUT_MODE: Readonly<Record<string, KeyMode>> = {
  text: 'text',
  numeric: 'numeric',
  decimal: 'decimal',
  tel: 'tel',
  email: 'email',
  url: 'url',
  search: 'search',
};
const BY_TYPE: Readonly<Record<string, KeyMode>> = {
  number: 'decimal',
  tel: 'tel',
  email: 'email',
  url: 'url',
  search: 'search',
  password: 'password',
};

/** The keys that a field wants; undefined for one that brings its own (`inputmode=none`). */
export function modeOf({ type, inputMode }: TextField): KeyMode | undefined {
  const wanted = inputMode.toLowerCase();
  if (wanted === 'none') return undefined;
  const mode = Object.hasOwn(BY_INPUT_MODE, wanted) ? BY_INPUT_MODE[wanted] : undefined;
  const own = (Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined) ?? 'text';
  // A password stays one, whatever it is made of, unless it is a number of digits.
  if (type === 'password' && (mode === 'text' || mode === 'search')) return 'password';
  return mode ?? own;
}

/** What its Enter key says. */
export function enterOf({ type, enterKeyHint }: TextField): EnterHint {
  const hint = enterHints.find((known) => known === enterKeyHint.toLowerCase());
  return hint ?? (type === 'search' ? 'search' : 'enter');
}

const ROWS = 5;
/** Of a key, in pixels: one that a finger hits, and no larger than a hand needs. */
const LOWEST = 48;
const HIGHEST = 72;
/** Above and below the keys together. */
const EDGES = 8;

/** Height of the keyboard on a screen, in pixels of the page; the same for all modes, so that nothing jumps. */
export function keysHeight({ height }: PageSize): number {
  const key = Math.min(HIGHEST, Math.max(LOWEST, Math.round(height * 0.072)));
  return Math.min(ROWS * key + EDGES, Math.round(height * 0.6));
}
