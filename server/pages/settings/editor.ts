import { h } from './dom.ts';
import { CallError } from './host.ts';
import { keyboardFor } from './keyboard.ts';
import { settingText, t } from './language.ts';
import { newSecret } from './newSecret.ts';
import { showDialog } from './notice.ts';
import { editableText, parseValue, type SettingEntry } from './settingValue.ts';

/** Secrets that only have to be the same on several panels, so this page can make one. */
const MAY_BE_MADE = ['sip.panelSecret'];

/**
 * Edits one setting on the whole screen.
 * @param save stores the value, null for the default; its error is shown at the field
 */
export async function editSetting(
  key: string,
  entry: SettingEntry,
  save: (value: unknown) => Promise<void>,
): Promise<void> {
  const isSecret = entry.set !== undefined;
  const isJson = entry.kind === 'json';
  const field = h(isJson ? 'textarea' : 'input', {
    type: isJson ? undefined : isSecret ? 'password' : 'text',
    rows: isJson ? '5' : undefined,
    inputmode: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': key,
    'data-testid': 'editor-field',
  });
  field.value = editableText(entry);
  const hints = [
    settingText(key, entry.description),
    ...(entry.kind === 'list' ? [t('listHint')] : []),
    ...(isJson ? [t('jsonHint')] : []),
    ...(entry.set ? [t('secretHint')] : []),
  ];
  const mistake = h('p', { class: 'mistake', role: 'alert', 'data-testid': 'editor-mistake' });
  const keep = async (value: unknown) => {
    mistake.textContent = '';
    try {
      await save(value);
      dialog.close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      mistake.textContent = error.message;
    }
  };
  const keepTyped = () => {
    let value: unknown;
    try {
      value = parseValue(field.value, entry);
    } catch (error) {
      mistake.textContent = t('notJson', { reason: (error as Error).message });
      return;
    }
    void keep(value);
  };
  const button = (id: string, text: string, act: () => void, kind = '') =>
    h('button', { type: 'button', class: kind, 'data-testid': `editor-${id}`, onclick: act }, text);
  /** Shown while this dialog is open, and never again. */
  const make = () => {
    field.setAttribute('type', 'text');
    field.value = newSecret();
    mistake.textContent = t('copySecret');
  };
  const dialog = h(
    'dialog',
    { class: 'editor', 'data-testid': 'editor' },
    h('h2', {}, key),
    h('p', { class: 'hint' }, hints.join(' ')),
    field,
    mistake,
    h(
      'div',
      { class: 'row end' },
      ...(MAY_BE_MADE.includes(key) ? [button('make', t('makeSecret'), make)] : []),
      button('default', t('useDefault'), () => void keep(null)),
      button('cancel', t('cancel'), () => dialog.close()),
      button('save', t('save'), keepTyped, 'primary'),
    ),
    keyboardFor(field),
  );
  field.onkeydown = ({ key: pressed }) => {
    if (pressed === 'Enter' && !isJson) keepTyped();
  };
  const closed = showDialog(dialog);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  await closed;
}
