import { byId, h } from './dom.ts';
import { CallError } from './host.ts';
import { t } from './language.ts';

const SHOWN_MS = 4_000;
const box = byId('notice', HTMLElement);
let timer = 0;

/** Shows a short message at the bottom for a while. */
export function notice(text: string, isError = false): void {
  box.textContent = text;
  box.classList.toggle('error', isError);
  box.hidden = false;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    box.hidden = true;
  }, SHOWN_MS);
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

/** Opens a dialog; resolves when it is closed. */
export function showDialog(dialog: HTMLDialogElement): Promise<void> {
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve();
    });
  });
}

/** Asks a question. @returns whether the answer is yes */
export async function confirmed(question: string, yes: string): Promise<boolean> {
  let answer = false;
  const dialog = h('dialog', { class: 'question', 'data-testid': 'question' }, h('p', {}, question));
  const button = (text: string, isYes: boolean) =>
    h(
      'button',
      {
        type: 'button',
        class: isYes ? 'primary' : '',
        'data-testid': isYes ? 'yes' : 'no',
        onclick: () => {
          answer = isYes;
          dialog.close();
        },
      },
      text,
    );
  dialog.append(h('div', { class: 'row end' }, button(t('cancel'), false), button(yes, true)));
  await showDialog(dialog);
  return answer;
}
