import { parseArgs } from 'node:util';

/** What `npm run image` was asked for. */
export interface ImageOptions {
  readonly architectures: readonly 'amd64'[];
  /** Version of image and bundle, as SemVer; undefined: that of package.json. */
  readonly version: string | undefined;
  /** Private key and certificate that sign the bundle; undefined: those of the developer. */
  readonly signer: { readonly key: string; readonly certificate: string } | undefined;
  /** A packages.txt of an earlier image, whose versions are taken again. */
  readonly packages: string | undefined;
  readonly out: string | undefined;
}

/** A sentence for the person at the keyboard. */
export class ImageError extends Error {}

/** SemVer 2.0.0, without build metadata: `+` has no order. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Reads the arguments of `npm run image`. @throws ImageError with what is wrong with them */
export function readArguments(args: readonly string[]): ImageOptions {
  const { values, positionals } = parse(args);
  const architectures = positionals.length > 0 ? positionals : ['amd64'];
  for (const name of architectures) {
    if (name === 'arm64') throw new ImageError('Images for arm64 are not made yet: only amd64.');
    if (name !== 'amd64') throw new ImageError(`There is no image for ${name}: only amd64.`);
  }
  const { version, key, certificate, packages, out } = values;
  if (version !== undefined && !VERSION.test(version))
    throw new ImageError(`--version ${version} is no version like 1.2.3 or 1.2.3-rc.1.`);
  if ((key === undefined) !== (certificate === undefined))
    throw new ImageError('--key and --certificate belong together: give both or none.');
  return {
    architectures: ['amd64'],
    version,
    signer: key === undefined || certificate === undefined ? undefined : { key, certificate },
    packages,
    out,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { version: text, key: text, certificate: text, packages: text, out: text };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new ImageError((error as Error).message);
  }
}
