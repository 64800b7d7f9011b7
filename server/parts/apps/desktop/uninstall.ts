import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FaceplateError } from '../../../contract/errors.ts';
import { isBelow } from '../packageFile.ts';
import { ownersOf, withoutArchitecture } from './debianPackage.ts';
import { homeFolders } from './environment.ts';
import type { Application } from './find.ts';
import type { PackageTools } from './install.ts';
import { isOfThePanel, isSystemPackage } from './systemPackages.ts';

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
