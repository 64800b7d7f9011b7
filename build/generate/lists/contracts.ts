import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Contracts in the order in which callers read of them: in docs/api.md and in the description of the API. One that is not
 * named here comes after them, by its path.
 */
const READ_FIRST = [
  ...['parts/terminal', 'parts/sleep', 'parts/display', 'parts/led', 'parts/gpio', 'parts/climate'],
  ...[
    'parts/serial',
    'parts/udp',
    'parts/tcp',
    'parts/http',
    'parts/modbus',
    'parts/apps',
    'contract/system.ts',
  ],
  ...[
    'video',
    'intercom/sipContract.ts',
    'intercom',
    'parts/projects',
    'parts/fleet',
    'parts/update',
    'config',
  ],
  ...[
    'kiosk/settingsPage',
    'parts/certificates',
    'parts/access',
    'parts/log',
    'kiosk/contract.ts',
    'kiosk/live',
  ],
  ...[
    'parts/messages',
    'parts/journal',
    'parts/health',
    'parts/backup',
    'parts/network',
    'parts/time',
    'parts/sound',
  ],
];

/** The same for events. */
const HEARD_FIRST = [
  ...[
    'parts/led',
    'parts/gpio',
    'parts/climate',
    'parts/sleep',
    'parts/power',
    'parts/serial',
    'parts/buttons',
  ],
  ...[
    'parts/readers',
    'parts/apps',
    'video',
    'intercom/sipContract.ts',
    'kiosk/contract.ts',
    'parts/messages',
  ],
  ...[
    'parts/display',
    'parts/health',
    'parts/sound',
    'parts/projects',
    'parts/fleet',
    'parts/update',
    'parts/udp',
  ],
  'parts/tcp',
];

/** The same for the states that a new listener is told. */
const TOLD_FIRST = [...HEARD_FIRST.slice(0, 6), 'parts/apps', 'video', 'parts/display'];

/** Which contracts may declare commands and events, and how their constants are named. */
const CONTRACT = /(?:^|\/)(?:contract|\w+Contract|system)\.ts$/;
const COLLECTED = /^export const (\w+(?:Commands|Events|Snapshot|Broker)) = \{$/gm;

/** A constant of a contract that its list is made of. */
interface Found {
  readonly name: string;
  /** Path of its file from server/. */
  readonly path: string;
  /** Path of its file from server/contract/. */
  readonly file: string;
}

/**
 * server/contract/lists.ts: the commands, events and states of all contracts, and what becomes of them on a broker, collected from the folders. A contract says
 * what it has by the names of its constants: `<x>Commands`, `<x>Events`, `<x>Snapshot`, `<x>Broker`.
 */
export function contractLists(root: string): string {
  const found = contracts(join(root, 'server')).flatMap((path): Found[] => {
    const file = relative('contract', path);
    const source = readFileSync(join(root, 'server', path), 'utf8');
    return [...source.matchAll(COLLECTED)].map(([, name]) => ({
      name: name!,
      path,
      file: file.startsWith('.') ? file : `./${file}`,
    }));
  });
  const imports = [...Map.groupBy(found, ({ file }) => file)]
    .map(
      ([file, names]) =>
        `import { ${names
          .map(({ name }) => name)
          .sort()
          .join(', ')} } from '${file}';`,
    )
    .sort((a, b) => compare(fileOf(a), fileOf(b)));
  const list = (name: string, ending: string, first: readonly string[]) =>
    `export const ${name} = {\n${inOrder(
      found.filter((each) => each.name.endsWith(ending)),
      first,
    )
      .map((each) => `  ...${each.name},\n`)
      .join('')}} as const;\n`;
  return `// Generated from the contracts of all parts by build/generate/main.ts. Do not edit it.
${imports.join('\n')}

${list('allCommands', 'Commands', READ_FIRST)}
${list('allEvents', 'Events', HEARD_FIRST)}
${list('allStates', 'Snapshot', TOLD_FIRST)}
${list('allBrokerUses', 'Broker', HEARD_FIRST)}`;
}

/** Paths of all contracts from server/. */
function contracts(server: string): string[] {
  return readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
    (path) => CONTRACT.test(path) && !path.includes('testing/'),
  );
}

function inOrder(found: readonly Found[], first: readonly string[]): Found[] {
  const place = ({ path }: Found) => {
    const at = first.findIndex((each) => each === path || `${each}/contract.ts` === path);
    return at < 0 ? first.length : at;
  };
  return found.toSorted((a, b) => place(a) - place(b) || compare(a.path, b.path));
}

const fileOf = (line: string) => line.slice(line.indexOf("'"));

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
