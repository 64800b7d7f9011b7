import { definePart } from '../part.ts';
import { projectsCommands } from './contract.ts';
import { ProjectsService } from './service.ts';

// `projectFetch` answers the first.
const { 'projects.fetch': _, ...own } = projectsCommands;

/** The projects that were installed, and which one the window shows. */
export const projects = definePart(
  'projects',
  ({ dataDir, kiosk, log }) => new ProjectsService({ dataDir, screen: kiosk, log }),
)
  .answering(own, (_service, { kiosk }) => ({
    'kiosk.reload': () => kiosk.reload(),
    'kiosk.screenshot': () => kiosk.screenshot(),
  }))
  .showing((service) => ({ projects: service.list().projects }));
