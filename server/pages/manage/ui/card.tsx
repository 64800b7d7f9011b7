import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { CallError } from '../client/panel.ts';
import { t } from '../language.ts';
import { useCall } from './hooks.ts';
import { Icon, type IconName } from './icons.tsx';

interface CardProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The whole width of the view. */
  readonly wide?: boolean;
  readonly class?: string;
  /** At the end of the line of the heading, such as a switch. */
  readonly action?: ComponentChildren;
}

/** A part of a view, with its heading. */
export function Card({ title, children, wide, class: kind = '', action }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${wide ? 'wide' : ''} ${kind}`} aria-labelledby={id}>
      {action === undefined ? (
        <h2 id={id}>{title}</h2>
      ) : (
        <div class="card-head">
          <h2 id={id}>{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  );
}

/** Names and values; rows without a value are left out. */
export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** Why there is nothing to see: the panel cannot do it, or it failed. */
export function Problem({ error }: { error: CallError | undefined }) {
  // The banner over all views says it.
  if (error === undefined || error.code === 'UNREACHABLE') return null;
  const words = error.isMissing ? t('cannot') : error.code === 'FORBIDDEN' ? t('mayNot') : t('didNotWork');
  return (
    <p class={error.isMissing ? 'hint problem' : 'mistake problem'} data-testid="problem">
      {words} {error.message}
    </p>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly words: string;
  readonly testId?: string | undefined;
  /** The next step: a button, or a link. */
  readonly children?: ComponentChildren;
}

/** In the place of what is not there yet, or not on this panel: one sentence, and the next step. */
export function EmptyState({ icon, words, testId, children }: EmptyProps) {
  return (
    <div class="empty-state" data-testid={testId}>
      <Icon name={icon} />
      <p>{words}</p>
      {children}
    </div>
  );
}

interface BannerProps {
  readonly kind?: 'warning' | 'error' | 'info';
  /** `alert` is read out at once. */
  readonly role?: 'alert' | 'status';
  readonly title?: string | undefined;
  readonly words?: string | undefined;
  readonly testId?: string;
  /** What follows the words; buttons stand at the end. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** What is true of the panel as a whole, or of a whole view, and what can be done about it. */
export function Banner({ kind = 'warning', role, title, words, testId, children, action }: BannerProps) {
  return (
    <div class={`banner wide ${kind}`} role={role} data-testid={testId}>
      <Icon name={kind === 'info' ? 'info' : 'alert'} />
      <div class="grow">
        {title !== undefined && <strong>{title}</strong>}
        {words !== undefined && <p class={title === undefined ? '' : 'hint'}>{words}</p>}
        {children}
      </div>
      {action}
    </div>
  );
}

/** The content once it is there, before that why not. */
export function Loading<R>({
  of: { data, error },
  children,
}: {
  of: { readonly data: R | undefined; readonly error: CallError | undefined };
  children: (data: R) => ComponentChildren;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  return error === undefined ? <Skeleton /> : <Problem error={error} />;
}

/** Where content will be, as long as it is on its way; what it is, is said to screen readers alone. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="for-readers">{t('loading')}</span>
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly testId?: string;
}

/** A switch; it shows what the panel says, not what was wished. */
export function Switch({ label, isOn, disabled, onChange, testId }: SwitchProps) {
  return (
    <input
      type="checkbox"
      class="switch"
      role="switch"
      aria-label={label}
      aria-checked={isOn}
      data-testid={testId}
      checked={isOn}
      disabled={disabled}
      onChange={({ currentTarget }) => {
        const wished = currentTarget.checked;
        currentTarget.checked = isOn;
        onChange(wished);
      }}
    />
  );
}

/** A field with its label above. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is among the children.
    <label class="field">
      <span>{label}</span>
      {children}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

/** On the glass, in the place of what needs files: where it is done instead. */
export function InBrowser({ title }: { title: string }) {
  const { data } = useCall<ResultOf<'panel.facts'>>('panel.facts');
  return (
    <Card title={title} wide>
      <p class="hint">{t('inBrowser', { url: data?.url ?? '' })}</p>
    </Card>
  );
}

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

interface SearchBoxProps {
  /** For screen readers, and in the empty box. */
  readonly label: string;
  readonly testId: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A box for a text that narrows what is listed beside it. */
export function SearchBox({ label, testId, value, onText }: SearchBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      data-testid={testId}
      value={value}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}
