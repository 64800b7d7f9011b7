import { existsSync, linkSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { errnoOf } from '../../platform/errno.ts';
import { writeWholeNow } from '../../platform/files/wholeFile.ts';
import { type Layer, readSettingsFile, type SettingsStep } from '../settingsFile.ts';

/** The last set of settings with which the panel was ready and showed a picture: as settings.json, secrets too. */
export const GOOD_SETTINGS = 'settings.good.json';
const STARTS = 'starts.json';
const DISPLAY = 'display.json';

const view = z.object({ zoom: z.number(), rotation: z.number() });
/** How the screen is turned and scaled, which its own commands set. */
export type View = z.infer<typeof view>;
const PLAIN: View = { zoom: 1, rotation: 0 };

const startsFile = z.object({
  /** Starts in a row that came to no good end, this one included, with a set that has not worked yet. */
  failed: z.int().min(0),
  /** Whether the last start was ready, but showed nothing. */
  isDark: z.boolean(),
  /** The view of the last set that worked. */
  view,
  /** What was taken back. `of`: digest of what was wished, to see whether somebody changed it. */
  undone: z.record(z.string(), z.object({ reason: z.string(), at: z.string(), of: z.string() })),
});
/** What the starts before have left. */
export type Starts = z.infer<typeof startsFile>;

const NONE: Starts = { failed: 0, isDark: false, view: PLAIN, undone: {} };

/** Never fails: a file that cannot be used counts as none. */
export function readStarts(dataDir: string): Starts {
  return startsFile.safeParse(json(join(dataDir, STARTS))).data ?? NONE;
}

/** @throws an errno exception */
export function writeStarts(dataDir: string, starts: Starts): void {
  writeWholeNow(join(dataDir, STARTS), `${JSON.stringify(starts)}\n`);
}

/** The settings that worked last, as far as they still fit; the defaults where there is no such file. */
export function readGood(
  dataDir: string,
  steps: readonly SettingsStep[],
): { layer: Layer; isKnown: boolean } {
  const path = join(dataDir, GOOD_SETTINGS);
  const mistakes: string[] = [];
  const { layer } = readSettingsFile(path, { isOwn: true, mistakes, steps });
  return { layer, isKnown: mistakes.length === 0 && existsSync(path) };
}

/** The view that the next start takes. */
export function readView(dataDir: string): View {
  return (
    view.safeParse((json(join(dataDir, DISPLAY)) as { value?: unknown } | undefined)?.value).data ?? PLAIN
  );
}

/** Has the next start take this view. @throws an errno exception */
export function writeView(dataDir: string, { zoom, rotation }: View): void {
  const path = join(dataDir, DISPLAY);
  const stored = json(path) as { value?: object } | undefined;
  if (stored?.value === undefined) return;
  writeWholeNow(path, `${JSON.stringify({ ...stored, value: { ...stored.value, zoom, rotation } })}\n`);
}

function json(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Replaces a settings.json that cannot be read by the last settings that worked, and leaves a copy beside it.
 * Comes before the settings are read. Where no settings are known to have worked, the file stays: the start ends with its
 * mistake.
 */
export function mendSettings(dataDir: string): void {
  const path = join(dataDir, 'settings.json');
  const why = whyUnreadable(path);
  if (why === undefined) return;
  try {
    const kept = join(dataDir, GOOD_SETTINGS);
    if (whyUnreadable(kept) !== undefined) return;
    const good = readFileSync(kept, 'utf8');
    const now = new Date().toISOString();
    const aside = `${path}.corrupt-${now.replaceAll(':', '-')}`;
    setAside(path, aside);
    writeWholeNow(path, good);
    const starts = readStarts(dataDir);
    const reason = `${why}; kept as ${basename(aside)}`;
    writeStarts(dataDir, {
      ...starts,
      undone: { ...starts.undone, 'settings.json': { reason, at: now, of: '' } },
    });
  } catch {
    // The reader of the settings says what is wrong.
  }
}

function whyUnreadable(path: string): string | undefined {
  try {
    const tree: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
      ? undefined
      : 'is no JSON object';
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not valid JSON';
    const errno = errnoOf(error);
    return errno === 'ENOENT' ? undefined : `cannot be read (${errno})`;
  }
}

/** A second name, so that there is a settings.json at every moment: without one the panel would take its defaults. */
function setAside(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    renameSync(path, aside);
  }
}
