import { t } from '../language.ts';
import { notice } from './notice.tsx';

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
