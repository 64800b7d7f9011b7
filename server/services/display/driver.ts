/** Brightness or volume. */
export interface LevelDriver {
  /** @returns percent, or null when the board has no such part */
  read(): Promise<number | null>;
  /** @param percent 0 to 100 */
  write(percent: number): Promise<void>;
}
