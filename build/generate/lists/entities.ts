import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { importPath } from './imports.ts';

/** The file with the list of what each part is in Home Assistant. */
export const ENTITY_LIST = 'server/surfaces/mqtt/homeAssistant/makers.ts';

/**
 * The list of what each part is in Home Assistant: of all folders below `server/parts/`, and of the wings, that hold a
 * `homeAssistant.ts`.
 * @param root folder of package.json
 */
export function entityList(root: string): string {
  const files = globSync('server/{parts/*,intercom,kiosk,video}/homeAssistant.ts', { cwd: root }).sort();
  const name = (file: string) => basename(dirname(file));
  const imports = files.map(
    (file) => `import { homeAssistant as ${name(file)} } from '${importPath(ENTITY_LIST, file)}';`,
  );
  return `// Generated from the folders that hold a homeAssistant.ts by build/generate/main.ts. Do not edit it.
${imports.join('\n')}

/** Makes the entities of each part that Home Assistant shows. */
export const entityMakers = {
${files.map((file) => `  ${name(file)},`).join('\n')}
} as const;
`;
}
