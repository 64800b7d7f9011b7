import type { JoinsService } from '../joins/service.ts';
import { type Core, definePart } from '../part.ts';
import { projectsCommands } from './contract.ts';
import { ProjectsService } from './service.ts';

// `projectFetch` answers the first.
const { 'projects.fetch': _, ...own } = projectsCommands;

/** The projects that were installed, and which one the window shows. */
export const projects = definePart(
  'projects',
  ({ dataDir, kiosk, joins, log }: Core & { readonly joins: JoinsService }) =>
    new ProjectsService({ dataDir, screen: kiosk, joins, log }),
)
  .answering(own, (_service, { kiosk }) => ({
    'kiosk.reload': () => kiosk.reload(),
    'kiosk.screenshot': () => kiosk.screenshot(),
  }))
  .showing((service) => ({ projects: service.list().projects }));
