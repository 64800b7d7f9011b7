import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../language.ts';
import type { Field, Mistake } from '../settingValue.ts';

/** What every editor of a value gets. */
export interface FieldProps<F extends Field = Field> {
  /** Name of the setting or of the property. */
  readonly name: string;
  readonly label: string;
  readonly field: F;
  readonly draft: unknown;
  readonly onDraft: (draft: unknown) => void;
  /** Where it is in the setting: `0.peer`; empty: the whole. */
  readonly path: string;
  readonly mistake: Mistake | undefined;
  readonly testId: string;
  readonly unit?: string | undefined;
  readonly isNeeded?: boolean;
}

/** What is wrong with the value at this path, if anything is. */
export function mistakeAt(mistake: Mistake | undefined, path: string): string | undefined {
  return mistake?.path === path && path !== '' ? mistake.words : undefined;
}

interface FrameProps {
  readonly label: string;
  readonly isNeeded?: boolean | undefined;
  readonly wrong: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (ids: { id: string; describedBy: string | undefined }) => JSX.Element;
}

/** A label, the control below it, and what is wrong with it. */
export function Frame({ label, isNeeded = true, wrong, hint, children }: FrameProps) {
  const id = useId();
  const says = wrong ?? hint;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!isNeeded && <span class="hint"> · {t('optional')}</span>}
      </label>
      {children({ id, describedBy: says === undefined ? undefined : `${id}-says` })}
      {says !== undefined && (
        <span id={`${id}-says`} class={wrong === undefined ? 'hint' : 'mistake'}>
          {says}
        </span>
      )}
    </div>
  );
}
