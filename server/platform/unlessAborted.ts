/** Waits for a result no longer than `signal` lets it; the work itself goes on. @throws the signal's reason */
export function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
