import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { ownPackage } from './ownPackage.ts';

/** Replaces the maker: writes its arguments into the package. */
const MAKER = `
import { writeFileSync } from 'node:fs';
const { argv } = process;
writeFileSync(argv[argv.indexOf('--out') + 1] + '/faceplate_1.2.3_amd64.deb', JSON.stringify(argv.slice(2)));
`;
const SIGNER = { key: '/release/update.key', certificate: '/release/update.pem' };
const PACKAGE = 'faceplate_1.2.3_amd64.deb';

let work: string;
let project: string;
let out: string;
beforeEach(() => {
  work = temporaryFolder('own-package');
  project = join(work, 'project');
  out = join(work, 'out');
  for (const folder of ['server', 'preload', 'renderer-demo', 'build/debian', 'build/linux'])
    put(`${folder}/file`, '');
  for (const name of ['build/bundle/bundle.ts', 'package-lock.json']) put(name, '');
  put('package.json', '{"type":"module"}');
  put('build/packages/dist.ts', MAKER);
  mkdirSync(out);
});

function put(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

const made = () => ownPackage({ project, arch: 'amd64', version: '1.2.3', out, signer: SIGNER });

test('security: should sign a missing package with the key of the release', async () => {
  assert.equal(await made(), join(out, PACKAGE));
  const told = ['amd64', '--version', '1.2.3', '--out', out];
  assert.deepEqual(JSON.parse(readFileSync(join(out, PACKAGE), 'utf8')), [
    ...told,
    ...['--key', SIGNER.key, '--certificate', SIGNER.certificate],
  ]);
});

test('should take a package that is newer than its sources, and make one that is older again', async () => {
  const later = Date.now() / 1000 + 3600;
  put(`dist/${PACKAGE}`, 'made before');
  utimesSync(join(project, 'dist', PACKAGE), later, later);
  assert.equal(await made(), join(project, 'dist', PACKAGE));
  utimesSync(join(project, 'server/file'), later + 1, later + 1);
  assert.equal(await made(), join(out, PACKAGE));
});
