import type { ResultOf } from '../../../contract/commands.ts';
import { ask, CallError } from '../client/panel.ts';
import { t } from '../language.ts';
import { store, useStore } from './store.ts';

const SHOWN_MS = 5_000;

interface Shown {
  readonly text: string;
  readonly isError: boolean;
}

const shown = store<Shown | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a short message at the top for a while, where no button of a step is; screen readers say it. */
export function notice(text: string, isError = false): void {
  shown.set({ text, isError });
  clearTimeout(timer);
  timer = setTimeout(() => shown.set(undefined), SHOWN_MS);
}

/** Does the work and shows any error; the button that was pressed is busy meanwhile. @returns whether it succeeded */
export async function attempt(work: () => Promise<unknown>, success?: string): Promise<boolean> {
  const pressed = document.activeElement;
  const busy = pressed instanceof HTMLButtonElement ? pressed : undefined;
  busy?.setAttribute('aria-busy', 'true');
  try {
    await work();
    if (success !== undefined) notice(success);
    return true;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    notice(t('failed', { reason: error.message }), true);
    return false;
  } finally {
    busy?.removeAttribute('aria-busy');
  }
}

/** Where the messages stand. It is always there, so that a screen reader hears of each. */
export function NoticeBox() {
  const now = useStore(shown);
  return (
    <div
      role="status"
      class={`notice ${now?.isError ? 'error' : ''}`}
      data-testid="notice"
      data-empty={now === undefined}
    >
      <span data-testid="notice-text">{now?.text}</span>
      {now !== undefined && (
        <button
          type="button"
          aria-label={t('close')}
          data-testid="notice-close"
          onClick={() => shown.set(undefined)}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M6 6l12 12M18 6L6 18" />
          </svg>
        </button>
      )}
    </div>
  );
}

/** Says that a call which has no answer yet waits for a person at the panel, where that is so. */
export async function tellOfYes(command: string): Promise<void> {
  // It may wait itself.
  if (command === 'settings.read') return;
  try {
    const { settings } = await ask<ResultOf<'settings.read'>>('settings.read');
    const listed = settings['approval.commands'];
    if (listed !== undefined && 'value' in listed && (listed.value as string[]).includes(command))
      notice(t('waitsForYes'));
  } catch (error) {
    // A token that may not read the settings learns of it by the answer alone.
    if (!(error instanceof CallError)) throw error;
  }
}

interface ProgressProps {
  /** What has left, 0 to 1; then the panel checks it. */
  readonly part: number;
  readonly end: () => void;
}

/** How far an upload is, with the way out. */
export function Progress({ part, end }: ProgressProps) {
  const words = part < 1 ? t('uploading', { part: Math.floor(part * 100) }) : t('unpacking');
  return (
    <div class="row progress">
      <progress aria-label={words} value={part} max={1} data-testid="progress" />
      <span>{words}</span>
      <button type="button" onClick={end}>
        {t('cancel')}
      </button>
    </div>
  );
}

/** Puts a text where the person can paste it; without HTTPS a browser lets only old ways do that. */
export async function copyText(text: string): Promise<void> {
  const hasCopied = await write(text);
  notice(hasCopied ? t('copied') : t('notCopied'), !hasCopied);
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeOldWay(text);
  }
}

function writeOldWay(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const hasCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return hasCopied;
}
