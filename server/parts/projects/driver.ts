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

/** The joins that a project may have. */
export interface ProjectJoins {
  /** Whether the files of a project may be installed. @throws FaceplateError INVALID_REQUEST with the path of the entry */
  check(folder: string): Promise<void>;
  /** This project is shown from now on. Never rejects. @param folder of its files; undefined for the demo */
  follow(active: string | null, folder: string | undefined): Promise<void>;
}
