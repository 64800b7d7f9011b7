import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type ProjectsState, projectsState } from './contract.ts';

export type Project = ProjectsState['projects'][string];

const noProjects: ProjectsState = { active: null, projects: {}, stale: [] };

/** The file that says which projects are installed, and which of them is shown. */
export class ProjectRecords {
  readonly #file: StateFile<ProjectsState>;

  constructor(root: string, log: Logger) {
    const path = join(root, 'state.json');
    this.#file = new StateFile({ path, schema: projectsState, defaults: noProjects, log });
  }

  /** Reads the file. @returns whether it was there, readable, and complete */
  async load(): Promise<boolean> {
    return (await this.#file.load()) !== noProjects && this.#file.isWhole;
  }

  get value(): ProjectsState {
    return this.#file.value;
  }

  /** @throws FaceplateError STORAGE_FULL */
  async save(state: ProjectsState): Promise<void> {
    await this.#file.save(state);
  }

  /** All of them, sorted by id. @param active the one that the panel shows */
  list(active: string | null): ResultOf<'projects.list'>['projects'] {
    return Object.entries(this.value.projects)
      .map(([id, { name, current, previous }]) => ({
        id,
        name,
        version: current.version,
        installedAt: current.installedAt,
        size: current.size,
        active: id === active,
        previousAt: previous?.installedAt ?? null,
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  find(id: string): Project | undefined {
    const { projects } = this.value;
    return Object.hasOwn(projects, id) ? projects[id] : undefined;
  }

  /** @throws FaceplateError PROJECT_NOT_FOUND */
  get(id: string): Project {
    const project = this.find(id);
    if (project === undefined) throw new FaceplateError('PROJECT_NOT_FOUND');
    return project;
  }

  /** @throws FaceplateError CONFLICT when a project of another name has the id */
  mustBeFree(id: string, name: string): void {
    const other = this.find(id);
    if (other === undefined || other.name === name) return;
    throw new FaceplateError(
      'CONFLICT',
      `The project "${other.name}" has the id ${id} already: use its name, or another one.`,
    );
  }
}

/** Origins that are not for projects. */
const RESERVED = ['settings', 'demo', 'intercom', 'api', 'localhost'];

/** Longest DNS label (RFC 1035 section 2.3.4). */
const MAX_LABEL = 63;

/**
 * The DNS label for a project of this name, such as `lobby-panel` for "Lobby Panel". A run of other characters becomes
 * one hyphen, so that no label looks like punycode (`xn--`). When nothing usable is left: `project-<digest of the
 * name>`.
 */
export function projectIdFor(name: string): string {
  const label = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LABEL)
    .replace(/-$/, '');
  if (label !== '' && !RESERVED.includes(label)) return label;
  return `project-${hash('sha256', name).slice(0, 12)}`;
}
