/** What the settings page needs from the panel. */
export interface SettingsWindow {
  /** Shows the page over the kiosk page; `onGone` reports that it ended without a request. */
  open(onGone: () => void): Promise<{ close(): Promise<void> }>;
}

/** The token of the API, as the settings page may see and change it. */
export interface ShownToken {
  show(): { token: string; held: boolean };
  rotate(): { token: string };
}
