import type { ResultOf } from '../../../contract/commands.ts';
import { ask, CallError } from '../client/panel.ts';
import { t } from '../language.ts';
import { notice } from './notice.tsx';

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
