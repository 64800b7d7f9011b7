const SEARCHES = [
  'slice',
  'split',
  'trim',
  'indexOf',
  'startsWith',
  'search',
  'replace',
  'charCodeAt',
] as const;

/**
 * Counts how often text is cut, searched or matched, and how many entries of lists are searched through, while `run`
 * runs: the work of a parser, however fast the machine is.
 */
export function countParsingWork(run: () => void): number {
  let steps = 0;
  const restore: (() => void)[] = [];
  const count = (prototype: object, name: string, stepsOf: (self: unknown) => number): void => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!;
    const original = descriptor.value as (...args: unknown[]) => unknown;
    restore.push(() => Object.defineProperty(prototype, name, descriptor));
    Object.defineProperty(prototype, name, {
      ...descriptor,
      value: function (this: unknown, ...args: unknown[]): unknown {
        steps += stepsOf(this);
        return original.apply(this, args);
      },
    });
  };
  for (const name of SEARCHES) count(String.prototype, name, () => 1);
  count(RegExp.prototype, 'exec', () => 1);
  count(Array.prototype, 'find', (list) => (list as unknown[]).length);
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return steps;
}
