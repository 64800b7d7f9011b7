import type { Ref } from 'preact';
import { panel } from '../client/panel.ts';
import { Field } from './card.tsx';

/** Until then the keyboard of the glass has taken its place, in milliseconds. */
const SHOWN_MS = 100;

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly testId: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'url';
  /** Offers digits on the keyboard of the glass. */
  readonly isNumber?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly input?: Ref<HTMLInputElement>;
}

/** A line of text with its label, typed on the keyboard of the glass where there is no other. */
export function TextField({ label, value, onText, testId, hint, type = 'text', ...more }: TextFieldProps) {
  const { isNumber, maxLength, placeholder, input } = more;
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      <input
        ref={input ?? null}
        // One of those that the keyboard of the glass types into.
        type={type as 'text'}
        inputMode={panel().door === 'glass' ? 'none' : isNumber ? 'numeric' : undefined}
        autoComplete="off"
        spellcheck={false}
        maxLength={maxLength}
        placeholder={placeholder}
        data-testid={testId}
        data-keys={isNumber ? 'digits' : undefined}
        value={value}
        onFocus={({ currentTarget }) =>
          setTimeout(() => currentTarget.scrollIntoView({ block: 'nearest' }), SHOWN_MS)
        }
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </Field>
  );
}
