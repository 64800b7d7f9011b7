import type { Language } from '../../../contract/device.ts';
import type { PinState } from '../../../parts/gpio/contract.ts';
import type { EntityHost, PartEntities } from '../../../parts/homeAssistant.ts';
import type { entityMakers } from './makers.ts';

/** The panel as a device. */
interface DeviceNow {
  readonly name: string;
  /** Of `info`: no two panels have the same. */
  readonly serial: string;
  /** Where browsers open it: https where that is on. */
  readonly origin: string;
  readonly version: string;
  readonly board: string;
  readonly language: Language;
}

/** What the entities of all parts have to know of the panel. */
type PartsNow = (typeof entityMakers)[keyof typeof entityMakers] extends (
  host: EntityHost,
) => PartEntities<infer Now>
  ? Now
  : never;

/** What the panel is, has and does now, as far as Home Assistant shows it. A part that it lacks is undefined. */
export type PanelNow = DeviceNow & PartsNow;

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
