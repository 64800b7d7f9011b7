import { createReadStream, createWriteStream } from 'node:fs';
import { access, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FaceplateError } from '../../contract/errors.ts';
import { fieldOf, packageNameOf } from '../../parts/apps/desktop/debianPackage.ts';
import { reasonOf, runTool } from '../../parts/apps/desktop/runTool.ts';
import { checkPackageFile, invalid } from '../../parts/apps/packageFile.ts';
import { isSignedBy, takeSignature, unknownKey } from '../../parts/apps/signedPackage.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import { mustNotBeTooOld, mustNotReturnTo, notedOldest, type TrustedKeys } from './trustedKeys.ts';

export interface UpdateFolders {
  /** Where the service puts a bundle; it is not trusted here. */
  readonly from: string;
  /** What root alone writes: the versions, and how far an update is. */
  readonly state: string;
  /** The program that installs and proves. It is copied, so that the version that it installs cannot replace it. */
  readonly program: string;
  /** The manifest of what runs, which names the oldest version that may come after it. */
  readonly manifest: string;
}

interface UpdateOptions {
  readonly folders: UpdateFolders;
  readonly keys: { updates(): Promise<TrustedKeys> };
  /** Starts the program; tests replace it. */
  readonly startProving?: () => Promise<void>;
}

/** The version that the panel would become: only this package, signed by a key for updates. */
const PACKAGE = 'faceplate';

/**
 * Begins an update: checks the bundle once more, and hands it to the program that installs it, watches it, and takes it
 * back.
 * @throws FaceplateError INVALID_REQUEST, CONFLICT, UNSUPPORTED_HARDWARE, HARDWARE_ERROR
 */
export async function beginUpdate(path: string, options: UpdateOptions): Promise<void> {
  const { folders, startProving = startUnit } = options;
  if ((await currentStep(folders.state)) !== undefined)
    throw new FaceplateError('CONFLICT', 'Another version is under way.');
  const checked = await checkPackageFile(folders.from, path);
  const work = await mkdtemp(join(tmpdir(), 'faceplate-helper-'));
  const next = join(folders.state, 'next.deb');
  try {
    // Our own copy: no other program can replace the file between the check and the installation.
    const copy = join(work, 'next.deb');
    await copyFile(checked.path, copy);
    await mustBeOurs(copy, options);
    await placeOwn(copy, next);
    await placeOwn(folders.program, join(folders.state, 'prove.sh'));
    for (const left of ['taken-back', 'good', 'boots']) await rm(join(folders.state, left), { force: true });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  await setStep(folders.state, 'install');
  await startProving();
}

/** Returns to the version before. @throws FaceplateError CONFLICT (there is none, or it is too old), HARDWARE_ERROR */
export async function returnUpdate({
  folders,
  keys,
  startProving = startUnit,
}: UpdateOptions): Promise<void> {
  const step = await currentStep(folders.state);
  // A power cut may have interrupted it: then it continues.
  if (step === 'back') return startProving();
  await mustExist(join(folders.state, 'before.deb'));
  if (step === undefined) {
    await mustExist(join(folders.state, 'before'));
    const before = await readFile(join(folders.state, 'before'), 'utf8');
    await mustNotReturnTo(before.trim(), await keys.updates(), folders);
    await placeOwn(folders.program, join(folders.state, 'prove.sh'));
  }
  await setStep(folders.state, 'back');
  await startProving();
}

/** The version has proved itself: from now on nothing takes it back. */
export async function keepUpdate({ folders, keys }: UpdateOptions): Promise<void> {
  const step = await currentStep(folders.state);
  // The installer may still be at its last lines.
  if (step !== 'install' && step !== 'prove') return;
  await writeFile(join(folders.state, 'good'), '');
  await notedOldest(await keys.updates(), folders);
}

/** @throws FaceplateError INVALID_REQUEST, UNSUPPORTED_HARDWARE */
async function mustBeOurs(copy: string, { keys, folders }: UpdateOptions): Promise<void> {
  const known = await keys.updates();
  if ('none' in known)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', `This panel takes no updates: ${known.none}.`);
  const { bytes } = await takeSignature(copy);
  if (!(await isSignedBy(copy, bytes, known.pem))) throw unknownKey();
  if ((await packageNameOf(copy)) !== PACKAGE) throw invalid('This is no version of Faceplate.');
  await mustNotBeTooOld(await fieldOf(copy, 'Version'), known, folders);
}

async function currentStep(state: string): Promise<string | undefined> {
  try {
    return (await readFile(join(state, 'step'), 'utf8')).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function setStep(state: string, step: string): Promise<void> {
  // It has to be whole after a power cut.
  await writeWhole(join(state, 'step'), `${step}\n`);
}

/** A new file with the same bytes. Not `copyFile`, which hands the file to the owner of the first one: the service. */
async function placeOwn(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o644 }));
}

async function mustExist(path: string): Promise<void> {
  await access(path).catch(() => {
    throw new FaceplateError('CONFLICT', 'There is no version before this one.');
  });
}

async function startUnit(): Promise<void> {
  const outcome = await runTool('systemctl', ['start', '--no-block', 'faceplate-update.service'], {
    timeoutMs: 20_000,
  });
  if (outcome.exitCode !== 0)
    throw new FaceplateError('HARDWARE_ERROR', `The update cannot begin: ${reasonOf(outcome)}.`);
}
