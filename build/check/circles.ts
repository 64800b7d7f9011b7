import { posix } from 'node:path';
import { findImports, type Tree } from './layers.ts';

/**
 * Files that import each other, directly or through others; an `import type` counts too, because a reader has to
 * follow it as well.
 * @returns one sentence for each circle
 */
export function findCircles(tree: Tree): string[] {
  const targets = new Map(
    [...tree].map(([file, source]) => [
      file,
      findImports(source)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(file), specifier))
        .filter((target) => tree.has(target)),
    ]),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const circle = [...path.slice(at), file].join(' -> ');
      circles.push(`${circle}: these files import each other. Move what they share to a separate file.`);
      return;
    }
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of tree.keys()) visit(file, []);
  return circles;
}
