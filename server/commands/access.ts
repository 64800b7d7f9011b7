import type { Command, PageSetting } from '../contract/command.ts';
import { FaceplateError } from '../contract/errors.ts';

/** Who asks, as far as access depends on it. */
export interface Asker {
  readonly surface: 'http' | 'page' | 'settings';
  /** Of the settings page: whether the PIN was entered. */
  readonly unlocked?: boolean;
}

/**
 * The one place that says who may call a command: its `access` decides, and every surface that it does not name is
 * closed. The HTTP surface checks the token before this.
 * @param pageMay whether pages may do what a setting guards
 * @throws FaceplateError NOT_FOUND when the surface does not offer the command, FORBIDDEN when the caller may not use
 * it
 */
export function mustBeAllowed(
  command: Command,
  asker: Asker,
  pageMay: (setting: PageSetting) => boolean,
): void {
  const { access, http, page } = command;
  switch (asker.surface) {
    case 'http':
      if (http === undefined) throw new FaceplateError('NOT_FOUND');
      if (access.http === undefined) throw closed();
      break;
    case 'page':
      if (page === undefined) throw new FaceplateError('NOT_FOUND');
      if (access.page === undefined) throw closed();
      if (access.page !== 'allowed' && !pageMay(access.page))
        throw new FaceplateError('FORBIDDEN', `Pages may not do this: ${access.page} is off.`);
      break;
    case 'settings':
      if (access.settingsPage === undefined) throw new FaceplateError('NOT_FOUND');
      if (access.settingsPage === 'unlocked' && !asker.unlocked)
        throw new FaceplateError('FORBIDDEN', 'The page is locked: enter the PIN first.');
  }
}

function closed(): FaceplateError {
  return new FaceplateError('FORBIDDEN', 'Nobody may call this from outside.');
}
