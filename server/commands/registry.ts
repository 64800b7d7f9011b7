import type { CommandName, ParamsOf, ResultOf } from '../contract/commands.ts';
import type { CallContext as ServiceCall } from '../parts/callContext.ts';
import type { Identity } from './access.ts';

/** What a handler knows besides its params: the signal that ends it, and who asked (for audit lines). */
export interface CallContext extends ServiceCall {
  readonly origin: string;
  readonly identity: Identity;
}

/** One handler per command of the contract; a missing one does not compile. */
export type Handlers = {
  readonly [N in CommandName]: (
    params: ParamsOf<N>,
    context: CallContext,
  ) => ResultOf<N> | Promise<ResultOf<N>>;
};
