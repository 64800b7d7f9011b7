import { silentLogger } from '../../platform/log.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { ProjectsService } from '../projects/service.ts';
import { noJoins, TestScreen, upload } from './testProjects.ts';

/** Program of the kill -9 test: installs one version after the other into the given data folder until it is killed. */
const FILES = 40;
const service = new ProjectsService({
  dataDir: process.argv[2] ?? '',
  screen: new TestScreen(),
  joins: noJoins,
  log: silentLogger(),
});
await service.start();
for (let version = 1; ; version++) {
  const content = `version ${version} `.repeat(2_000);
  const files = Array.from({ length: FILES }, (_, i) => ({ name: `folder${i % 4}/file${i}`, content }));
  const archive = upload(zipFile([{ name: 'index.html', content }, ...files]));
  await service.install({ name: 'Panel', archive }, { signal: new AbortController().signal });
  process.stdout.write('installed\n');
}
