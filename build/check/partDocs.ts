import { commandList } from '../../server/contract/commands.ts';
import { events } from '../../server/contract/events.ts';
import type { Tree } from './layers.ts';

const PAGE = 'docs/container.md';
const INTERCOM = 'docs/intercom.md';
const BOARDS = 'docs/hardware.md';
/** The board that has every part. */
const EVERY_PART = 'server/parts/boards/simulated.json';

/**
 * What a part needs besides its code, and the compiler does not check: a test of its service, and documentation for pages and
 * installers.
 * @returns one sentence for each missing piece
 */
export function checkPartDocs(tree: Tree): string[] {
  return [...untestedServices(tree), ...missingPageNames(tree), ...missingParts(tree)];
}

function untestedServices(tree: Tree): string[] {
  return [...tree.keys()]
    .filter((file) => /^server\/parts\/\w+\/service\.ts$/.test(file))
    .filter((file) => !tree.has(file.replace(/\.ts$/, '.test.ts')))
    .map((file) => `${file}: there is no service.test.ts beside it. Write it.`);
}

/** What pages can call and listen to, by the file that describes it. */
function missingPageNames(tree: Tree): string[] {
  const surfaces = commandList.flatMap(([, { page = [] }]) => page);
  const names = { [PAGE]: Object.keys(events), [INTERCOM]: [] as string[] };
  for (const surface of surfaces) {
    if (surface.kind === 'method') names[surface.object === 'sip' ? INTERCOM : PAGE].push(surface.method);
    // Our own page script calls the actions of `sipVideo`, as methods of `sip`.
    else if (surface.object !== 'sipVideo') names[PAGE].push(surface.action);
  }
  return [...missingWords(tree, PAGE, names[PAGE]), ...missingWords(tree, INTERCOM, names[INTERCOM])];
}

function missingParts(tree: Tree): string[] {
  const { name: _, ...parts } = JSON.parse(tree.get(EVERY_PART) ?? '{}') as Record<string, unknown>;
  return missingWords(tree, BOARDS, Object.keys(parts));
}

/** A name counts where it begins a piece of code: `name`, `name(…)`, `name` {…}. */
function missingWords(tree: Tree, file: string, names: readonly string[]): string[] {
  const text = tree.get(file) ?? '';
  return names
    .filter((name) => !new RegExp(`\`${name}\\b`).test(text))
    .map((name) => `${file}: it does not mention \`${name}\`. Add a sentence or a row.`);
}
