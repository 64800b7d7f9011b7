import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependencyClosure } from '../../debian/npmPackages.ts';
import { debianArchitectures } from '../../debian/packageTree.ts';
import type { NpmComponent } from './sbom.ts';

/**
 * What the program of our Debian package consists of besides our own code: every npm package in it, and its Node.
 * @param architecture Debian's name of the machine
 * @throws Error where the lock file has no Node for it
 */
export function programParts(root: string, architecture: string): NpmComponent[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return [...dependencyClosure(root, Object.keys(dependencies)), nodeOf(root, architecture)];
}

/** The npm package that brings Node; that of another machine is only in the lock file. */
function nodeOf(root: string, architecture: string): NpmComponent {
  const machine = Object.entries(debianArchitectures).find(([, name]) => name === architecture)?.[0];
  const name = `node-linux-${machine}`;
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; license?: string }>;
  };
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined) throw new Error(`package-lock.json has no Node for ${architecture}.`);
  const { version, license = 'not said' } = entry;
  // Lists of known holes name Node so, and not by the package that it comes in (NISTIR 7695).
  return { name, version, license, cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` };
}
