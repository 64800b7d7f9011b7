import type { Scope } from '../../contract/access.ts';
import type { UnpackLimits } from '../../platform/archive/archive.ts';
import type { DiskSpace } from '../../platform/archive/diskSpace.ts';
import type { StateKind } from '../../platform/stateFile.ts';
import type { ProjectsState } from '../projects/contract.ts';

/** What a restore would do to the settings. */
export interface SettingsPlan {
  /** All of settings.json as it then is. */
  readonly text: string;
  /** Keys of the backup that are taken. */
  readonly restored: readonly string[];
  /** Keys of the backup that are left alone. */
  readonly skipped: readonly string[];
  /** Secrets of the panel that are cleared. */
  readonly cleared: readonly string[];
}

/** Who restores. */
export interface Restorer {
  readonly isOwner: boolean;
  /** What the restorer's token opens. */
  readonly scopes: readonly Scope[];
}

/** What a backup needs of the settings. */
export interface SettingsSource<P extends SettingsPlan = SettingsPlan> {
  /** Trees for settings.json: what anybody may see, and the secrets. */
  kept(): { readonly plain: unknown; readonly secret: unknown };
  /** Checks the settings of a backup, a file like settings.json. @throws Error in words when they do not fit, or a FaceplateError */
  plan(path: string, options: Restorer & { readonly secrets: boolean }): P;
  /** @returns the keys that need a restart */
  carryOut(plan: P): Promise<readonly string[]>;
}

/** The state files of a backup, as their services declare them. */
export interface BackedUpState {
  /** Anybody with the right to a backup reads them and takes them back. */
  readonly open: readonly StateKind<unknown>[];
  /** Anybody reads them; taken back by somebody else than the owner they would be a way around a rule. */
  readonly owners: readonly StateKind<unknown>[];
  /** They let somebody in, and are sealed. */
  readonly secret: readonly StateKind<unknown>[];
}

/** What a backup needs of the projects. */
export interface ProjectsSource {
  readonly space: DiskSpace;
  readonly limits: UnpackLimits;
  /** Runs `work` while no project changes. */
  hold<T>(work: (state: ProjectsState, folderOf: (id: string) => string) => Promise<T>): Promise<T>;
  /** @throws FaceplateError INVALID_REQUEST when a project of this name cannot have the id */
  mustBeProject(id: string, name: string): void;
  /** Replaces all projects. @param place moves the folders that `state` names to their places */
  replaceAll(state: ProjectsState, place: () => Promise<void>): Promise<void>;
}
