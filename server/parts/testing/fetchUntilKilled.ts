import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { ProjectFetchService } from '../projectFetch/service.ts';
import { TestProjects } from './testProjects.ts';

/** Fetches a project into a data folder, until somebody kills it. */
const [dataDir = '', url = ''] = process.argv.slice(2);
const projects = await TestProjects.make({}, dataDir);
const service = new ProjectFetchService({
  projects: projects.service,
  closedPorts: () => [],
  authorities: () => [],
  events: { emit: () => {} },
  clock: systemClock,
  log: silentLogger(),
});
await service.fetch(
  { url, name: 'Lobby', sha256: '0'.repeat(64), activate: true },
  { signal: new AbortController().signal },
);
