import { constants } from 'node:fs';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import {
  aptInstall,
  aptRemove,
  fieldOf,
  inspectDebianFile,
  isInstalled,
  packageNameOf,
  withoutArchitecture,
} from '../../parts/apps/desktop/debianPackage.ts';
import { isOfThePanel, type RecordStore } from '../../parts/apps/desktop/installedRecord.ts';
import type { HelperAnswer, HelperRequest } from '../../parts/apps/desktop/rootHelper.ts';
import { reasonOf, runTool } from '../../parts/apps/desktop/runTool.ts';
import { checkPackageFile, invalid, noPackages } from '../../parts/apps/packageFile.ts';
import { isSignedBy, takeSignature, unknownKey } from '../../parts/apps/signedPackage.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import type { Logger } from '../../platform/log.ts';
import { discardSlot, installSlot, keepSlot, returnSlot, type SlotOptions } from './slotRequests.ts';
import { mustNotBeTooOld, type TrustedKeys } from './trustedKeys.ts';
import { beginUpdate, keepUpdate, returnUpdate, type UpdateFolders } from './updateRequests.ts';

export interface PackageHelperOptions {
  /** Folder below which package files may lie; written by the service, which is not trusted here. */
  readonly installDir: string;
  /** What was installed here, in a place that only root can write. */
  readonly record: RecordStore;
  /** Certificates whose keys sign packages: those of others, and Faceplate's own. Read again for each request. */
  readonly keys: { packages(): Promise<TrustedKeys>; updates(): Promise<TrustedKeys> };
  /** The folder of the versions of Faceplate. */
  readonly updateFolders: UpdateFolders;
  /** The disk image that this is, if it is one: there, packages do not change. */
  readonly slots: Omit<SlotOptions, 'keys'>;
  readonly provision: ProvisionFolders;
  /** Called with the progress of an installation, in percent. */
  readonly onProgress?: (percent: number) => void;
  /** Starts the program that proves a version; tests replace it. */
  readonly startProving?: () => Promise<void>;
  /** Takes what the answer does not say. */
  readonly log?: Pick<Logger, 'error'>;
  /** apt-get; tests replace it. */
  readonly apt?: { install: typeof aptInstall; remove: typeof aptRemove };
}

const PACKAGE_NAME = /^[a-z0-9][a-z0-9+.-]{1,127}(:[a-z0-9][a-z0-9-]{1,31})?$/;
/** The package that only a key for updates may sign. */
const OWN_PACKAGE = 'faceplate';
/** Longest path that is accepted (PATH_MAX of Linux). */
const MAX_PATH = 4_096;

/**
 * Does one request of the service, which runs as an ordinary user: installs a package file, removes a package that was
 * installed here, or changes the version of Faceplate. Everything is checked again, because an attacker may control the service.
 */
export async function answerRequest(line: string, options: PackageHelperOptions): Promise<HelperAnswer> {
  try {
    const request = parseRequest(line);
    await carryOut(request, options);
    return {};
  } catch (error) {
    if (error instanceof FaceplateError) return { code: error.code, error: error.message };
    options.log?.error({ err: error }, 'helper: request failed');
    return { code: 'HARDWARE_ERROR', error: 'The helper for packages failed; see journalctl.' };
  }
}

async function carryOut(request: HelperRequest, options: PackageHelperOptions): Promise<void> {
  const { record, keys, updateFolders: folders, provision, startProving, onProgress = () => {} } = options;
  const update = { folders, keys, ...(startProving && { startProving }) };
  const slots = { ...options.slots, keys };
  if (slots.slot === null && 'text' in request)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', 'This panel has no boot partition of ours.');
  if (slots.slot !== null && /deb$|^update-/.test(request.verb)) throw noPackages();
  switch (request.verb) {
    case 'provision-taken':
      return noteTaken(request.text, provision);
    case 'provision-refused':
      return noteRefused(request.text, provision);
    case 'hostname':
      return setName(request.text, provision);
    case 'slot-install':
      return installSlot(request.path, slots, onProgress);
    case 'slot-good':
      return keepSlot(slots);
    case 'slot-return':
      return returnSlot(slots);
    case 'slot-discard':
      return discardSlot(slots);
    case 'update-begin':
      return beginUpdate(request.path, update);
    case 'update-return':
      return returnUpdate(update);
    case 'update-good':
      return keepUpdate(update);
    case 'install-deb':
      await record.load();
      return install(request.path, options);
    case 'remove-deb':
      await record.load();
      return remove(request.packageName, options);
  }
}

/** Requests with a path, those with a text, and those with nothing. */
const WITH_PATH = ['install-deb', 'update-begin', 'slot-install'] as const;
const WITH_TEXT = ['provision-taken', 'provision-refused', 'hostname'] as const;
const ALONE = ['update-return', 'update-good', 'slot-return', 'slot-good', 'slot-discard'] as const;

/** @throws FaceplateError INVALID_REQUEST */
function parseRequest(line: string): HelperRequest {
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch {
    throw invalid('The request is not JSON.');
  }
  if (typeof request !== 'object' || request === null) throw invalid('The request is no object.');
  const { verb, path, packageName, text, ...others } = request as Record<string, unknown>;
  if (Object.keys(others).length > 0) throw invalid('The request has fields that are not known.');
  const withText = WITH_TEXT.find((one) => one === verb);
  if (withText !== undefined && typeof text === 'string' && path === undefined && packageName === undefined)
    return { verb: withText, text };
  if (text !== undefined) throw invalid('Only a request for the boot partition has a text.');
  const alone = ALONE.find((one) => one === verb);
  if (alone !== undefined && path === undefined && packageName === undefined) return { verb: alone };
  const withPath = WITH_PATH.find((one) => one === verb);
  if (withPath !== undefined && typeof path === 'string' && packageName === undefined) {
    if (!path.startsWith('/') || path.length > MAX_PATH) throw invalid('The path is not absolute.');
    return { verb: withPath, path };
  }
  if (verb === 'remove-deb' && typeof packageName === 'string' && path === undefined) {
    if (!PACKAGE_NAME.test(packageName)) throw invalid('This is not a name of a Debian package.');
    return { verb, packageName };
  }
  throw invalid(
    `The helper knows ${WITH_PATH.join(', ')} with a path, remove-deb with a packageName, ${WITH_TEXT.join(', ')} with a text, and ${ALONE.join(', ')}.`,
  );
}

async function install(path: string, options: PackageHelperOptions): Promise<void> {
  const { installDir, record, apt } = options;
  const checked = await checkPackageFile(installDir, path);
  if (checked.kind !== 'deb') throw invalid('Only .deb files are installed here.');
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-helper-'));
  try {
    // Our own copy: no other program can replace the file between the check and the installation.
    const copy = join(folder, 'package.deb');
    await copyFile(checked.path, copy);
    // Root's tools do not read the file before its signer is known.
    const signer = await signerOf(copy, options);
    if (signer.mayUpdate && (await packageNameOf(copy)) === OWN_PACKAGE) {
      const version = await fieldOf(copy, 'Version');
      await mustNotBeTooOld(version, await options.keys.updates(), options.updateFolders);
      await (apt?.install ?? aptInstall)(copy, false);
      return;
    }
    if (!signer.maySign) throw unknownKey();
    const { packageName, entries } = await inspectDebianFile(copy);
    refuseThePanel(packageName);
    for (const { id } of entries) refuseThePanel(id);
    const before = record.value;
    const isOurs = Object.hasOwn(before, packageName);
    const becomesOurs = !isOurs && !(await isInstalled(packageName));
    if (becomesOurs) await record.save({ ...before, [packageName]: entries.map(({ file }) => file) });
    await (apt?.install ?? aptInstall)(copy, isOurs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes the signature from the package file.
 * @returns whether its signer may update Faceplate, and whether it may sign packages of others
 * @throws FaceplateError UNSUPPORTED_HARDWARE (no key for packages is known), INVALID_REQUEST
 */
async function signerOf(path: string, { keys }: PackageHelperOptions) {
  const [packages, updates] = await Promise.all([keys.packages(), keys.updates()]);
  if ('none' in packages && 'none' in updates) throw noKeys(packages.none);
  const { bytes: signature } = await takeSignature(path);
  const isBy = async (known: TrustedKeys) => 'pem' in known && (await isSignedBy(path, signature, known.pem));
  const mayUpdate = await isBy(updates);
  if (!mayUpdate && 'none' in packages) throw noKeys(packages.none);
  const maySign = await isBy(packages);
  if (!mayUpdate && !maySign) throw unknownKey();
  return { mayUpdate, maySign };
}

function noKeys(why: string): FaceplateError {
  return new FaceplateError('UNSUPPORTED_HARDWARE', `This panel installs no Debian packages: ${why}.`);
}

async function remove(owner: string, { record, apt }: PackageHelperOptions): Promise<void> {
  const packageName = withoutArchitecture(owner);
  refuseThePanel(packageName);
  if (!Object.hasOwn(record.value, packageName)) {
    throw new FaceplateError('FORBIDDEN', `${packageName} was not installed through Faceplate.`);
  }
  await (apt?.remove ?? aptRemove)(owner);
  const { [packageName]: _removed, ...others } = record.value;
  await record.save(others);
}

function refuseThePanel(name: string): void {
  if (!isOfThePanel(name)) return;
  throw new FaceplateError('FORBIDDEN', `${name} is what this panel runs on.`);
}

interface ProvisionFolders {
  /** The boot partition. */
  readonly boot: string;
  /** The name that was chosen for the machine; the unit faceplate-identity reads it. */
  readonly chosenName: string;
  /** Lets the machine take its name; tests replace it. */
  readonly takeName?: () => Promise<void>;
}

const FILE = 'faceplate.json';
const APPLIED = 'faceplate.applied.json';
const ERRORS = 'faceplate.errors.txt';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Leaves what was taken without its secrets, then overwrites the file and removes it. May be done again after a cut. */
async function noteTaken(text: string, { boot }: ProvisionFolders): Promise<void> {
  await writeWhole(join(boot, APPLIED), text);
  await overwrite(join(boot, FILE));
  await rm(join(boot, ERRORS), { force: true });
}

/** Leaves the mistakes beside the file. */
async function noteRefused(text: string, { boot }: ProvisionFolders): Promise<void> {
  await writeWhole(join(boot, ERRORS), text);
}

/** @throws FaceplateError INVALID_REQUEST, HARDWARE_ERROR */
async function setName(name: string, { chosenName, takeName = restartIdentity }: ProvisionFolders) {
  if (!NAME.test(name)) throw new FaceplateError('INVALID_REQUEST', 'This is no name of a machine.');
  await writeWhole(chosenName, `${name}\n`);
  await takeName();
}

/** Nothing of its bytes is left in its place: a deleted file of FAT is still on the disk. */
async function overwrite(path: string): Promise<void> {
  try {
    const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      const { size } = await file.stat();
      await file.write(Buffer.alloc(size, ' '), 0, size, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await rm(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

async function restartIdentity(): Promise<void> {
  const outcome = await runTool('systemctl', ['restart', 'faceplate-identity.service'], {
    timeoutMs: 20_000,
  });
  if (outcome.exitCode !== 0)
    throw new FaceplateError('HARDWARE_ERROR', `The machine did not take its name: ${reasonOf(outcome)}.`);
}
