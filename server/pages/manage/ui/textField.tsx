import type { Ref } from 'preact';
import { Field } from './card.tsx';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly testId: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'url';
  /** Offers digits on a keyboard of the screen. */
  readonly isNumber?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly input?: Ref<HTMLInputElement>;
}

/** A line of text with its label. */
export function TextField({ label, value, onText, testId, hint, type = 'text', ...more }: TextFieldProps) {
  const { isNumber, maxLength, placeholder, input } = more;
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      <input
        ref={input ?? null}
        type={type as 'text'}
        inputMode={isNumber ? 'numeric' : undefined}
        autoComplete="off"
        spellcheck={false}
        maxLength={maxLength}
        placeholder={placeholder}
        data-testid={testId}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </Field>
  );
}
