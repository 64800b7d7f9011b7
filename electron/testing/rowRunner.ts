import { inspect } from 'node:util';

// Stands in for `node:test` in the suite that runs inside Electron. Node's own runner cannot stay in one process below
// Node 22 (Electron 33 has Node 20), and prints only when all is over. Same words, same order of hooks; what the suite
// does not use is not there, and then the bundle is not made.

type Work = () => unknown;

interface Options {
  readonly skip?: boolean | string;
  readonly timeout?: number;
}

interface Test {
  readonly name: string;
  readonly options: Options;
  readonly work: Work;
}

interface Block {
  /** Those around it, and itself. */
  readonly path: readonly string[];
  readonly parts: (Block | Test)[];
  readonly before: Work[];
  readonly after: Work[];
  readonly beforeEach: Work[];
  readonly afterEach: Work[];
}

/** Why a test failed that never began, for the reason of the one before it. */
export const AS_BEFORE = 'as the one before';

/** How one test ended. */
export interface Row {
  /** The part of the suite that it belongs to; one part can run alone. */
  readonly part: string;
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  /** Why it failed or was skipped. */
  readonly why: string;
}

const newBlock = (path: readonly string[]): Block => ({
  path,
  ...{ parts: [], before: [], after: [], beforeEach: [], afterEach: [] },
});

/** The block whose parts are being listed now. */
let open = newBlock([]);
const all = open;

/** As in `node:test`. */
export function describe(name: string, list: Work): void {
  const outer = open;
  open = newBlock([...outer.path, name]);
  outer.parts.push(open);
  try {
    list();
  } finally {
    open = outer;
  }
}

/** As in `node:test`; options are `skip` and `timeout`. */
export function test(name: string, ...rest: [Work] | [Options, Work]): void {
  const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest;
  open.parts.push({ name, options, work });
}

/** As in `node:test`. */
export const before = (work: Work): unknown => open.before.push(work);
/** As in `node:test`. */
export const after = (work: Work): unknown => open.after.push(work);
/** As in `node:test`. */
export const beforeEach = (work: Work): unknown => open.beforeEach.push(work);
/** As in `node:test`. */
export const afterEach = (work: Work): unknown => open.afterEach.push(work);

const isBlock = (part: Block | Test): part is Block => 'parts' in part;
/** A part is a block of the suite's own block, which holds everything. */
const partOf = ({ path }: Block): string => path[1] ?? path[0] ?? '';

/** Every test that was listed, with its part, in the order in which they run. */
export function listRows(block: Block = all): Pick<Row, 'part' | 'name'>[] {
  return block.parts.flatMap((part) =>
    isBlock(part) ? listRows(part) : [{ part: partOf(block), name: part.name }],
  );
}

/**
 * Runs what was listed, one after the other.
 * @param limitMs longest time of a test or of a hook
 * @param isWanted whether a part runs
 * @param onRow hears each test when it ends
 */
export async function runRows(
  limitMs: number,
  isWanted: (part: string) => boolean,
  onRow: (row: Row) => void,
): Promise<void> {
  /** Ends the work of now: an error that nobody waits for belongs to the test that runs. */
  let fail: (error: unknown) => void = () => {};
  const stray = (error: unknown) => fail(error);
  process.on('uncaughtException', stray).on('unhandledRejection', stray);

  const within = async (works: readonly Work[], ms = limitMs): Promise<void> => {
    for (const work of works) {
      const ended = Promise.withResolvers<never>();
      fail = ended.reject;
      const timer = setTimeout(() => ended.reject(new Error(`still not over after ${ms} ms`)), ms);
      try {
        await Promise.race([work(), ended.promise]);
      } finally {
        clearTimeout(timer);
        fail = (error) => process.stdout.write(`between two tests: ${inspect(error)}\n`);
      }
    }
  };

  const runTest = async (part: Test, block: Block, around: readonly Block[], broken?: string) => {
    const { skip = false, timeout = limitMs } = part.options;
    const row = { part: partOf(block), name: part.name, ms: 0 };
    if (skip !== false) return onRow({ ...row, state: 'skipped', why: skip === true ? '' : skip });
    if (broken !== undefined) return onRow({ ...row, state: 'failed', why: broken });
    const started = performance.now();
    const errors: unknown[] = [];
    const keep = (error: unknown) => void errors.push(error);
    await within(around.flatMap(({ beforeEach }) => beforeEach))
      .then(() => within([part.work], timeout))
      .catch(keep);
    await within(around.toReversed().flatMap(({ afterEach }) => afterEach)).catch(keep);
    const ms = Math.round(performance.now() - started);
    const state = errors.length === 0 ? 'passed' : 'failed';
    onRow({ ...row, state, ms, why: errors.map((error) => inspect(error)).join('\n') });
  };

  const runBlock = async (block: Block, outer: readonly Block[], outerError?: string) => {
    if (block.path.length > 1 && !isWanted(partOf(block))) return;
    const around = [...outer, block];
    let broken = outerError;
    if (broken === undefined)
      await within(block.before).catch((error: unknown) => {
        broken = inspect(error);
      });
    for (const part of block.parts) {
      await (isBlock(part) ? runBlock(part, around, broken) : runTest(part, block, around, broken));
      if (broken !== undefined) broken = AS_BEFORE;
    }
    await within(block.after).catch((error: unknown) =>
      onRow({ part: partOf(block), name: 'its end', state: 'failed', ms: 0, why: inspect(error) }),
    );
  };

  await runBlock(all, []);
  process.off('uncaughtException', stray).off('unhandledRejection', stray);
}
