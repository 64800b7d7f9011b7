import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FaceplateError } from '../../../contract/errors.ts';
import { maySwitchUser } from '../../../platform/privileges.ts';
import { isBelow, type PackageFile } from '../packageFile.ts';
import { planAppImage } from './appImage.ts';
import {
  type DebianFile,
  inspectDebianFile,
  isInstalled,
  ownersOf,
  withoutArchitecture,
} from './debianPackage.ts';
import { homeFolders, type KioskUser } from './environment.ts';
import type { Application } from './find.ts';
import { bundledApplication } from './flatpak.ts';
import { isOfThePanel, isSystemPackage, type RecordStore } from './installedRecord.ts';
import type { Flatpaks, HomeFiles } from './kioskSide.ts';
import type { DebianChanger } from './rootHelper.ts';

/** What installing and removing need from the desktop driver. */
export interface PackageTools {
  readonly session: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly record: RecordStore;
  readonly flatpak: Flatpaks;
  /** @throws FaceplateError HARDWARE_ERROR when nothing on this machine may change Debian packages */
  debian(): DebianChanger;
  readonly files: HomeFiles;
  /** Programs this service runs on, links followed. */
  readonly ownPrograms: readonly string[];
  /** The programs there are now. */
  applications(): Promise<Map<string, Application>>;
}

/**
 * Installs a checked package file.
 * @returns the name under which it is listed
 * @throws FaceplateError INVALID_REQUEST, FORBIDDEN, CONFLICT, STORAGE_FULL, HARDWARE_ERROR
 */
export async function installPackage(file: PackageFile, tools: PackageTools): Promise<string> {
  switch (file.kind) {
    case 'deb':
      return installDebian(file.path, tools);
    case 'flatpak':
      return installFlatpak(file.path, tools);
    case 'appimage':
      return installAppImage(file.path, tools);
  }
}

async function installDebian(path: string, tools: PackageTools): Promise<string> {
  const file = await inspectDebianFile(path);
  refuseThePanel(file.packageName);
  for (const { id } of file.entries) refuseThePanel(id);
  const debian = tools.debian();
  const before = tools.record.value;
  const isOurs = Object.hasOwn(before, file.packageName);
  // A newer version of a system package is still a system package.
  const becomesOurs = isOurs || !(await isInstalled(file.packageName));
  if (becomesOurs) {
    // The record is written first: a package without a record could never be removed again.
    const files = file.entries.map((entry) => entry.file);
    await tools.record.save({ ...before, [file.packageName]: files });
  }
  try {
    await debian.install(path, isOurs);
  } catch (error) {
    // What a package with a failed script left behind must stay removable.
    if (becomesOurs && !isOurs && !(await isUnpacked(file))) {
      await tools.record.save(before).catch(() => undefined);
    }
    throw error;
  }
  return shownEntry(file, await tools.applications());
}

async function isUnpacked({ entries }: DebianFile): Promise<boolean> {
  const owners = await Promise.all(entries.map(({ file }) => ownersOf(file)));
  return owners.flat().length > 0;
}

/** The entry with the package's name, else the first in the list. */
function shownEntry({ packageName, entries }: DebianFile, applications: Map<string, Application>): string {
  const shown = entries.filter(({ id, file }) => applications.get(id)?.file === file).map(({ id }) => id);
  const id = shown.find((name) => name === packageName) ?? shown[0];
  if (id !== undefined) return id;
  const sentence = `${packageName} is installed, but none of its programs can be started.`;
  throw new FaceplateError('HARDWARE_ERROR', sentence);
}

async function installFlatpak(path: string, tools: PackageTools): Promise<string> {
  const id = await bundledApplication(path);
  refuseThePanel(id);
  await withReadableFile(path, tools, (readable) => tools.flatpak.install(readable));
  const applications = await tools.applications();
  const own = applications.get(id) ?? [...applications.values()].find(({ flatpak }) => flatpak === id);
  if (own) return own.id;
  throw new FaceplateError('HARDWARE_ERROR', `${id} is installed, but has no program that can be started.`);
}

/** When the user that runs the tool cannot enter the folder of package files, it gets a temporary copy in its home. */
async function withReadableFile(
  path: string,
  { user, session, files }: PackageTools,
  use: (path: string) => Promise<void>,
): Promise<void> {
  if (!user || process.getuid?.() === 0) return use(path);
  const copy = join(homeFolders(session).home, '.cache', 'faceplate', 'bundle.flatpak');
  await files.copy(path, copy, '0600');
  try {
    await use(copy);
  } finally {
    await files.remove(copy);
  }
}

async function installAppImage(path: string, tools: PackageTools): Promise<string> {
  if (maySwitchUser() && !tools.user) {
    const sentence = 'An AppImage belongs to a user: set kiosk.user to an existing one.';
    throw new FaceplateError('HARDWARE_ERROR', sentence);
  }
  const plan = await planAppImage(path, tools.session);
  refuseThePanel(plan.id);
  const existing = (await tools.applications()).get(plan.id);
  if (existing && existing.argv[0] !== plan.image) {
    const sentence = `There is another package called ${plan.id}. Give the file another name.`;
    throw new FaceplateError('CONFLICT', sentence);
  }
  await tools.files.copy(path, plan.image, '0755');
  await tools.files.writeText(plan.entryText, plan.entryFile);
  return plan.id;
}

function refuseThePanel(packageName: string): void {
  if (!isOfThePanel(packageName)) return;
  const sentence = `${packageName} is what this panel runs on: use the system's own package manager for it.`;
  throw new FaceplateError('FORBIDDEN', sentence);
}

/**
 * Removes a program the way it was installed. Nothing else is removed with it.
 * @throws FaceplateError FORBIDDEN, CONFLICT, HARDWARE_ERROR
 */
export async function uninstallPackage(application: Application, tools: PackageTools): Promise<void> {
  const { session, ownPrograms } = tools;
  if (await isSystemPackage(application, { session, ownPrograms, record: tools.record.value })) {
    throw forbidden(application, 'it belongs to the system');
  }
  switch (application.folder.origin) {
    case 'flatpakUser':
      return tools.flatpak.uninstall(application.flatpak ?? application.id, 'user');
    case 'flatpakSystem':
      return tools.flatpak.uninstall(application.flatpak ?? application.id, 'system');
    case 'user':
      return removeFromHome(application, tools);
    default:
      return removeDebian(application, tools);
  }
}

async function removeDebian(
  application: Application,
  { record, ownPrograms, debian }: PackageTools,
): Promise<void> {
  const owners = await ownersOf(application.file);
  const [owner] = owners;
  if (owner === undefined || owners.length > 1) {
    throw forbidden(application, 'no package of the system owns it; it was put there by hand');
  }
  const packageName = withoutArchitecture(owner);
  const ownPackages = (await Promise.all(ownPrograms.map(ownersOf))).flat().map(withoutArchitecture);
  if (isOfThePanel(packageName) || ownPackages.includes(packageName)) {
    throw forbidden(application, 'this panel runs on it');
  }
  await debian().remove(owner);
  const { [packageName]: _removed, ...others } = record.value;
  await record.save(others);
}

/** Deletes the entry, and the AppImage it starts; never anything outside the home. */
async function removeFromHome({ id, file, argv }: Application, tools: PackageTools): Promise<void> {
  const { home, dataHome } = homeFolders(tools.session);
  const isInHome = async (path: string) => {
    const folder = `${await realpath(dirname(path))}/`;
    const roots = await Promise.all([home, dataHome].map((root) => realpath(root).catch(() => root)));
    return roots.some((root) => isBelow(folder, root));
  };
  if (!(await isInHome(file))) {
    throw new FaceplateError('FORBIDDEN', `${id} cannot be removed: its entry lies outside the home folder.`);
  }
  const program = argv[0]!;
  const isImage = program.startsWith('/') && /\.appimage$/i.test(program);
  // The entry is removed last: if the image cannot be removed, the package is still listed and can be tried again.
  if (isImage && (await isInHome(program).catch(() => false))) await tools.files.remove(program);
  await tools.files.remove(file);
}

function forbidden({ id }: Application, reason: string): FaceplateError {
  return new FaceplateError('FORBIDDEN', `${id} cannot be removed: ${reason}.`);
}
