import type { Tree } from './layers.ts';

/** The one place that reads the interfaces of the machine, and tests, which may fail. */
const READS_INTERFACES = /^server\/platform\/net\/addresses\.ts$|\.(test|full)\.ts$|\/testing\//;

/**
 * Code by which running out of descriptors, or one piece of work that fails, would end the service: a reading of the
 * interfaces outside its home, and a chain of promises that ends at its first failure, which no code catches.
 * @returns one sentence for each
 */
export function findUnsafe(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [file, source] of tree) {
    if (!/^(?:server|electron)\/.*\.ts$/.test(file)) continue;
    if (!READS_INTERFACES.test(file) && /\bnetworkInterfaces\b/.test(source.replaceAll(/\/\*.*?\*\//gs, '')))
      problems.push(`${file}: networkInterfaces() throws without a free descriptor. Use interfacesNow().`);
    for (const { index, 1: indent, 2: chain } of source.matchAll(
      /^( *)((?:\w+\.|this\.)?#?[\w.#]+) = \2\s*\.then\(/gm,
    )) {
      const end = source.slice(index).search(new RegExp(`;\\n(?! {${indent!.length + 1}})`));
      if (source.slice(index, index + end).includes('.catch(')) continue;
      const line = source.slice(0, index).split('\n').length;
      problems.push(`${file}:${line}: a failure ends ${chain} for good, uncaught. Use InTurn, or catch it.`);
    }
  }
  return problems;
}
