import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES, architectureOf } from '../../build/image/architectures.ts';
import { newestImage } from '../../build/panel/folder.ts';

const dist = join(import.meta.dirname, '../../dist');

/** The processor of the tests' panels. */
export const testedArch = chosenArch();
/** The folder of the tests' panels. */
export const panels =
  process.env.PANEL_DIR ?? join(dist, `panel/test${testedArch === 'amd64' ? '' : `-${testedArch}`}`);
const results = join(panels, 'results.txt');

/** The image that the tests boot. @throws PanelError where there is none */
export function testedImage(): string {
  return process.env.PANEL_IMAGE ?? newestImage(dist, testedArch);
}

function chosenArch(): (typeof ARCHITECTURES)[number] {
  const arch = architectureOf(process.env.PANEL_ARCH ?? 'amd64');
  if (arch === undefined) throw new Error(`PANEL_ARCH is one of ${ARCHITECTURES.join(', ')}.`);
  return arch;
}

/** Lines `passed <title>` or `failed <title>`, after a first one that names the image. */
function lines(): string[] {
  return existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : [];
}

/** Throws away the panels of another image, and what passed with it. */
export function beginRun(): void {
  const image = testedImage();
  const mark = `${image} ${statSync(image).mtimeMs}`;
  if (lines()[0] === mark) return;
  rmSync(panels, { recursive: true, force: true });
  mkdirSync(panels, { recursive: true });
  appendFileSync(results, `${mark}\n`);
}

/** A run that was ended, or in which a test failed, goes on where it was; after a whole one the next begins anew. */
export function endRun(): void {
  const last = new Map(
    lines()
      .slice(1)
      .map((line) => [line.slice(7), line.slice(0, 6)]),
  );
  if ([...last.values()].every((result) => result === 'passed')) rmSync(results, { force: true });
}

export function hasPassed(title: string): boolean {
  return lines().includes(`passed ${title}`);
}

export function note(title: string, isPassed: boolean): void {
  appendFileSync(results, `${isPassed ? 'passed' : 'failed'} ${title}\n`);
}
