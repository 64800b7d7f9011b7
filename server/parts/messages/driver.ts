import type { GlassEvent, MessageOnGlass } from '../../kiosk/glass/contract.ts';

/** Where messages are shown: the layer above the kiosk page. */
export interface MessageScreen {
  /**
   * Shows this message in place of the one before, or none. Resolves when it is on the screen.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  show(message: MessageOnGlass | null): Promise<void>;
  /** Calls back for what a person does there. @returns the function that ends it */
  onEvent(listener: (event: GlassEvent) => void): () => void;
}

/** What is heard with a message. */
export interface HeardMessage {
  /** Of the message: the events of the sound carry it. */
  readonly id: string;
  /** Name of a sound, or an address. */
  readonly sound: string | null;
  /** What is read out. */
  readonly speak: string | null;
  /** It comes before all others, and repeats until it is ended. */
  readonly isAlarm: boolean;
}

/** Where messages are heard. */
export interface MessageSound {
  /** Begins, or waits for its turn; failures are its own to tell. @returns the function that ends it; safe to call twice */
  begin(heard: HeardMessage): () => void;
}

/** Where pictures come from. */
export interface MessagePictures {
  /** Bytes of an address of a stranger, bounded in size and time. @throws when it cannot be fetched */
  fetch(address: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** What the panel does meanwhile. */
export interface MessagePanel {
  /** Whether the schedule lets it sleep. */
  isAsleep(): boolean;
  /** Calls back when it falls asleep or wakes. @returns the function that ends it */
  onPower(listener: () => void): () => void;
  /** Wakes it as a touch does, and keeps it awake. @returns the function that ends it; safe to call twice */
  hold(): () => void;
}
