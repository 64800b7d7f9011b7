import { h } from './dom.ts';
import { t } from './language.ts';

const LETTERS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const SYMBOLS = ['1234567890', '.,:;/\\-_@#', '"\'()[]{}<>', '?!&=+*%$~|'];

/** A keyboard on the screen that types into a field. */
export function keyboardFor(field: HTMLInputElement | HTMLTextAreaElement): HTMLElement {
  let isUpper = false;
  let hasSymbols = false;
  const board = h('div', { class: 'keyboard', 'data-testid': 'keyboard' });

  const insert = (text: string) => {
    const { selectionStart, selectionEnd, value } = field;
    field.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end');
    if (isUpper) draw(false, hasSymbols);
  };
  const erase = () => {
    const { selectionStart, selectionEnd, value } = field;
    const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    field.setRangeText('', start === end ? Math.max(0, start - 1) : start, end, 'end');
  };
  const key = (label: string, act: () => void, name?: string) =>
    h(
      'button',
      {
        type: 'button',
        class: name === undefined ? '' : 'wide',
        'data-testid': `key-${name ?? label}`,
        // The field keeps the focus and its cursor.
        onpointerdown: (event) => event.preventDefault(),
        onclick: act,
      },
      label,
    );

  const draw = (upper: boolean, symbols: boolean) => {
    isUpper = upper;
    hasSymbols = symbols;
    const rows = (symbols ? SYMBOLS : LETTERS).map((row) =>
      h(
        'div',
        {},
        ...[...row].map((char) => {
          const shown = upper ? char.toUpperCase() : char;
          return key(shown, () => insert(shown));
        }),
      ),
    );
    const erasing = key('⌫', erase, 'erase');
    erasing.setAttribute('aria-label', t('erase'));
    rows.at(-1)?.append(erasing);
    const other = symbols ? t('letters') : t('symbols');
    const last = h(
      'div',
      {},
      key(other, () => draw(false, !symbols), 'symbols'),
    );
    if (!symbols) last.append(key(t('shift'), () => draw(!upper, false), 'shift'));
    const space = key(t('space'), () => insert(' '), 'space');
    space.classList.add('space');
    last.append(
      space,
      key('.', () => insert('.')),
      key('/', () => insert('/')),
      key(':', () => insert(':')),
    );
    board.replaceChildren(...rows, last);
  };
  draw(false, false);
  return board;
}
