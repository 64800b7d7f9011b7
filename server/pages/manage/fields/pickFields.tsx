import { useEffect, useState } from 'preact/hooks';
import { choiceText, inLanguage, language, t } from '../language.ts';
import { durationText, type Field } from '../settingValue.ts';
import { SearchBox } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { type FieldProps, Frame, mistakeAt } from './frame.tsx';

/** One of a few. */
export function ChoiceField({
  choices,
  draft,
  onDraft,
  path,
  ...props
}: FieldProps & { choices: readonly unknown[] }) {
  return (
    <Frame label={props.label} isNeeded={props.isNeeded} wrong={mistakeAt(props.mistake, path)}>
      {({ id, describedBy }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          data-testid={props.testId}
          value={String(choices.indexOf(draft))}
          onChange={({ currentTarget }) => {
            const at = Number(currentTarget.value);
            onDraft(at === -1 ? undefined : choices[at]);
          }}
        >
          {props.isNeeded === false && <option value="-1">{t('notSet')}</option>}
          {choices.map((choice, at) => (
            <option key={String(choice)} value={String(at)}>
              {choiceText(choice)}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

/** Common times, in seconds. */
const TIMES = [60, 300, 900, 1_800, 3_600];
const UNITS = { second: 1, minute: 60, hour: 3_600 } as const;
type Unit = keyof typeof UNITS;

/** A time: never, one of the common ones, or any number of seconds, minutes or hours. */
export function DurationField({ draft, onDraft, path, min, ...props }: FieldProps & { min: number }) {
  const isOptional = props.isNeeded === false;
  const fixed = [...(isOptional ? [''] : []), ...(min === 0 ? [0] : []), ...TIMES];
  const at = fixed.indexOf(draft === undefined ? '' : (draft as number));
  const [isOwn, setOwn] = useState(at === -1);
  const [unit, setUnit] = useState<Unit>(() => unitOf(draft));
  const wrong = mistakeAt(props.mistake, path);
  const units = UNITS[unit];
  const count = typeof draft === 'number' ? draft / units : (draft ?? '');
  return (
    <Frame label={props.label} isNeeded={props.isNeeded} wrong={wrong}>
      {({ id, describedBy }) => (
        <span class="row duration">
          <select
            id={id}
            data-testid={`${props.testId}-choice`}
            aria-describedby={describedBy}
            value={isOwn ? 'own' : String(at)}
            onChange={({ currentTarget }) => {
              const chosen = currentTarget.value;
              setOwn(chosen === 'own');
              if (chosen !== 'own') onDraft(fixed[Number(chosen)] === '' ? undefined : fixed[Number(chosen)]);
            }}
          >
            {fixed.map((seconds, index) => (
              <option key={String(seconds)} value={String(index)}>
                {seconds === '' ? t('notSet') : timeChoice(props.name, Number(seconds))}
              </option>
            ))}
            <option value="own">{t('ownTime')}</option>
          </select>
          {isOwn && (
            <>
              <input
                type="text"
                inputMode="decimal"
                class="count"
                aria-label={`${props.label}: ${t('number')}`}
                aria-invalid={wrong !== undefined}
                data-testid={props.testId}
                value={String(count)}
                onInput={({ currentTarget }) => {
                  const text = currentTarget.value.trim();
                  onDraft(/^-?\d+$/.test(text) ? Number(text) * units : text);
                }}
              />
              <select
                aria-label={`${props.label}: ${t('unit')}`}
                data-testid={`${props.testId}-unit`}
                value={unit}
                onChange={({ currentTarget }) => {
                  const next = currentTarget.value as Unit;
                  if (typeof draft === 'number') onDraft(Math.round((draft / units) * UNITS[next]));
                  setUnit(next);
                }}
              >
                {(Object.keys(UNITS) as Unit[]).map((one) => (
                  <option key={one} value={one}>
                    {unitText(one)}
                  </option>
                ))}
              </select>
            </>
          )}
        </span>
      )}
    </Frame>
  );
}

/** The largest unit that a time is whole in. */
function unitOf(draft: unknown): Unit {
  if (typeof draft !== 'number' || draft === 0) return 'minute';
  return draft % 3_600 === 0 ? 'hour' : draft % 60 === 0 ? 'minute' : 'second';
}

function unitText(unit: Unit): string {
  const parts = new Intl.NumberFormat(language.get(), {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).formatToParts(2);
  return parts.find(({ type }) => type === 'unit')?.value ?? unit;
}

/** A time in words; none at all is "never" for what the panel does after it. */
export function timeChoice(name: string, seconds: number): string {
  return seconds === 0 && name.endsWith('After') ? t('never') : durationText(seconds, language.get());
}

/** From this many choices on, they can be searched. */
const MANY = 8;

/** Some of a few, or of the many commands of the panel, which are shown with what they do. */
export function SeveralField({
  field,
  draft,
  onDraft,
  path,
  ...props
}: FieldProps<Extract<Field, { kind: 'several' }>>) {
  const chosen = draft as readonly unknown[];
  const isMany = field.choices.length > MANY;
  const [search, setSearch] = useState('');
  const names = useCommandNames(isMany);
  const textOf = (choice: unknown) => names?.[String(choice)] ?? choiceText(choice);
  const found = field.choices.filter((choice) =>
    `${textOf(choice)} ${String(choice)}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const wrong = mistakeAt(props.mistake, path);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame and needs a legend that is seen already.
    <div class="field" role="group" aria-label={props.label}>
      {path !== '' && <span>{props.label}</span>}
      {isMany && (
        <>
          <p class="hint">{t('chosenOf', { count: chosen.length, all: field.choices.length })}</p>
          <SearchBox
            label={t('search')}
            testId={`${props.testId}-search`}
            value={search}
            onText={setSearch}
          />
        </>
      )}
      <div class={isMany ? 'picks many' : 'picks'} data-testid={props.testId}>
        {found.map((choice) => (
          <label key={String(choice)} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={({ currentTarget }) => {
                const rest = chosen.filter((one) => one !== choice);
                onDraft(currentTarget.checked ? [...rest, choice] : rest);
              }}
            />
            <span>
              {textOf(choice)} {isMany && <code class="key">{String(choice)}</code>}
            </span>
          </label>
        ))}
      </div>
      {wrong !== undefined && <span class="mistake">{wrong}</span>}
    </div>
  );
}

/** What each command does; its code is fetched only where commands are chosen. */
function useCommandNames(isWanted: boolean): Readonly<Record<string, string>> | undefined {
  const [names, setNames] = useState<Readonly<Record<string, string>>>();
  useEffect(() => {
    if (!isWanted) return;
    void import('../../../parts/approval/commandWords.generated.ts').then(({ commandWords }) =>
      setNames(
        Object.fromEntries(Object.entries(commandWords).map(([name, row]) => [name, inLanguage(row)])),
      ),
    );
  }, [isWanted, language.get()]);
  return names;
}

/** A list of words or numbers: each is a chip that can be taken away. What is typed counts also without a press on Add. */
export function ChipsField({
  field,
  draft,
  onDraft,
  path,
  ...props
}: FieldProps<Extract<Field, { kind: 'chips' }>>) {
  const all = draft as readonly unknown[];
  const [isTyping, setTyping] = useState(false);
  const typed = isTyping ? String(all.at(-1) ?? '') : '';
  const chips = isTyping ? all.slice(0, -1) : all;
  const type = (text: string) => {
    setTyping(text !== '');
    onDraft(text === '' ? chips : [...chips, text]);
  };
  const add = (text: string) => {
    const word = text.trim();
    onDraft(word === '' || chips.includes(word) ? chips : [...chips, word]);
    setTyping(false);
  };
  const place = props.mistake?.path ?? '';
  const inside =
    /^\d+$/.test(place) && path === '' ? `${String(all[Number(place)])}: ${props.mistake?.words}` : undefined;
  const wrong = mistakeAt(props.mistake, path) ?? inside;
  const isNumber = field.item.kind === 'number';
  return (
    <Frame label={props.label} isNeeded={props.isNeeded} wrong={wrong}>
      {({ id, describedBy }) => (
        <span class="chips">
          {chips.map((chip, at) => (
            <span key={String(chip)} class="chip">
              {choiceText(chip)}
              <button
                type="button"
                aria-label={`${t('remove')}: ${String(chip)}`}
                data-testid={`${props.testId}-chip-${at}`}
                onClick={() => onDraft(all.filter((_, index) => index !== at))}
              >
                <Icon name="remove" />
              </button>
            </span>
          ))}
          <span class="with-suffix">
            <input
              id={id}
              type="text"
              inputMode={isNumber ? 'decimal' : undefined}
              autoComplete="off"
              spellcheck={false}
              aria-invalid={wrong !== undefined}
              aria-describedby={describedBy}
              data-testid={props.testId}
              value={typed}
              onInput={({ currentTarget }) => type(currentTarget.value)}
              onKeyDown={(event) => {
                // The first Enter makes a chip, the next one saves.
                if (event.key !== 'Enter' || typed === '') return;
                event.preventDefault();
                add(typed);
              }}
            />
            <button
              type="button"
              class="secondary"
              disabled={typed === '' || (field.max !== undefined && chips.length >= field.max)}
              data-testid={`${props.testId}-add`}
              onClick={() => add(typed)}
            >
              {t('addEntry')}
            </button>
          </span>
        </span>
      )}
    </Frame>
  );
}
