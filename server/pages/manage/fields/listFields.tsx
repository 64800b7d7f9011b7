import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fieldText, t } from '../language.ts';
import { draftOf, type Field, type FormField, isKeptSecret } from '../settingValue.ts';
import { Icon } from '../ui/icons.tsx';
import type { FieldProps } from './frame.tsx';

type Values = Readonly<Record<string, unknown>>;

/** Values inside a list or an object are edited by this component, whatever they are. */
interface WithValues {
  readonly Value: ComponentType<FieldProps>;
}

type FormProps = FieldProps<FormField> & WithValues;

/** The properties of an object, each with its field. */
export function Form({ field, draft, onDraft, path, testId, Value, ...rest }: FormProps) {
  const values = (draft ?? {}) as Readonly<Record<string, unknown>>;
  return (
    <div class="form">
      {field.fields.map(({ name, isNeeded, field: own }) => {
        const props: FieldProps = {
          ...rest,
          name,
          label: fieldText(name),
          field: own,
          isNeeded,
          unit: undefined,
          draft: values[name],
          onDraft: (value) => onDraft({ ...values, [name]: value }),
          path: path === '' ? name : `${path}.${name}`,
          testId: `${testId}-${name}`,
        };
        return own.kind === 'form' ? (
          <NestedForm key={name} {...props} field={own} Value={Value} />
        ) : (
          <Value key={name} {...props} />
        );
      })}
    </div>
  );
}

interface FormsProps extends FieldProps<Extract<Field, { kind: 'forms' }>>, WithValues {
  /** The value is an object of texts by name, instead of a list. */
  readonly isPairs?: boolean;
}

/** A list of objects: one line for each, and the form of the one that is open. */
export function FormsField({ field, draft, onDraft, isPairs = false, path, testId, ...rest }: FormsProps) {
  // Names that are typed twice for a moment must not become one.
  const [pairs, setPairs] = useState(() => (isPairs ? pairsOf(draft) : []));
  const entries = isPairs ? pairs : (draft as readonly Values[]);
  const [open, setOpen] = useState<number | undefined>(entries.length === 1 ? 0 : undefined);
  const wrongAt = Number.parseInt(rest.mistake?.path ?? '', 10);
  useEffect(() => {
    if (Number.isInteger(wrongAt)) setOpen(wrongAt);
  }, [rest.mistake]);
  const set = (now: readonly Values[]) => {
    if (isPairs) setPairs(now);
    onDraft(
      isPairs ? Object.fromEntries(now.map(({ name, value }) => [String(name ?? ''), value ?? ''])) : now,
    );
  };
  const moveUp = (at: number) => {
    const [one, before] = [entries[at]!, entries[at - 1]!];
    set(entries.map((entry, index) => (index === at ? before : index === at - 1 ? one : entry)));
    if (open === at) setOpen(at - 1);
    else if (open === at - 1) setOpen(at);
  };
  return (
    <div class="entry-list" data-testid={testId}>
      {entries.length === 0 && <p class="hint">{t('listEmpty')}</p>}
      {entries.map((entry, at) => {
        const title = titleOf(field.item, entry) || t('entryNumber', { number: at + 1 });
        return (
          <div key={at} class="entry">
            <div class="entry-head">
              <button
                type="button"
                class="ghost entry-title"
                aria-expanded={open === at}
                data-testid={`${testId}-${at}-edit`}
                onClick={() => setOpen(open === at ? undefined : at)}
              >
                {title}
              </button>
              {!isPairs && (
                <button
                  type="button"
                  class="ghost icon-button"
                  disabled={at === 0}
                  aria-label={`${t('moveUp')}: ${title}`}
                  data-testid={`${testId}-${at}-up`}
                  onClick={() => moveUp(at)}
                >
                  <Icon name="up" />
                </button>
              )}
              <button
                type="button"
                class="ghost icon-button"
                aria-label={`${t('remove')}: ${title}`}
                data-testid={`${testId}-${at}-remove`}
                onClick={() => {
                  set(entries.filter((_, index) => index !== at));
                  setOpen(undefined);
                }}
              >
                <Icon name="remove" />
              </button>
            </div>
            {open === at && (
              <Form
                {...rest}
                field={field.item}
                draft={entry}
                onDraft={(now) => set(entries.map((one, index) => (index === at ? (now as Values) : one)))}
                path={path === '' ? String(at) : `${path}.${at}`}
                testId={`${testId}-${at}`}
              />
            )}
          </div>
        );
      })}
      <button
        type="button"
        class="secondary"
        disabled={field.max !== undefined && entries.length >= field.max}
        data-testid={`${testId}-add`}
        onClick={() => {
          set([...entries, {}]);
          setOpen(entries.length);
        }}
      >
        <Icon name="add" /> {t('addEntry')}
      </button>
    </div>
  );
}

function pairsOf(draft: unknown): readonly Values[] {
  return Object.entries((draft ?? {}) as Values).map(([name, value]) => ({ name, value }));
}

/** What an entry is called: its first text that is no secret. */
export function titleOf({ fields }: FormField, entry: Values): string {
  for (const { name, field } of fields) {
    const value = entry[name];
    if (field.kind === 'text' && !field.isSecret && typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** An object inside another one, such as the login of a camera: it may be missing, or be known to the panel alone. */
function NestedForm(props: FormProps) {
  const { field, draft, onDraft, label, testId } = props;
  const isKept = isKeptSecret(draft);
  const isThere = draft !== undefined && draft !== null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame and needs a legend that is seen already.
    <div class="nested" role="group" aria-label={label}>
      <div class="row">
        <strong class="grow">{label}</strong>
        {isKept && <span class="hint">{t('keptSecret')}</span>}
        {!isThere && <span class="hint">{t('notSet')}</span>}
        {(isKept || !isThere) && (
          <button
            type="button"
            class="ghost"
            data-testid={`${testId}-set`}
            onClick={() => onDraft(draftOf(field, undefined))}
          >
            {t(isKept ? 'replace' : 'addEntry')}
          </button>
        )}
        {isThere && (
          <button
            type="button"
            class="ghost"
            data-testid={`${testId}-remove`}
            onClick={() => onDraft(field.isNullable ? null : undefined)}
          >
            {t('remove')}
          </button>
        )}
      </div>
      {isThere && !isKept && <Form {...props} />}
    </div>
  );
}
