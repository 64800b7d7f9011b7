import type { IdleState } from '../display/contract.ts';

/** The light of the screen. */
export interface IdleScreen {
  /** @param percent a lower light than the one that is set; null: the one that is set */
  dim(percent: number | null): Promise<void>;
  /** The light is off until `light`. @param onTouch the touch that wakes, which never reaches the page */
  dark(onTouch: () => void): Promise<void>;
  light(): Promise<void>;
  /** The state has changed. */
  announce(state: IdleState): void;
}

/** What lies over the page while nobody uses the panel. */
export interface IdleSaver {
  /** Shows the saver of the settings until `end`. A touch of it never reaches the page; it is an activity. */
  start(): Promise<void>;
  end(): Promise<void>;
}

/** The page of the panel. */
export interface IdlePage {
  /** Back to the home page; does nothing where it is shown. */
  goHome(): Promise<void>;
  /** Origins that were shown since the last call of `clear`, but the home page's own. */
  shownOrigins(): readonly string[];
  /** Deletes cookies and storage of an origin. */
  clear(origin: string): Promise<void>;
}
