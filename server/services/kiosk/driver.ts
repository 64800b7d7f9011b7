/** The kiosk window, as far as callers may command it. */
export interface KioskWindow {
  reload(): Promise<void>;
  /** PNG of what the panel shows. */
  screenshot(): Promise<Uint8Array>;
}
