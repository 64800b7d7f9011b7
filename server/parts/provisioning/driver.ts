/** The boot partition, where a person puts a file that sets the panel up. */
export interface BootPartition {
  /** The file's text; null where there is none. @throws FaceplateError TOO_LARGE, HARDWARE_ERROR */
  read(): Promise<string | null>;
  /** Whether a file lies beside it. */
  has(name: string): boolean;
  /** The place of a file beside it. */
  pathOf(name: string): string;
  /** Overwrites the bytes of the file, and leaves this text in its place. @throws FaceplateError HARDWARE_ERROR */
  taken(applied: string): Promise<void>;
  /** Leaves the mistakes beside the file, which stays. @throws FaceplateError HARDWARE_ERROR */
  refused(mistakes: string): Promise<void>;
}

/** What a file may set, each as a caller could. Failures are FaceplateErrors or errno exceptions. */
export interface ProvisionedPanel {
  /** What is wrong with a tree of settings, each mistake with its key and never with a value. */
  settingsMistakes(tree: Readonly<Record<string, unknown>>): readonly string[];
  /** The tree by key, secrets as "…". */
  maskedSettings(tree: unknown): Readonly<Record<string, unknown>>;
  changeSettings(tree: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Keeps a Wi-Fi network, which is joined as soon as it is in reach. @returns the way back */
  saveWifi(ssid: string, password: string | undefined): Promise<() => Promise<void>>;
  /** Installs and shows a project. @returns the way back */
  installProject(path: string): Promise<() => Promise<void>>;
  /** @returns the way back */
  setHostname(name: string): Promise<() => Promise<void>>;
  /** @returns the way back */
  setTimeZone(name: string): Promise<() => Promise<void>>;
  /** Marks the panel for a reset, which the next start carries out. @param of the file that asked for it */
  markReset(of: string): Promise<void>;
  /** The file that asked for the reset that this start comes from; null where it comes from none. */
  readonly resetOf: string | null;
  /** The first set-up does not ask for these any more. */
  noteGiven(steps: readonly ('language' | 'name' | 'pin' | 'network' | 'time' | 'show')[]): Promise<void>;
  /** Begins the service anew. */
  restart(why: 'reset' | 'asked'): void;
}
