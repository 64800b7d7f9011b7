import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { electronMajor, hostKind } from './electronProcess.ts';

interface Exception {
  readonly spec: string;
  readonly title: string;
  readonly reason: string;
}

/** Tests that do not run in Electron. None of them is of what a user of this host does. */
const EXCEPTIONS: readonly Exception[] = [
  {
    spec: 'kiosk',
    title: 'should bring the page back after a kill -9 of the browser, with a bridge that works',
    reason: 'the browser is the service; the next test kills what draws the page',
  },
  {
    spec: 'outputs',
    title: 'should end pulses before all else at a stop, however long the browser takes',
    reason: 'the browser is the service: no other process makes its stop long',
  },
];

const FRAME = 'a new frame ends the calls of every debugger to its page (electron#46048, electron#51959)';

/** The last Electron with these faults. */
const LAST_OLD = 34;

/** Tests that meet a fault of an old Electron itself. */
const OLD_ELECTRON: readonly Exception[] = [
  {
    spec: 'blankProject',
    title: 'should say in a frame that the blank project is not open on a panel',
    reason: FRAME,
  },
  {
    spec: 'cameraMedia',
    title: 'should send the last pictures again to a browser that asks for a key frame',
    reason: 'it has no RTCRtpScriptTransform',
  },
  {
    spec: 'intercom',
    title: 'security: should keep the intercom page, and passwords, from the project page and its frames',
    reason: FRAME,
  },
  { spec: 'keyboard', title: 'should write into frames of both processes', reason: FRAME },
  { spec: 'messages', title: 'security: should keep a message from the page', reason: FRAME },
  {
    spec: 'projects',
    title: 'security: should give a frame with another project no container',
    reason: FRAME,
  },
  { spec: 'settingsPage', title: 'security: no frame of a project page can show it', reason: FRAME },
  {
    spec: 'streamBridge',
    title: 'security: should give a frame nothing, and leave no maker of streams in the page',
    reason: FRAME,
  },
];

/** Why a test does not run in the Electron of this run; undefined for one that does. */
export function exceptionOf({ file, title }: Pick<TestInfo, 'file' | 'title'>): string | undefined {
  if (hostKind === 'chromium') return undefined;
  const all = electronMajor() > LAST_OLD ? EXCEPTIONS : [...EXCEPTIONS, ...OLD_ELECTRON];
  return all.find((one) => `${one.spec}.spec.ts` === basename(file) && one.title === title)?.reason;
}

/** @throws Error when a test of the lists is no longer there */
export function expectExceptions(folders: readonly string[]): void {
  for (const { spec, title } of [...EXCEPTIONS, ...OLD_ELECTRON])
    if (!folders.some((folder) => holds(join(folder, `${spec}.spec.ts`), `'${title}'`)))
      throw new Error(`e2e/electronExceptions.ts names a test that is not there: ${spec}: ${title}`);
}

function holds(file: string, text: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(text);
}
