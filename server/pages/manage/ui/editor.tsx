import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../client/panel.ts';
import { settingText, t } from '../language.ts';
import { editableText, parseValue, type SettingEntry } from '../settingValue.ts';
import { showDialog } from './dialog.tsx';

/** Secrets that only have to be the same on several panels, so this page can make one. */
const MAY_BE_MADE = ['sip.panelSecret'];

interface EditorProps {
  readonly settingKey: string;
  readonly label: string;
  readonly entry: SettingEntry;
  /** Stores the value, null for the default; its error is shown at the field. */
  readonly save: (value: unknown) => Promise<void>;
}

/** Edits one setting in a dialog. */
export function editSetting(props: EditorProps): Promise<void> {
  return showDialog('editor', props.label, (close) => <Editor {...props} close={close} />);
}

function Editor({ settingKey, label, entry, save, close }: EditorProps & { close: () => void }) {
  const [text, setText] = useState(editableText(entry));
  const [mistake, setMistake] = useState('');
  const [isShown, setShown] = useState(entry.set === undefined);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  const keep = async (value: unknown) => {
    setMistake('');
    try {
      await save(value);
      close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    }
  };
  const keepTyped = () => {
    let value: unknown;
    try {
      value = parseValue(text, entry);
    } catch (error) {
      setMistake(t('notJson', { reason: (error as Error).message }));
      return;
    }
    void keep(value);
  };
  /** Shown while this dialog is open, and never again. */
  const make = () => {
    setShown(true);
    setText(newSecret());
    setMistake(t('copySecret'));
  };
  const hints = [
    settingText(settingKey, entry.description),
    ...(entry.kind === 'list' ? [t('listHint')] : []),
    ...(entry.kind === 'json' ? [t('jsonHint')] : []),
    ...(entry.set ? [t('secretHint')] : []),
  ];
  const common = {
    ref: field,
    value: text,
    inputMode: entry.kind === 'integer' ? ('decimal' as const) : undefined,
    autoComplete: 'off',
    spellcheck: false,
    'aria-label': label,
    'aria-describedby': 'editor-hint',
    'data-testid': 'editor-field',
    onInput: () => setText(field.current?.value ?? ''),
  };
  return (
    <>
      <h2>{label}</h2>
      <code class="hint">{settingKey}</code>
      <p class="hint" id="editor-hint">
        {hints.join(' ')}
      </p>
      {entry.kind === 'json' ? (
        <textarea {...common} rows={5} />
      ) : (
        <input
          {...common}
          // One of the two kinds; a secret that was just made is seen.
          type={(isShown ? 'text' : 'password') as 'text'}
          onKeyDown={({ key }) => {
            if (key === 'Enter') keepTyped();
          }}
        />
      )}
      <p class="mistake" role="alert" data-testid="editor-mistake">
        {mistake}
      </p>
      <div class="row end">
        {MAY_BE_MADE.includes(settingKey) && (
          <button type="button" data-testid="editor-make" onClick={make}>
            {t('makeSecret')}
          </button>
        )}
        <button type="button" data-testid="editor-default" onClick={() => void keep(null)}>
          {t('useDefault')}
        </button>
        <button type="button" data-testid="editor-cancel" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" class="primary" data-testid="editor-save" onClick={keepTyped}>
          {t('save')}
        </button>
      </div>
    </>
  );
}

interface ValueButtonProps {
  /** Key of the setting. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly isHeld: boolean;
  readonly onClick: () => void;
}

/** The value of a setting as a button that opens its editor. */
export function ValueButton({ name, label, text, isHeld, onClick }: ValueButtonProps) {
  return (
    <button
      type="button"
      class="value"
      data-testid={`value-${name}`}
      disabled={isHeld}
      aria-label={`${label}: ${text}`}
      onClick={onClick}
    >
      {text}
    </button>
  );
}

/** 32 letters and digits that are hard to confuse when a person copies them by hand. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 24;

/** A secret of 120 random bits that a person can copy from one panel to the next, in groups of four. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  // 256 is a multiple of 32, so all characters are equally likely.
  const signs = Array.from(bytes, (byte) => SIGNS[byte % SIGNS.length]!);
  return signs.join('').match(/.{4}/g)!.join('-');
}
