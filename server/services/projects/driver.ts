/** What the projects need of the kiosk. */
export interface ProjectScreen {
  /** Shows what is to be shown now; the page is loaded anew also when it is the same. */
  show(): Promise<void>;
  /**
   * Forgets the service workers and caches of a project's origin, never its local storage.
   * @throws where there is no browser to ask now
   */
  clearCaches(id: string): Promise<void>;
}
