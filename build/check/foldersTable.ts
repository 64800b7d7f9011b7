import type { Room } from './layerRules.ts';

/** The import rules as a Markdown table: each room, what it holds, and what it may import. */
export function foldersTable(rooms: readonly Room[]): string {
  const rows = rooms.map((room) => `| \`${room.path}\` | ${room.holds} | ${allowances(room)} |`);
  return ['| folder | what it holds | may import |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function allowances({ imports = [], types = [], packages = [], node = true }: Room): string {
  const parts = [
    list(imports),
    types.length === 0 ? '' : `by type only: ${list(types)}`,
    packages.length === 0 ? '' : `packages: ${packages.join(', ')}`,
    node ? '' : 'nothing of Node',
  ];
  return parts.filter((part) => part !== '').join('; ') || 'Node only';
}

function list(paths: readonly string[]): string {
  return paths.map((path) => `\`${path.replace(/^server\//, '')}\``).join(', ');
}
