import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { ProjectsService } from '../services/projects/service.ts';
import { builtInPageFolder, isBuiltInPage, manageFolder } from './builtInPageFolders.ts';
import { homeAddress } from './homeAddress.ts';
import type { HostPolicy } from './host.ts';

/** The bundled demo, shown when no project and no address is chosen. */
const demo = { id: 'demo', folder: join(import.meta.dirname, '../..', 'renderer-demo') };

/** Folders behind the origins of this panel: projects, the demo and built-in pages. */
interface PageFolders {
  folderOf(id: string): string | undefined;
  hasTypeScript(id: string): boolean;
  isOwn(id: string): boolean;
  readonly manage: string;
}

/** @param projects the installed projects; asked on every call */
export function pageFolders(projects: Pick<ProjectsService, 'folderOf'>): PageFolders {
  return {
    folderOf: (id) => builtInPageFolder(id) ?? (id === demo.id ? demo.folder : projects.folderOf(id)),
    hasTypeScript: (id) => id === demo.id || isBuiltInPage(id),
    isOwn: isBuiltInPage,
    manage: manageFolder,
  };
}

/** Says where the pages of this panel are, and which of them the kiosk shows and trusts. Reads the current settings. */
export class KioskAddresses {
  readonly #settings: () => Settings;
  readonly #port: number;
  #active: string = demo.id;

  /** @param port of the HTTP server */
  constructor(settings: () => Settings, port: number) {
    this.#settings = settings;
    this.#port = port;
  }

  /** @param id of the project that is shown; null for the demo */
  choose(id: string | null): void {
    this.#active = id ?? demo.id;
  }

  /** Whether an installed project is shown, and not the demo or another address. */
  get isProject(): boolean {
    return this.#active !== demo.id && this.#settings()['kiosk.url'] === '';
  }

  /** Origin of a project or of a built-in page. */
  originOf(id: string): string {
    return new URL(`http://${id}.localhost:${this.#port}`).origin;
  }

  /** Origin of the project that is shown, or of the demo. */
  get activeOrigin(): string {
    return this.originOf(this.#active);
  }

  /** What the kiosk shows at start and comes back to. */
  get home(): string {
    const settings = this.#settings();
    return homeAddress({
      url: settings['kiosk.url'],
      project: { id: this.#active, origin: this.activeOrigin },
      parameters: settings['kiosk.parameters'],
      projectParameters: settings['projects.parameters'],
    });
  }

  readonly policy: HostPolicy = {
    bridgeOrigins: () => [this.activeOrigin, ...this.#settings()['bridge.origins']],
    mayNavigate: (target) =>
      [...this.policy.bridgeOrigins(), new URL(this.home).origin].includes(target.origin),
  };
}
