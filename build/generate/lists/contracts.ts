import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, importPath, placeIn, sortedImports } from './imports.ts';

const LISTS = 'server/contract/lists.ts';

/**
 * Contracts in the order in which callers read of them: in docs/api.md and in the description of the API. One that is not
 * named here comes after them, by its path.
 */
const READ_FIRST = paths(`
  parts/terminal parts/sleep parts/display parts/led parts/gpio parts/climate parts/serial
  parts/udp parts/tcp parts/http parts/modbus parts/apps contract/system.ts video
  intercom/sipContract.ts intercom parts/projects parts/fleet parts/update config kiosk/settingsPage
  parts/certificates parts/access parts/log kiosk/contract.ts kiosk/live parts/messages parts/journal
  parts/health parts/backup parts/network parts/time parts/sound
`);

/** The same for events. */
const HEARD_FIRST = paths(`
  parts/led parts/gpio parts/climate parts/sleep parts/power parts/serial parts/buttons
  parts/readers parts/apps video intercom/sipContract.ts kiosk/contract.ts parts/messages parts/display
  parts/health parts/sound parts/projects parts/fleet parts/update parts/udp parts/tcp
`);

/** The same for the states that a new listener gets. */
const SHOWN_FIRST = paths(`
  parts/led parts/gpio parts/climate parts/sleep parts/power parts/serial parts/apps video parts/display
`);

/** Which files may declare commands and events, and how their constants are named. */
const CONTRACT = /(?:^|\/)(?:contract|\w+Contract|system)\.ts$/;
const COLLECTED = /^export const (\w+(?:Commands|Events|Snapshot|Broker)) = \{/gm;

/** A constant of a contract that a list is made of. */
interface Found {
  readonly name: string;
  readonly path: string;
}

/**
 * server/contract/lists.ts: the commands, events and states of all contracts, and what becomes of them on a broker,
 * collected from the folders. A contract says what it has by the names of its constants: `<x>Commands`, `<x>Events`,
 * `<x>Snapshot`, `<x>Broker`.
 */
export function contractLists(root: string): string {
  const found = contracts(root).flatMap((path): Found[] =>
    [...readFileSync(join(root, path), 'utf8').matchAll(COLLECTED)].map(([, name]) => ({
      name: name!,
      path,
    })),
  );
  const imports = [...Map.groupBy(found, ({ path }) => path)].map(([path, constants]) => {
    const names = constants.map(({ name }) => name).sort();
    return `import { ${names.join(', ')} } from '${importPath(LISTS, path)}';`;
  });
  const list = (name: string, ending: string, first: readonly string[]) => {
    const rows = found
      .filter((each) => each.name.endsWith(ending))
      .sort((a, b) => placeIn(first, a.path) - placeIn(first, b.path) || compare(a.path, b.path))
      .map((each) => `  ...${each.name},\n`);
    return `export const ${name} = {\n${rows.join('')}} as const;\n`;
  };
  return `// Generated from the contracts of all parts by build/generate/main.ts. Do not edit it.
${sortedImports(imports).join('\n')}

${list('allCommands', 'Commands', READ_FIRST)}
${list('allEvents', 'Events', HEARD_FIRST)}
${list('allStates', 'Snapshot', SHOWN_FIRST)}
${list('allBrokerUses', 'Broker', HEARD_FIRST)}`;
}

function contracts(root: string): string[] {
  return readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((path) => CONTRACT.test(path) && !path.includes('testing/'))
    .map((path) => `server/${path}`);
}

/** Places below server/, each a file or the folder of a contract, as paths of files. */
function paths(places: string): string[] {
  return places
    .trim()
    .split(/\s+/)
    .map((place) => `server/${place.endsWith('.ts') ? place : `${place}/contract.ts`}`);
}
