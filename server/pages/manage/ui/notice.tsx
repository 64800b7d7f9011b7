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

/** Shows a short message at the bottom for a while; screen readers say it. */
export function notice(text: string, isError = false): void {
  shown.set({ text, isError });
  clearTimeout(timer);
  timer = setTimeout(() => shown.set(undefined), SHOWN_MS);
}

/** Does the work and shows any error. @returns whether it succeeded */
export async function attempt(work: () => Promise<unknown>, success?: string): Promise<boolean> {
  try {
    await work();
    if (success !== undefined) notice(success);
    return true;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    notice(t('failed', { reason: error.message }), true);
    return false;
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
      {now?.text}
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
