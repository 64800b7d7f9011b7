import type { CommandName } from '../../contract/commands.ts';
import type { EventPayload, Snapshot } from '../../contract/events.ts';
import type { JoinMessage } from '../../contract/pageBridge.ts';

/** Names that the library of the page has for the panel itself. */
const RESERVED = 'Csig.';
/** The largest value of a join of 16 bits: 100 percent. */
const FULL = 65_535;

export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED);
}

type Display = EventPayload<'display'>;
type Led = EventPayload<'led'>;
const colours = ['Red', 'Green', 'Blue'] as const;
type Colour = (typeof colours)[number];

interface ReservedOptions {
  readonly version: string;
  /** Names of the buttons beside the glass, in the order of the board profile. */
  buttons(): readonly string[];
  /** Never rejects. */
  call(command: CommandName, params: unknown): Promise<unknown>;
}

/**
 * The joins of the panel itself, whose names begin with `Csig.`: brightness, backlight, LED bar, buttons, and that
 * everything is online. What this panel has no part for is heard and ignored.
 */
export class ReservedJoins {
  readonly #options: ReservedOptions;
  /** Of a slider that is dragged only the newest value counts. */
  readonly #brightness = new Newest();
  readonly #light = new Newest();
  readonly #led = new Newest();
  /** As the page wants each colour: whether it is on, and 0 to 65535. */
  readonly #wanted = new Map<Colour, { isOn: boolean; level: number }>();

  constructor(options: ReservedOptions) {
    this.#options = options;
  }

  /** A value that the page sends. */
  heard(name: string, value: unknown): void {
    const { call } = this.#options;
    const signal = name.slice(RESERVED.length);
    if (signal === 'Lcd_Brt' && typeof value === 'number')
      this.#brightness.run(() => call('display.set', { brightness: percent(value) }));
    else if ((signal === 'Backlight_On' || signal === 'Backlight_Off') && value === true)
      this.#light.run(() => call('display.set', { on: signal === 'Backlight_On' }));
    else this.#heardOfLed(signal, value);
  }

  #heardOfLed(signal: string, value: unknown): void {
    const [, name, what] = /^(Red|Green|Blue)Led(Control|Brightness)$/i.exec(signal) ?? [];
    const colour = colours.find((one) => one.toLowerCase() === name?.toLowerCase());
    if (colour === undefined) return;
    const before = this.#wanted.get(colour) ?? { isOn: false, level: FULL };
    const isSwitch = what?.toLowerCase() === 'control';
    if (isSwitch && typeof value === 'boolean') this.#wanted.set(colour, { ...before, isOn: value });
    else if (!isSwitch && typeof value === 'number')
      this.#wanted.set(colour, { ...before, level: Math.min(Math.max(value, 0), FULL) });
    else return;
    this.#led.run(() => this.#setLed());
  }

  async #setLed(): Promise<void> {
    const { call } = this.#options;
    const [red, green, blue] = colours.map((colour) => {
      const { isOn, level } = this.#wanted.get(colour) ?? { isOn: false, level: 0 };
      return isOn ? Math.round((level / FULL) * 255) : 0;
    });
    const isOn = [red, green, blue].some((channel) => channel !== 0);
    // The colour of a bar that is switched off stays for the next time.
    if (isOn) await call('led.color', { red, green, blue });
    await call('led.on', { on: isOn });
  }

  /** What the page gets around the values that are known, after each load. */
  around(values: readonly JoinMessage[], snapshot: Snapshot): JoinMessage[] {
    const synchronization = (state: string, more: object = {}): JoinMessage => [
      'object',
      'Csig.State_Synchronization',
      { id: 'faceplate', state, ...more },
    ];
    const platform = {
      name: 'Faceplate',
      version: this.#options.version,
      capabilities: {
        supportsTouchActivity: false,
        supportCredentialIntercept: { http: '', https: '' },
      },
    };
    return [
      ['object', 'Csig.Platform_Info', platform],
      synchronization('StartOfUpdate', { value: { excludePrefixes: [RESERVED] } }),
      ...values,
      ...(snapshot.display ? this.of('display', snapshot.display) : []),
      ...(snapshot.led ? this.of('led', snapshot.led) : []),
      synchronization('EndOfUpdate'),
      ['boolean', 'Csig.All_Control_Systems_Online_fb', true],
      ['object', 'Csig.HeartbeatRequest', { id: 'faceplate' }],
    ];
  }

  /** What an event of the panel means for the page. */
  of(event: string, payload: unknown): JoinMessage[] {
    if (event === 'display') return ofDisplay(payload as Display);
    if (event === 'led') return this.#ofLed(payload as Led);
    return event === 'button' ? this.#ofButton(payload as EventPayload<'button'>) : [];
  }

  #ofLed({ on, ...channels }: Led): JoinMessage[] {
    return colours.flatMap((colour): JoinMessage[] => {
      const channel = channels[colour.toLowerCase() as Lowercase<Colour>];
      const level = Math.round((channel / 255) * FULL);
      const isOn = on && channel > 0;
      const wanted = this.#wanted.get(colour);
      // What the page waits to have carried out is not taken back meanwhile.
      if (!this.#led.isBusy) this.#wanted.set(colour, { isOn, level: level || wanted?.level || FULL });
      return [
        ['boolean', `Csig.${colour}LedControl_fb`, isOn],
        ['boolean', `Csig.${colour}LEDControl_fb`, isOn],
        ['integer', `Csig.${colour}LedBrightness_fb`, isOn ? level : (this.#wanted.get(colour)?.level ?? 0)],
      ];
    });
  }

  #ofButton({ name, state }: EventPayload<'button'>): JoinMessage[] {
    const at = this.#options.buttons().indexOf(name);
    return at < 0 ? [] : [['boolean', `Csig.Hard_Button_${at + 1}.Press`, state === 'down']];
  }
}

function ofDisplay({ on, brightness }: Display): JoinMessage[] {
  return [
    ...(brightness === null
      ? []
      : [['integer', 'Csig.Lcd_Brt_fb', Math.round((brightness / 100) * FULL)] as const]),
    ['boolean', 'Csig.Backlight_On_fb', on],
    ['boolean', 'Csig.Backlight_Off_fb', !on],
  ];
}

function percent(level: number): number {
  return Math.round((Math.min(Math.max(level, 0), FULL) / FULL) * 100);
}

/** Carries out one thing at a time, and after it the newest of those that came meanwhile. */
class Newest {
  #isRunning = false;
  #next: (() => Promise<unknown>) | undefined;

  get isBusy(): boolean {
    return this.#isRunning;
  }

  /** @param act never rejects */
  run(act: () => Promise<unknown>): void {
    this.#next = act;
    if (!this.#isRunning) void this.#runAll();
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let act = this.#next; act !== undefined; act = this.#next) {
      this.#next = undefined;
      await act();
    }
    this.#isRunning = false;
  }
}
