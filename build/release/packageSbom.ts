import { type Arch, debianArchitectures } from '../debian/packageTree.ts';
import { programParts } from '../image/packages/programParts.ts';
import { sbom } from '../image/packages/sbom.ts';

/** The bill of materials of the Debian package for one kind of machine: every npm package in it, and its Node. */
export function packageSbom(root: string, arch: Arch, version: string, epoch: number): string {
  const architecture = debianArchitectures[arch];
  const npm = programParts(root, architecture);
  return sbom({ version, arch: architecture, debian: [], npm, epoch, type: 'application' });
}
