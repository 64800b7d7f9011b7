import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependencyClosure } from '../debian/npmPackages.ts';
import { type Arch, debianArchitectures } from '../debian/packageTree.ts';
import { type NpmComponent, sbom } from '../image/sbom.ts';

/** The bill of materials of the Debian package for one kind of machine: every npm package in it, and its Node. */
export function packageSbom(root: string, arch: Arch, version: string, epoch: number): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const npm: NpmComponent[] = dependencyClosure(root, Object.keys(dependencies));
  const { name, version: ofNode } = nodeOf(root, arch);
  npm.push({ name, version: ofNode, license: 'MIT' });
  return sbom({ version, arch: debianArchitectures[arch], debian: [], npm, epoch, type: 'application' });
}

/** The npm package that brings Node; that of another machine is only in the lock file. */
function nodeOf(root: string, arch: Arch): { name: string; version: string } {
  const name = `node-linux-${arch}`;
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined) throw new Error(`package-lock.json has no ${name}.`);
  return { name, version: entry.version };
}
