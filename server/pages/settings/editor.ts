import { h } from './dom.ts';
import { CallError } from './host.ts';
import { keyboardFor } from './keyboard.ts';
import { settingText, t } from './language.ts';
import { showDialog } from './notice.ts';
import { parseValue, type SettingEntry, valueText } from './settingValue.ts';

/**
 * Edits one setting on the whole screen.
 * @param save keeps the value, null for the default; what it throws is shown at the field
 */
export async function editSetting(
  key: string,
  entry: SettingEntry,
  save: (value: unknown) => Promise<void>,
): Promise<void> {
  const isSecret = entry.set !== undefined;
  const field = h('input', {
    type: isSecret ? 'password' : 'text',
    inputmode: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': key,
    'data-testid': 'editor-field',
  });
  field.value = valueText(entry.value);
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
  const button = (id: string, text: string, act: () => void, kind = '') =>
    h('button', { type: 'button', class: kind, 'data-testid': `editor-${id}`, onclick: act }, text);
  const dialog = h(
    'dialog',
    { class: 'editor', 'data-testid': 'editor' },
    h('h2', {}, key),
    h('p', { class: 'hint' }, settingText(key, entry.description)),
    Array.isArray(entry.default) ? h('p', { class: 'hint' }, t('listHint')) : undefined,
    field,
    mistake,
    h(
      'div',
      { class: 'row end' },
      button('default', t('useDefault'), () => void keep(null)),
      button('cancel', t('cancel'), () => dialog.close()),
      button('save', t('save'), () => void keep(parseValue(field.value, entry)), 'primary'),
    ),
    keyboardFor(field),
  );
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') void keep(parseValue(field.value, entry));
  });
  const closed = showDialog(dialog);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  await closed;
}
