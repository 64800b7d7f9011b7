import { parseArgs } from 'node:util';
import { ARCHITECTURES, type Architecture, architectureOf } from './architectures.ts';

/** What `npm run image` was asked for. */
export interface ImageOptions {
  readonly architectures: readonly Architecture[];
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
  const names = positionals.length > 0 ? positionals : ['amd64'];
  const architectures = [...new Set(names)].map((name) => {
    const found = architectureOf(name);
    if (found === undefined)
      throw new ImageError(`There is no image for ${name}: ${ARCHITECTURES.join(' or ')}.`);
    return found;
  });
  const { version, key, certificate, packages, out } = values;
  if (version !== undefined && !VERSION.test(version))
    throw new ImageError(`--version ${version} is no version like 1.2.3 or 1.2.3-rc.1.`);
  if ((key === undefined) !== (certificate === undefined))
    throw new ImageError('--key and --certificate belong together: give both or none.');
  if (packages !== undefined && architectures.length > 1)
    throw new ImageError('--packages has the versions of one architecture: name that one.');
  return {
    architectures,
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
