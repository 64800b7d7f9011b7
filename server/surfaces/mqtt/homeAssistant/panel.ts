import type { Language } from '../../../contract/device.ts';
import type { CallStatus } from '../../../intercom/sipContract.ts';
import type { PageState } from '../../../kiosk/contract.ts';
import type { DisplayState } from '../../../parts/display/contract.ts';
import type { PinFacts, PinState } from '../../../parts/gpio/contract.ts';
import type { LedState } from '../../../parts/led/contract.ts';
import type { ProjectEntry } from '../../../parts/projects/contract.ts';

/** What the intercom is and does. */
export interface IntercomNow {
  readonly callStatus: CallStatus;
  readonly doNotDisturb: boolean;
  /** Names of the setting sip.doors. */
  readonly doors: readonly string[];
}

/** What the panel is, has and does now, as far as Home Assistant shows it. A part that it lacks is undefined. */
export interface PanelNow {
  readonly name: string;
  /** Of `info`: no two panels have the same. */
  readonly serial: string;
  /** `<ip>:<port>` */
  readonly address: string;
  /** Where browsers open it: https where that is on. */
  readonly origin: string;
  readonly version: string;
  readonly board: string;
  readonly language: Language;
  readonly led: LedState | undefined;
  /** Names of the buttons beside the glass, and of the readers. */
  readonly buttons: readonly string[];
  readonly readers: readonly string[];
  /** What its sensors measure. */
  readonly climate: { readonly temperature: boolean; readonly humidity: boolean };
  readonly pins: readonly Pick<PinFacts, 'pin' | 'kind' | 'label'>[];
  readonly display: DisplayState;
  readonly page: PageState | undefined;
  /** Of the setting kiosk.pages. */
  readonly pages: readonly { readonly name: string; readonly url: string }[];
  readonly projects: readonly Pick<ProjectEntry, 'id' | 'name' | 'active'>[];
  readonly hasSound: boolean;
  readonly hasTemperature: boolean;
  readonly canReboot: boolean;
  /** Whether it can be another version. */
  readonly hasUpdates: boolean;
  readonly intercom: IntercomNow | undefined;
}

/** The panel, as this surface needs it. Commands do not go here: they go through dispatch. */
export interface HomeAssistantPanel {
  read(): Promise<PanelNow>;
  /** JPEG of what the screen shows. @throws while there is no picture */
  picture(): Promise<Uint8Array>;
  /** Told of the name of each command that has ended, from any surface: not all that they change has an event. */
  onCall(listener: (command: string) => void): () => void;
  /** Told when settings have changed. */
  onSettings(listener: () => void): () => void;
  /** Told of each use of the panel. Called often: for every touch. */
  onActivity(listener: () => void): () => void;
  /** Told of each edge at an input that the panel did not write itself. */
  onInput(listener: (edge: PinState) => void): () => void;
}
