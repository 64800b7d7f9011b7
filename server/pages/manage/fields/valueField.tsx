import { useId, useState } from 'preact/hooks';
import { t } from '../language.ts';
import type { Field } from '../settingValue.ts';
import { type FieldProps, Frame, mistakeAt } from './frame.tsx';
import { Form, FormsField } from './listFields.tsx';
import { ChipsField, ChoiceField, DurationField, SeveralField } from './pickFields.tsx';

/** Edits a value of any kind. Its mistake is shown at it. */
export function ValueField(props: FieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'switch':
    case 'choice':
      return <ChoiceField {...props} choices={field.kind === 'choice' ? field.choices : [true, false]} />;
    case 'number': {
      const unit = props.unit ?? field.unit;
      if (unit === 's') return <DurationField {...props} min={field.min} />;
      return <LineField {...props} field={field} unit={unit} isNumber />;
    }
    case 'text':
      return field.isLong ? <LongField {...props} /> : <LineField {...props} field={field} />;
    case 'several':
      return <SeveralField {...props} field={field} />;
    case 'chips':
      return <ChipsField {...props} field={field} />;
    case 'form':
      return <Form {...props} field={field} Value={ValueField} />;
    case 'forms':
      return <FormsField {...props} field={field} Value={ValueField} />;
    case 'pairs':
      return <FormsField {...props} field={pairForms(field.item)} Value={ValueField} isPairs />;
  }
}

/** Names and values as a list of small forms. */
function pairForms(item: Field): Extract<Field, { kind: 'forms' }> {
  const name: Field = { kind: 'text', words: [], isSecret: false, isLong: false, maxLength: undefined };
  const fields = [
    { name: 'name', isNeeded: true, field: name },
    { name: 'value', isNeeded: false, field: item },
  ];
  return { kind: 'forms', item: { kind: 'form', isNullable: false, fields }, max: undefined };
}

interface LineProps extends FieldProps<Extract<Field, { kind: 'text' | 'number' }>> {
  readonly isNumber?: boolean;
}

/** One line: a text, a secret, or a number with its unit. */
function LineField({ field, isNumber = false, draft, onDraft, path, unit = '', ...props }: LineProps) {
  const isSecret = field.kind === 'text' && field.isSecret;
  const [isShown, setShown] = useState(!isSecret);
  const listId = useId();
  const wrong = mistakeAt(props.mistake, path);
  return (
    <Frame label={props.label} isNeeded={props.isNeeded} wrong={wrong}>
      {({ id, describedBy }) => (
        <span class="with-suffix">
          <input
            id={id}
            type={(isShown ? 'text' : 'password') as 'text'}
            inputMode={isNumber && field.words.length === 0 ? 'decimal' : undefined}
            autoComplete="off"
            spellcheck={false}
            list={field.words.length > 0 ? listId : undefined}
            maxLength={field.kind === 'text' ? field.maxLength : undefined}
            aria-invalid={wrong !== undefined}
            aria-describedby={describedBy}
            data-testid={props.testId}
            value={String(draft ?? '')}
            onInput={({ currentTarget }) => onDraft(currentTarget.value)}
          />
          {unit !== '' && <span class="unit">{unit}</span>}
          {isSecret && (
            <button
              type="button"
              class="ghost"
              aria-pressed={isShown}
              aria-label={`${t('showSecret')}: ${props.label}`}
              onClick={() => setShown(!isShown)}
            >
              {t(isShown ? 'hide' : 'show')}
            </button>
          )}
          {field.words.length > 0 && (
            <datalist id={listId}>
              {field.words.map((word) => (
                <option key={word} value={word} />
              ))}
            </datalist>
          )}
        </span>
      )}
    </Frame>
  );
}

/** Styles and scripts: several lines of code. */
function LongField({ draft, onDraft, path, ...props }: FieldProps) {
  const wrong = mistakeAt(props.mistake, path);
  return (
    <Frame label={props.label} isNeeded={props.isNeeded} wrong={wrong}>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          rows={4}
          spellcheck={false}
          aria-invalid={wrong !== undefined}
          aria-describedby={describedBy}
          data-testid={props.testId}
          value={String(draft ?? '')}
          onInput={({ currentTarget }) => onDraft(currentTarget.value)}
        />
      )}
    </Frame>
  );
}
