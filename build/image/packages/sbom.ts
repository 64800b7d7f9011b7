import { createHash } from 'node:crypto';
import type { InstalledPackage } from './packages.ts';

/** An npm package that is part of the service. */
export interface NpmComponent {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Its name in the lists of known holes (CPE 2.3), where that is another one. */
  readonly cpe?: string;
}

interface SbomOptions {
  readonly version: string;
  readonly arch: string;
  readonly debian: readonly InstalledPackage[];
  readonly npm: readonly NpmComponent[];
  /** What it is the bill of, as CycloneDX calls it; an image where nothing is said. */
  readonly type?: 'operating-system' | 'application';
  /** Seconds since 1970. */
  readonly epoch: number;
}

/** The software bill of materials of an image or a package: CycloneDX 1.6 as JSON. The same input makes the same text. */
export function sbom(options: SbomOptions): string {
  const { version, arch, debian, npm, epoch, type = 'operating-system' } = options;
  const components = [
    ...debian
      .filter(({ name }) => name !== 'faceplate')
      .map(({ name, version, architecture, source }) =>
        component(name, version, debianPurl(name, version, architecture), [
          { name: 'debian:source', value: source },
        ]),
      ),
    ...npm.map(({ name, version, license, cpe }) => ({
      ...component(name, version, npmPurl(name, version)),
      ...(cpe !== undefined && { cpe }),
      licenses: [isExpression(license) ? { expression: license } : { license: { name: license } }],
    })),
  ];
  const serial = createHash('sha256')
    .update(JSON.stringify([version, arch, components]))
    .digest('hex');
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid(serial)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type,
        'bom-ref': type === 'application' ? 'package' : 'image',
        name: `faceplate-${arch}`,
        version,
      },
    },
    components,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function component(
  name: string,
  version: string,
  purl: string,
  properties?: readonly { name: string; value: string }[],
) {
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...(properties && { properties }) };
}

/** purl-spec, type deb: the version is encoded, so `+` and `:` are too. */
function debianPurl(name: string, version: string, architecture: string): string {
  const encoded = encodeURIComponent(version);
  return `pkg:deb/debian/${encodeURIComponent(name)}@${encoded}?arch=${architecture}&distro=debian-13`;
}

function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
}

/** Whether it reads as an SPDX expression, not as words. */
function isExpression(license: string): boolean {
  return /^[A-Za-z0-9.+()-]+( (AND|OR|WITH) [A-Za-z0-9.+()-]+)*$/.test(license) && license !== 'UNLICENSED';
}

/** A UUID of version 8 (RFC 9562) from a digest. */
function uuid(hex: string): string {
  const digits = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
