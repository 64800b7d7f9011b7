/** Converts the value of one version to the next version. Keys may be missing, and there may be others. */
export type StateStep = (value: unknown) => unknown;

/**
 * A value as it is stored on disk: `{"version":1,"value":…}`. A file without a version is of version 0, which held only
 * the value.
 */
export interface StoredValue {
  /** The version that wrote it last. */
  readonly version: number;
  /** The latest version that ever wrote it. */
  readonly latest: number;
  readonly value: unknown;
  /** Other keys. */
  readonly beside: Readonly<Record<string, unknown>>;
}

/** @throws SyntaxError when the text is not JSON */
export function readStored(text: string): StoredValue {
  const tree: unknown = JSON.parse(text);
  if (typeof tree !== 'object' || tree === null || !('version' in tree) || !isVersion(tree.version))
    return { version: 0, latest: 0, value: tree, beside: {} };
  const { version, latest, value, ...beside } = tree as Record<string, unknown> & { version: number };
  return { version, latest: isVersion(latest) ? Math.max(version, latest) : version, value, beside };
}

/** The text of a value; a version later than the writing one is named as `latest`. */
export function storedText({ version, latest, value, beside }: StoredValue): string {
  return `${JSON.stringify({ ...beside, version, ...(latest > version && { latest }), value })}\n`;
}

/**
 * Runs the steps that lead from the version of a value to ours. Version 1 holds the same value as version 0; the first
 * step makes version 2.
 * @throws what a step throws
 */
export function stepped({ version, value }: StoredValue, steps: readonly StateStep[]): unknown {
  return steps.slice(Math.max(0, version - 1)).reduce((before, step) => step(before), value);
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
