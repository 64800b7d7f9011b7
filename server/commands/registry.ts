import type { CommandName, ParamsOf, ResultOf } from '../contract/commands.ts';
import type { AuthorizedCall } from '../parts/callContext.ts';

/** One handler per command of the contract; a missing one does not compile. */
export type Handlers = {
  readonly [N in CommandName]: (
    params: ParamsOf<N>,
    context: AuthorizedCall,
  ) => ResultOf<N> | Promise<ResultOf<N>>;
};
