import { spawn } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { FaceplateError } from '../../contract/errors.ts';
import { invalid } from '../../parts/apps/packageFile.ts';
import { unknownKey } from '../../parts/apps/signedPackage.ts';
import {
  type BootChoice,
  choiceAfterLoss,
  readBootChoice,
  writeBootChoice,
} from '../../parts/update/grubenv.ts';
import { imageBoard, inspectRaucBundle } from '../../parts/update/raucBundle.ts';
import { TAKEN_BACK } from '../../parts/update/raucSlots.ts';
import { otherSlot, type Slot } from '../../platform/bootSlot.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import { mustNotBeTooOld, mustNotReturnTo, notedOldest, type TrustedKeys } from './trustedKeys.ts';

export interface SlotOptions {
  /** The slot that runs; null where this is no image with slots. */
  readonly slot: Slot | null;
  readonly grubenv: string;
  /** Where the service puts a bundle; it is not trusted here. On the same file system as `state`. */
  readonly from: string;
  /** What root alone writes: the bundle while it is installed, and the version of each slot. */
  readonly state: string;
  /** The manifest of what runs, which names its version. */
  readonly manifest: string;
  readonly keys: { updates(): Promise<TrustedKeys> };
  /** RAUC; tests put another program in its place. */
  readonly rauc?: string;
}

const NAME = 'bundle.raucb';
/** The most of RAUC's words that are looked through for a reason, in characters. */
const KEPT_WORDS = 4_000;

/**
 * Lets RAUC install a bundle into the other slot. The boot loader counts that slot from before the first byte is
 * written, so whenever the power fails, a version without a proof has a way back.
 * @param onProgress gets 0 to 100
 * @throws FaceplateError INVALID_REQUEST, CONFLICT, UNSUPPORTED_HARDWARE, UPDATE_FAILED
 */
export async function installSlot(
  path: string,
  options: SlotOptions,
  onProgress: (percent: number) => void,
): Promise<void> {
  const { from, state, grubenv, manifest, rauc = 'rauc' } = options;
  const { slot, choice } = await current(options);
  if (choice.proving === slot)
    throw new FaceplateError('CONFLICT', 'This version has not proved itself yet: the one before must stay.');
  if (dirname(path) !== from || basename(path) !== NAME) throw invalid('This is no place of a bundle.');
  const other = otherSlot(slot);
  const bundle = join(state, NAME);
  try {
    await takeOver(path, bundle);
    const version = await versionOf(bundle, options);
    const good = { isGood: true, tries: 0 };
    const bad = { isGood: false, tries: 0 };
    const before = { [slot]: good, [other]: bad } as BootChoice['slots'];
    for (const note of [`slot-${other}`, TAKEN_BACK]) await rm(join(state, note), { force: true });
    const running = (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version;
    await writeWhole(join(state, `slot-${slot}`), `${running}\n`);
    await chmod(join(state, `slot-${slot}`), 0o644);
    await writeBootChoice(grubenv, { order: [slot, other], proving: other, slots: before });
    try {
      await runRauc(rauc, bundle, onProgress);
    } catch (error) {
      await writeBootChoice(grubenv, { order: [slot, other], proving: null, slots: before });
      throw error;
    }
    await writeWhole(join(state, `slot-${other}`), `${version}\n`);
    await chmod(join(state, `slot-${other}`), 0o644);
  } finally {
    await rm(bundle, { force: true });
  }
}

/** The running version has proved itself: from now on nothing counts its boots. */
export async function keepSlot(options: SlotOptions): Promise<void> {
  const { slot, choice } = await current(options);
  if (choice.proving !== slot) return;
  const slots = { ...choice.slots, [slot]: { isGood: true, tries: 0 } };
  await writeBootChoice(options.grubenv, { order: [slot, otherSlot(slot)], proving: null, slots });
  await notedOldest(await options.keys.updates(), options);
}

/**
 * The next boot has the version before.
 * @throws FaceplateError CONFLICT (the other slot is empty or has no proof, or what runs has one and that one is too old)
 */
export async function returnSlot(options: SlotOptions): Promise<void> {
  const { slot, choice } = await current(options);
  const other = otherSlot(slot);
  if (!choice.slots[other].isGood || choice.proving === other)
    throw new FaceplateError('CONFLICT', 'There is no version before this one.');
  // A version that fails always has its way back.
  if (choice.proving !== slot) {
    const before = await readFile(join(options.state, `slot-${other}`), 'utf8');
    await mustNotReturnTo(before.trim(), await options.keys.updates(), options);
  }
  const isGood = choice.slots[slot].isGood && choice.proving !== slot;
  const slots = { ...choice.slots, [slot]: { isGood, tries: 0 } };
  await writeBootChoice(options.grubenv, { order: [other, slot], proving: null, slots });
}

/** The next boot has what runs; a version in the other slot without a proof is none to return to. */
export async function discardSlot(options: SlotOptions): Promise<void> {
  const { slot, choice } = await current(options);
  const other = otherSlot(slot);
  const isGood = choice.slots[other].isGood && choice.proving !== other;
  const slots = { ...choice.slots, [other]: { isGood, tries: 0 } };
  const proving = choice.proving === other ? null : choice.proving;
  await writeBootChoice(options.grubenv, { order: [slot, other], proving, slots });
}

/** @throws FaceplateError UNSUPPORTED_HARDWARE where there are no slots */
async function current({ slot, grubenv }: SlotOptions): Promise<{ slot: Slot; choice: BootChoice }> {
  if (slot === null) throw new FaceplateError('UNSUPPORTED_HARDWARE', 'This panel has no slots.');
  const read = await readBootChoice(grubenv).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT')
      throw new FaceplateError('HARDWARE_ERROR', 'The boot partition is not there.', { cause: error });
    throw error;
  });
  return { slot, choice: read ?? choiceAfterLoss(slot) };
}

/** Moves the service's file to where root alone can name it. A link is not followed, and not taken. */
async function takeOver(path: string, bundle: string): Promise<void> {
  await mkdir(dirname(bundle), { recursive: true });
  await rm(bundle, { force: true });
  await rename(path, bundle).catch((error: unknown) => {
    if (errnoOf(error) === undefined) throw error;
    throw new FaceplateError('NOT_FOUND', 'There is no bundle to install.', { cause: error });
  });
  const stats = await lstat(bundle);
  if (!stats.isFile() || stats.nlink !== 1) throw invalid('The bundle is no regular file.');
  await chown(bundle, 0, 0);
  await chmod(bundle, 0o600);
}

/** @throws FaceplateError INVALID_REQUEST, UNSUPPORTED_HARDWARE */
async function versionOf(bundle: string, options: SlotOptions): Promise<string> {
  const known = await options.keys.updates();
  if ('none' in known)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', `This panel takes no updates: ${known.none}.`);
  // Its content is judged block by block as RAUC reads it, by the tree that this signature covers.
  const found = await inspectRaucBundle(bundle, { keys: known.pem, content: false });
  if (found.signature === 'unknown') throw unknownKey();
  if (found.signature !== 'known') throw invalid('The bundle is not signed.');
  if (found.board !== imageBoard()) throw invalid(`The bundle is for ${found.board}.`);
  if (!/^[\w.+-]{1,128}$/.test(found.version)) throw invalid('The bundle has no version.');
  await mustNotBeTooOld(found.version, known, options);
  return found.version;
}

/** Runs `rauc install`, which asks RAUC's service. @throws FaceplateError UPDATE_FAILED */
function runRauc(program: string, bundle: string, onProgress: (percent: number) => void): Promise<void> {
  const child = spawn(program, ['install', bundle], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
  });
  let words = '';
  const hear = (line: string) => {
    words = `${words}${line}\n`.slice(-KEPT_WORDS);
    const percent = /^\s*(\d{1,3})%/.exec(line)?.[1];
    if (percent !== undefined) onProgress(Math.min(100, Number(percent)));
  };
  createInterface({ input: child.stdout }).on('line', hear);
  createInterface({ input: child.stderr }).on('line', hear);
  return new Promise((resolve, reject) => {
    const failed = (why: string, cause?: unknown) =>
      reject(new FaceplateError('UPDATE_FAILED', `RAUC did not install the bundle: ${why}.`, { cause }));
    child.once('error', (error) => failed('it cannot be run', error));
    child.once('close', (code) => {
      if (code === 0) return resolve();
      failed(lastError(words) || `exit status ${code}`);
    });
  });
}

/** What RAUC says last of an error, short enough for a sentence. */
function lastError(words: string): string {
  const line = words.split('\n').findLast((text) => /LastError:|error|failed/i.test(text)) ?? '';
  return line
    .replace(/^.*LastError:\s*/, '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 300)
    .replace(/\.$/, '');
}
