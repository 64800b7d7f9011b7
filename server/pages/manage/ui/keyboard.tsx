import { useEffect, useRef, useState } from 'preact/hooks';
import { panel } from '../client/panel.ts';
import { t } from '../language.ts';

const LETTERS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const SYMBOLS = ['1234567890', '.,:;/\\-_@#', '"\'()[]{}<>', '?!&=+*%$~|'];
const DIGITS = ['123', '456', '789', '.0-'];

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Whether text is typed into it. */
function isField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && /^(?:text|password|search|url)$/.test(target.type);
}

/**
 * A keyboard on the screen for the glass, which has no other; it types into the field that has the focus, in the same
 * dialog, or beside all dialogs.
 */
export function Keyboard() {
  const here = useRef<HTMLDivElement>(null);
  const [field, setField] = useState<Field>();
  const [isUpper, setUpper] = useState(false);
  const [hasSymbols, setSymbols] = useState(false);
  useEffect(() => {
    if (panel().door !== 'glass') return;
    const follow = () => {
      const target = document.activeElement;
      const mine = here.current?.closest('dialog') ?? null;
      if (target?.closest('dialog') !== mine && target !== document.body) setField(undefined);
      else if (isField(target)) setField(target);
      // It stays for the buttons of a form: they would move from under the finger that presses them.
      else setField((old) => (old?.isConnected && target?.closest('form, dialog') ? old : undefined));
    };
    // The focus of a dialog that opens is set before its keyboard listens.
    follow();
    addEventListener('focusin', follow);
    return () => removeEventListener('focusin', follow);
  }, []);

  const change = (text: string, from: number, to: number) => {
    if (field === undefined) return;
    field.setRangeText(text, from, to, 'end');
    // The component that owns the field has to hear of it.
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const insert = (text: string) => {
    const end = field?.value.length ?? 0;
    change(text, field?.selectionStart ?? end, field?.selectionEnd ?? end);
    setUpper(false);
  };
  const erase = () => {
    const end = field?.value.length ?? 0;
    const [from, to] = [field?.selectionStart ?? end, field?.selectionEnd ?? end];
    change('', from === to ? Math.max(0, from - 1) : from, to);
  };
  const key = (label: string, act: () => void, name?: string) => (
    <button
      key={name ?? label}
      type="button"
      class={name === undefined ? '' : `wide ${name}`}
      data-testid={`key-${name ?? label}`}
      aria-label={name === 'erase' ? t('erase') : undefined}
      // The field keeps the focus and its cursor.
      onPointerDown={(event) => event.preventDefault()}
      onClick={act}
    >
      {label}
    </button>
  );
  const typed = (char: string) => {
    const shown = isUpper ? char.toUpperCase() : char;
    return key(shown, () => insert(shown));
  };
  const isDigits = field?.dataset.keys === 'digits';
  const rows = isDigits ? DIGITS : hasSymbols ? SYMBOLS : LETTERS;
  return (
    <div ref={here} class="keyboard" data-testid="keyboard" hidden={field === undefined}>
      {(field === undefined ? [] : rows).map((row, index) => (
        <div key={row}>
          {[...row].map(typed)}
          {index === rows.length - 1 && key('⌫', erase, 'erase')}
        </div>
      ))}
      {field !== undefined && !isDigits && (
        <div>
          {key(hasSymbols ? t('letters') : t('symbols'), () => setSymbols(!hasSymbols), 'symbols')}
          {!hasSymbols && key(t('shift'), () => setUpper(!isUpper), 'shift')}
          {key(t('space'), () => insert(' '), 'space')}
          {['.', '/', ':'].map((char) => key(char, () => insert(char)))}
        </div>
      )}
    </div>
  );
}
