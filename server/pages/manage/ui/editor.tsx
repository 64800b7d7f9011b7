import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../client/panel.ts';
import { titleOf } from '../fields/listFields.tsx';
import { timeChoice } from '../fields/pickFields.tsx';
import { ValueField } from '../fields/valueField.tsx';
import { choiceText, t } from '../language.ts';
import {
  draftOf,
  type Field,
  fieldOf,
  isChanged,
  type Mistake,
  mistakeIn,
  type Schema,
  type SettingEntry,
  valueFrom,
} from '../settingValue.ts';
import { Icon } from './icons.tsx';

/** The schemas of all settings, by key; the app is built with them. */
declare const SETTING_SCHEMAS: Readonly<Record<string, Schema>>;

/** How a setting is edited; one that this version of the app does not know, as text. */
export function fieldFor(key: string): Field {
  return fieldOf(SETTING_SCHEMAS[key] ?? { type: 'string' }, key.split('.').at(-1));
}

/** Secrets that only have to be the same on several panels, so this page can make one. */
const MAY_BE_MADE = ['sip.panelSecret'];

interface EditorProps {
  readonly settingKey: string;
  readonly label: string;
  readonly entry: SettingEntry;
  /** Stores the value, null for the default; its error is shown at the field. */
  readonly save: (value: unknown) => Promise<void>;
  readonly close: () => void;
}

/** Edits one setting, in its row. */
export function Editor({ settingKey, label, entry, save, close }: EditorProps) {
  const kind = fieldFor(settingKey);
  const isSecret = entry.set !== undefined;
  const field: Field = kind.kind === 'text' && isSecret ? { ...kind, isSecret } : kind;
  const [draft, setDraft] = useState(() => draftOf(field, entry.value));
  const [mistake, setMistake] = useState<Mistake>();
  const [isMade, setMade] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = place.current?.querySelector<HTMLInputElement>(
      'input:not([type=checkbox]), textarea, select, button',
    );
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  }, []);
  const keep = async (value: unknown) => {
    setMistake(undefined);
    setBusy(true);
    try {
      await save(value);
      close();
    } catch (error) {
      setBusy(false);
      if (!(error instanceof CallError)) throw error;
      setMistake(mistakeIn(settingKey, error.message));
    }
  };
  /** Shown while this editor is open, and never again. */
  const make = () => {
    setMade(true);
    setDraft(newSecret());
  };
  const isPlaced =
    mistake !== undefined && mistake.path !== '' && field.kind !== 'text' && field.kind !== 'number';
  return (
    <form
      ref={place}
      class="editor"
      noValidate
      aria-label={label}
      data-testid="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void keep(valueFrom(field, draft) ?? {});
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      {isSecret && entry.set && <p class="hint">{t('secretHint')}</p>}
      <ValueField
        key={isMade}
        name={settingKey}
        label={label}
        field={isMade ? ({ ...field, isSecret: false } as Field) : field}
        draft={draft}
        onDraft={setDraft}
        path=""
        mistake={mistake}
        testId="editor-field"
        unit={entry.unit}
      />
      <p class={isPlaced ? 'unseen' : 'mistake'} role="alert" data-testid="editor-mistake">
        {isMade && mistake === undefined ? t('copySecret') : (mistake?.words ?? '')}
      </p>
      <div class="row end">
        {MAY_BE_MADE.includes(settingKey) && (
          <button type="button" class="secondary" data-testid="editor-make" onClick={make}>
            {t('makeSecret')}
          </button>
        )}
        {(isSecret ? entry.set : isChanged(entry)) && (
          <button type="button" class="ghost" data-testid="editor-default" onClick={() => void keep(null)}>
            {t(isSecret ? 'remove' : 'useDefault')}
          </button>
        )}
        <button type="button" class="secondary" data-testid="editor-cancel" onClick={close}>
          {t('cancel')}
        </button>
        <button type="submit" class="primary" data-testid="editor-save" aria-busy={isBusy} disabled={isBusy}>
          {t('save')}
        </button>
      </div>
    </form>
  );
}

/** How many words of a list are shown; the others are counted. */
const SHOWN_WORDS = 3;

/** The value of a setting in words; empty where there is none. */
export function valueWords(key: string, { value, unit, set }: SettingEntry): string {
  if (set !== undefined) return t(set ? 'secretSet' : 'secretNone');
  const field = fieldFor(key);
  if (key === 'kiosk.quietHour' && typeof value === 'number') return hourText(value);
  if (Array.isArray(value)) {
    const words = value.map((each) =>
      field.kind === 'forms' ? titleOf(field.item, each) : choiceText(each),
    );
    const more = words.length - SHOWN_WORDS;
    return [...words.slice(0, SHOWN_WORDS), ...(more > 0 ? [t('andMore', { count: more })] : [])].join(', ');
  }
  if (typeof value === 'object' && value !== null) return Object.keys(value).join(', ');
  if (typeof value === 'number')
    return unit === 's' ? timeChoice(key, value) : [value, unit].filter(Boolean).join(' ');
  return value === undefined || value === '' ? '' : choiceText(value);
}

/** An hour of the day with its end. */
export function hourText(hour: number): string {
  const text = (of: number) => `${String(of % 24).padStart(2, '0')}:00`;
  return `${text(hour)}–${text(hour + 1)}`;
}

interface ValueButtonProps {
  /** Key of the setting. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly isHeld: boolean;
  /** It is as it is by default. */
  readonly isUnset?: boolean;
  readonly onClick: () => void;
}

/** The value of a setting as a button that opens its editor. */
export function ValueButton({ name, label, text, isHeld, isUnset = false, onClick }: ValueButtonProps) {
  return (
    <button
      type="button"
      class={isUnset ? 'value unset' : 'value'}
      data-testid={`value-${name}`}
      disabled={isHeld}
      aria-label={`${label}: ${text}`}
      onClick={onClick}
    >
      {text}
      <Icon name="edit" />
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
