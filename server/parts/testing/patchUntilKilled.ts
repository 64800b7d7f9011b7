import { hash } from 'node:crypto';
import { silentLogger } from '../../platform/log.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { treeDigest } from '../projects/projectChange.ts';
import { ProjectsService } from '../projects/service.ts';
import { noJoins, TestScreen, upload } from './testProjects.ts';

/** Program of the kill -9 test: changes some files of a project again and again until it is killed. */
const FILES = 40;
const { signal } = new AbortController();
const service = new ProjectsService({
  dataDir: process.argv[2] ?? '',
  screen: new TestScreen(),
  joins: noJoins,
  log: silentLogger(),
});
await service.start();
const files = new Map<string, string>([['index.html', 'version 0']]);
for (let at = 0; at < FILES; at++) files.set(`folder${at % 4}/file${at}`, 'version 0');
const zip = (paths: Iterable<string>) =>
  upload(zipFile([...paths].map((name) => ({ name, content: files.get(name) ?? '' }))));
await service.install({ name: 'Panel', archive: zip(files.keys()) }, { signal });
for (let version = 1; ; version++) {
  const changed = ['index.html', `folder${version % 4}/file${version % FILES}`, `added${version % 3}`];
  const removed = [`added${(version + 1) % 3}`].filter((path) => files.delete(path));
  for (const path of changed) files.set(path, `version ${version} of ${path} `.repeat(2_000));
  const sha256 = treeDigest(new Map([...files].map(([path, text]) => [path, hash('sha256', text)])));
  await service.patch({ id: 'panel', removed, sha256, archive: zip(changed) }, { signal });
  process.stdout.write('changed\n');
}
