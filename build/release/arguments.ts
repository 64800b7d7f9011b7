import { parseArgs } from 'node:util';
import { VERSION } from '../packages/projectFacts.ts';

/** What a release is made of, in the order in which it is made. */
export const partNames = ['changelog', 'docs', 'client', 'sbom', 'deb', 'image'] as const;
export type PartName = (typeof partNames)[number];

/** What `npm run release` was asked for. */
export interface ReleaseOptions {
  /** As SemVer; undefined: that of package.json. */
  readonly version: string | undefined;
  /** Private key and certificate that sign everything; undefined: those of the developer. */
  readonly signer: { readonly key: string; readonly certificate: string } | undefined;
  readonly out: string;
  /** Without `--only` all of them. */
  readonly only: readonly PartName[];
}

/** A sentence for the person at the keyboard. */
export class ReleaseError extends Error {}

/** Reads the arguments of `npm run release`. @throws ReleaseError with what is wrong with them */
export function readArguments(args: readonly string[]): ReleaseOptions {
  const { version, key, certificate, out = 'release', only } = parse(args);
  if (version !== undefined && !VERSION.test(version))
    throw new ReleaseError(`--version ${version} is no version like 1.2.3 or 1.2.3-rc.1.`);
  if ((key === undefined) !== (certificate === undefined))
    throw new ReleaseError('--key and --certificate belong together: give both or none.');
  return {
    version,
    signer: key === undefined || certificate === undefined ? undefined : { key, certificate },
    out,
    only: only === undefined ? partNames : partsOf(only),
  };
}

function partsOf(text: string): PartName[] {
  const names = text.split(',').filter((name) => name !== '');
  for (const name of names) {
    if (!partNames.includes(name as PartName))
      throw new ReleaseError(`--only has no part ${name}: ${partNames.join(', ')}.`);
  }
  if (names.length === 0) throw new ReleaseError(`--only names no part: ${partNames.join(', ')}.`);
  return partNames.filter((name) => names.includes(name));
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { version: text, key: text, certificate: text, out: text, only: text };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ReleaseError((error as Error).message);
  }
}
