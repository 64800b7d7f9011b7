import { CERTIFICATE, CONTENTS, SIGNATURE, SUMS } from './folder.ts';

/** What a file of a release is, by its name; the first that fits. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\.deb$/, 'the Debian package, signed'],
  [/\.img\.zst$/, 'the disk image, for flashing'],
  [/\.raucb$/, 'the update bundle of the image, signed'],
  [/_\w+\.deb\.cdx\.json$/, 'software bill of materials of the Debian package, CycloneDX'],
  [/\.cdx\.json$/, 'software bill of materials of the image, CycloneDX'],
  [/\.packages\.txt$/, 'the exact Debian packages of the image'],
  [/-docs\.tar\.gz$/, 'the documentation as a site'],
  [/^faceplate-client-.*\.tgz$/, 'the client for Node and browsers: npm publish'],
  [/^faceplate-types-.*\.tgz$/, 'the types of window.container, @faceplate/types: npm publish'],
  [/^channel\.json$/, 'the list of versions that panels read (update.channel)'],
  [/^CHANGELOG\.md$/, 'what changed'],
];

/** The text that says what is in a release, and how it is checked. */
export function contentsText(version: string, names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length), 0);
  const rows = names.map((name) => {
    const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'not described';
    return `  ${name.padEnd(width)}  ${kind}`;
  });
  return [
    `Faceplate ${version}`,
    '',
    ...rows,
    '',
    `${SUMS} holds the SHA-256 of every other file, and ${SIGNATURE} its signature by the key of updates. Check both,`,
    `by a certificate (${CERTIFICATE}) that did not come with these files:`,
    '',
    `  openssl cms -verify -binary -inform DER -in ${SIGNATURE} -content ${SUMS} -out /dev/null \\`,
    `    -certfile ${CERTIFICATE} -nointern -noverify`,
    `  sha256sum --check ${SUMS}`,
    '',
  ].join('\n');
}

/** Files that say what the others are. */
export const describing: readonly string[] = [CONTENTS, SUMS, SIGNATURE, CERTIFICATE];
