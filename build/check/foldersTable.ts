import type { Module } from './layerRules.ts';

/** The import rules as a Markdown table: each module, what it holds, and what it may import. */
export function foldersTable(modules: readonly Module[]): string {
  const rows = modules.map((module) => `| \`${module.path}\` | ${module.holds} | ${allowances(module)} |`);
  return ['| folder | what it holds | may import |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function allowances({ imports = [], types = [], packages = [], node = true }: Module): string {
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
