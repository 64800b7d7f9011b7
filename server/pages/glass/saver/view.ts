/** A saver that is up. */
export interface View {
  /** Takes it away and stops its timers. */
  end(): void;
}
