import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { CallContext } from '../callContext.ts';

/** Fetches projects from an address. */
export class ProjectFetchService {
  async fetch(
    _params: ParamsOf<'projects.fetch'>,
    _context: CallContext,
  ): Promise<ResultOf<'projects.fetch'>> {
    throw new FaceplateError('UNSUPPORTED_HARDWARE');
  }
}
