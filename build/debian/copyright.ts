import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependencyClosure, licenceText } from './npmPackages.ts';

/**
 * The file /usr/share/doc/faceplate/copyright: our licence, and that of every package in the bundle or beside it, also
 * Node's.
 * @param nodeFolder folder of the npm package that brings Node
 * @param electron the unpacked folder of the Electron program, in the package that brings one
 */
export function copyrightText(root: string, nodeFolder: string, electron?: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const packages = dependencyClosure(root, Object.keys(dependencies));
  const others = packages.map(({ name, version, license, folder }) => {
    const text = licenceText(folder) ?? `Licence: ${license} (the package brings no text of its own)\n`;
    return section(`${name} ${version} (${license})`, text);
  });
  return [
    `Faceplate\n\n${readFileSync(join(root, 'LICENSE'), 'utf8')}`,
    'The programs of this package hold the following works of others.\n',
    section('Node.js', licenceText(nodeFolder) ?? 'Licence: MIT\n'),
    ...(electron === undefined ? [] : [section('Electron', electronLicence(electron))]),
    ...others,
  ].join('\n');
}

/** Electron's own licence, and where those of what is in it stand: megabytes of them, which it brings as a page. */
function electronLicence(folder: string): string {
  const own = readFileSync(join(folder, 'LICENSE.electron.txt'), 'utf8');
  return `${own}\nThe licences of Chromium and the others: /usr/lib/faceplate/electron/LICENSES.chromium.html\n`;
}

function section(title: string, text: string): string {
  return `${'='.repeat(100)}\n${title}\n${'='.repeat(100)}\n\n${text.trim()}\n`;
}
