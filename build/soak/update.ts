import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianArchitectures } from '../debian/packageTree.ts';
import { signPackage } from '../debian/signPackage.ts';
import type { Signer } from '../packages/updateKeys.ts';

/** As many bytes as a small version has: enough to be written to the disk in many parts. */
const BYTES = 4 * 2 ** 20;

/** A package of this name that says it is a later version, signed. Only a panel that runs from a package would install it. */
export function makeUpdate(work: string, signer: Signer): Buffer {
  const tree = join(work, 'tree');
  const file = join(work, 'update.deb');
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  const architecture = debianArchitectures[process.arch as keyof typeof debianArchitectures];
  const control = [
    'Package: faceplate',
    'Version: 99.0.0',
    `Architecture: ${architecture}`,
    'Maintainer: nobody <nobody@localhost>',
    'Description: a version that is never installed',
  ];
  writeFileSync(join(tree, 'DEBIAN/control'), `${control.join('\n')}\n`);
  writeFileSync(join(tree, 'filler'), Buffer.alloc(BYTES, 7));
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
  signPackage(file, signer);
  const bundle = readFileSync(file);
  rmSync(tree, { recursive: true });
  rmSync(file);
  return bundle;
}
