import { useState } from 'preact/hooks';
import { CallError } from '../client/panel.ts';

/** A call that a person starts, again and again: whether it is under way, and what came of the last one. */
export interface Tried<R> {
  readonly isBusy: boolean;
  readonly outcome: R | undefined;
  readonly error: CallError | undefined;
  /** What came of the one before is gone at once. */
  readonly run: (call: () => Promise<R>) => Promise<void>;
}

/** Keeps the state of a call for the component that starts it. */
export function useTried<R>(): Tried<R> {
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<R>();
  const [error, setError] = useState<CallError>();
  const run = async (call: () => Promise<R>) => {
    setBusy(true);
    setOutcome(undefined);
    setError(undefined);
    try {
      const made = await call();
      setOutcome(() => made);
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, outcome, error, run };
}
