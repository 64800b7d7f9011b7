/** What the projects need from the kiosk. */
export interface ProjectScreen {
  /** Shows the active project now; loads the page again even when it is the same. @param active null for the demo */
  show(active: string | null): Promise<void>;
  /**
   * Deletes the service workers and caches of a project's origin, never its local storage.
   * @throws when no browser can be asked now
   */
  clearCaches(id: string): Promise<void>;
}
