import { join } from 'node:path';
import type { Settings } from './config/settings.ts';
import type { HostPolicy } from './host/host.ts';
import { isOwnPage, ownPageFolder } from './ownPages.ts';
import { homeAddress } from './services/kiosk/homeAddress.ts';
import type { ProjectsService } from './services/projects/service.ts';

/** The bundled demo, shown where nothing else is chosen. */
const demo = { id: 'demo', folder: join(import.meta.dirname, '..', 'renderer-demo') };

interface AddressNeeds {
  /** As they are now. */
  readonly settings: () => Settings;
  readonly projects: Pick<ProjectsService, 'active' | 'folderOf'>;
  /** Port of the HTTP server, once it listens. */
  readonly port: () => number;
}

/** Where the pages of this panel lie, and which of them the kiosk shows and trusts. */
export interface KioskAddresses {
  /** Origin of a project or of a page of Faceplate's own. */
  originOf(id: string): string;
  /** Origin of the project that is shown, or of the demo. */
  activeOrigin(): string;
  /** What the kiosk shows. */
  home(): string;
  /** Folders behind the origins. */
  readonly pages: {
    folderOf(id: string): string | undefined;
    hasTypeScript(id: string): boolean;
    isOwn(id: string): boolean;
  };
  readonly policy: HostPolicy;
}

/** Answers from the settings and the active project, anew on every call. */
export function kioskAddresses({ settings, projects, port }: AddressNeeds): KioskAddresses {
  const originOf = (id: string): string => new URL(`http://${id}.localhost:${port()}`).origin;
  const activeId = (): string => projects.active ?? demo.id;
  const activeOrigin = (): string => originOf(activeId());
  const home = (): string =>
    homeAddress({
      url: settings()['kiosk.url'],
      project: { id: activeId(), origin: activeOrigin() },
      parameters: settings()['kiosk.parameters'],
      projectParameters: settings()['projects.parameters'],
    });
  const bridgeOrigins = () => [activeOrigin(), ...settings()['bridge.origins']];
  return {
    originOf,
    activeOrigin,
    home,
    pages: {
      folderOf: (id) => ownPageFolder(id) ?? (id === demo.id ? demo.folder : projects.folderOf(id)),
      hasTypeScript: (id) => id === demo.id || isOwnPage(id),
      isOwn: isOwnPage,
    },
    policy: {
      bridgeOrigins,
      mayNavigate: (target) => [...bridgeOrigins(), new URL(home()).origin].includes(target.origin),
    },
  };
}
