import type { CertificatesService } from '../certificates/service.ts';
import { type Core, definePart } from '../part.ts';
import { projectsCommands } from '../projects/contract.ts';
import type { ProjectsService } from '../projects/service.ts';
import { ProjectFetchService } from './service.ts';

interface Needs {
  readonly certificates: CertificatesService;
  readonly projects: ProjectsService;
}

/** Projects that are fetched from an address. */
export const projectFetch = definePart(
  'projectFetch',
  ({ projects, certificates, closedPorts, events, clock, log }: Core & Needs) =>
    new ProjectFetchService({
      projects,
      closedPorts,
      authorities: () => certificates.authorities(),
      events,
      clock,
      log,
    }),
).answering({ 'projects.fetch': projectsCommands['projects.fetch'] });
